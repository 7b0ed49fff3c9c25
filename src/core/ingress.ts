/** What happens to a message on arrival: it is refused with a cause, or it waits (gates A and B, queue limits). */
import type { Cause } from './catalogue.js';
import type { Arrival } from './events.js';
import { unfitOnArrival } from './freshness.js';
import { freshnessGrounds, obstacle, standstill } from './obstacles.js';
import type { Outcomes } from './outcomes.js';
import { Generation } from './quanta/generation.js';
import { isFull } from './quanta/readmission.js';
import type { Request } from './requests.js';
import type { StreamState } from './stream-state.js';
import { type Micros, plus } from './units.js';

export function createRequest(arrival: Arrival, stream: StreamState, now: Micros): Request {
  const { deadlineUs } = stream.configuration.contract;
  const { quanta } = stream.model;
  return {
    id: arrival.request,
    stream,
    capture: arrival.capture,
    arrivalUs: now,
    deadlineUs: plus(arrival.capture, deadlineUs),
    freshUntilUs: stream.consumer.usableUntilUs(arrival.capture),
    lease: undefined,
    generation: quanta === undefined ? undefined : new Generation(quanta, arrival.prompt ?? {}),
  };
}

/** @param standing why nothing of this stream may wait now, if so. */
export function admit(request: Request, arrival: Arrival, standing: Cause | undefined, now: Micros, outcomes: Outcomes): void {
  const { stream } = request;
  stream.received += 1;
  stream.forecast.observe(request.capture, now);
  if (standing !== undefined) {
    outcomes.refuse(request, standing, now, standstill(stream, standing));
    return;
  }
  const superseded = stream.latestOnly ? stream.supersession.judge(arrival) : undefined;
  if (superseded !== undefined) {
    outcomes.refuse(request, superseded, now, {});
    return;
  }
  const unfit = unfitOnArrival(request, now);
  if (unfit !== undefined) {
    outcomes.refuse(request, unfit, now, freshnessGrounds(request, now, now), stream.usable.fastest?.name);
    return;
  }
  enqueue(request, now, outcomes);
}

function enqueue(request: Request, now: Micros, outcomes: Outcomes): void {
  const { stream } = request;
  const { waiting, supersession } = stream;
  const { overflow } = stream.configuration.queue;
  if (stream.latestOnly) {
    supersession.accept(request.capture);
    replaceHead(request, 'newer_capture', now, outcomes);
  } else if (isFull(stream)) {
    if (overflow === 'reject_new' || !stream.droppable || waiting.length === 0) {
      outcomes.refuse(request, 'queue_full', now, obstacle(stream));
      return;
    }
    replaceHead(request, 'overflow_oldest', now, outcomes);
  }
  waiting.push(request);
}

function replaceHead(request: Request, cause: Cause, now: Micros, outcomes: Outcomes): void {
  const { stream } = request;
  const head = stream.waiting.shift();
  if (head === undefined) return;
  const { blockedBy } = obstacle(stream);
  const supersededBy = request.id;
  outcomes.refuse(head, cause, now, blockedBy === undefined ? { supersededBy } : { supersededBy, blockedBy });
}
