/** The one step that decides, for one backend: who ends, who starts, and when to look again (rules.md 5-7). */
import type { Why } from './actions.js';
import type { BackendState } from './backend-state.js';
import type { Cause } from './catalogue.js';
import { excludedBy } from './corun.js';
import type { Placement } from './credits.js';
import { canBeFresh, firstStaleUs, oldestUsefulCapture, staleCause } from './freshness.js';
import type { Variant } from './model-state.js';
import { freshnessGrounds, obstacle, standstill } from './obstacles.js';
import type { Outcomes } from './outcomes.js';
import { OVERLOAD, overloadRefusal } from './overload.js';
import type { Request } from './requests.js';
import type { StreamState } from './stream-state.js';
import { earlier, type Micros, micros, minus, NEVER, plus } from './units.js';

const ONE = micros(1);

/** @returns the next instant at which time alone changes the decision. */
export function decide(backend: BackendState, draining: boolean, now: Micros, outcomes: Outcomes): Micros {
  for (const stream of backend.streams) {
    if (stream.waiting.length > 0) endHopeless(stream, draining, now, outcomes);
  }
  const step = backend.overload.step(backend.name, now);
  if (step !== undefined) outcomes.push(step);
  let wakeUs = earlier(startWork(backend, now, outcomes), backend.overload.nextStepUs(now));
  if (backend.overload.level >= OVERLOAD.sweep) sweep(backend, now, outcomes);
  for (const stream of backend.streams) wakeUs = earlier(wakeUs, firstStaleUs(stream));
  return wakeUs;
}

/** Why nothing of this stream may wait or start now. */
export function standingRefusal(stream: StreamState, draining: boolean): Cause | undefined {
  if (draining) return 'shutdown';
  if (stream.model.backend.quarantined) return 'slots_quarantined';
  if (stream.model.fastest === undefined) return 'no_variant_ready';
  return undefined;
}

/** Why nothing of this stream is admitted now; what waits already may stay. */
export function entryRefusal(stream: StreamState, draining: boolean): Cause | undefined {
  const { level } = stream.model.backend.overload;
  return standingRefusal(stream, draining) ?? overloadRefusal(level, stream.guarded, stream.configuration.class === 'best_effort');
}

/** Ends what waits and can no longer be served. */
export function endHopeless(stream: StreamState, draining: boolean, now: Micros, outcomes: Outcomes): void {
  const standing = standingRefusal(stream, draining);
  if (standing !== undefined) {
    for (let next = stream.waiting.shift(); next !== undefined; next = stream.waiting.shift()) {
      outcomes.refuse(next, standing, now, standstill(stream, standing));
    }
  } else if (stream.droppable) {
    endStale(stream, now, now, outcomes);
  }
}

/** Ends what cannot be fresh when it starts at `startUs`. */
function endStale(stream: StreamState, startUs: Micros, now: Micros, outcomes: Outcomes): void {
  const limit = oldestUsefulCapture(stream, startUs);
  for (let next = stream.waiting.shiftOlderThan(limit); next !== undefined; next = stream.waiting.shiftOlderThan(limit)) {
    const why = { ...freshnessGrounds(next, startUs, now), ...obstacle(stream) };
    outcomes.refuse(next, staleCause(next, now), now, why, stream.model.fastest?.name);
  }
}

/** Under overload what waits is judged by when it can start at the earliest, which clears away what would arrive dead (rules.md 5). */
function sweep(backend: BackendState, now: Micros, outcomes: Outcomes): void {
  const startUs = backend.credits.earliestStartUs(now);
  for (const stream of backend.streams) {
    if (stream.waiting.length > 0 && stream.droppable) endStale(stream, startUs, now, outcomes);
  }
}

/**
 * Starts what may start, most urgent first, and asks all again after each start. One that cannot go never blocks those behind it from a
 * free slot; but only the most urgent of all is sent ahead, since that takes the next slot to come free: others would keep it out for ever.
 */
function startWork(backend: BackendState, now: Micros, outcomes: Outcomes): Micros {
  const { credits } = backend;
  let retryUs = NEVER;
  let foremost = true;
  let candidates = backend.candidates();
  for (let i = 0; i < candidates.length && (credits.slotFree || (foremost && credits.extraFree)); i += 1) {
    const request = (candidates[i] as StreamState).waiting.head;
    if (request === undefined) continue;
    const variant = chooseVariant(request, foremost, now);
    if (variant !== undefined) {
      start(request, variant, now, outcomes);
      candidates = backend.candidates();
      retryUs = NEVER;
      foremost = true;
      i = -1;
    } else if (foremost) {
      retryUs = credits.placement.retryAtUs;
      foremost = false;
    }
  }
  return retryUs;
}

/**
 * The best ready variant that would still be fresh, if it can be sent now; `placement` then says where, and otherwise when to ask again.
 * Missing credits never move a request to a worse variant.
 */
function chooseVariant(request: Request, mayFollow: boolean, now: Micros): Variant | undefined {
  const { stream } = request;
  const { credits } = stream.model.backend;
  credits.placement.retryAtUs = NEVER;
  if (excludedBy(stream.model) !== undefined) return undefined;
  for (const variant of stream.model.variants) {
    if (!variant.server.ready) continue;
    const placement = credits.place(variant.server, now);
    const sendable = placement.startUs !== NEVER;
    const startUs = sendable ? placement.startUs : now;
    if (stream.droppable && !canBeFresh(request, variant, startUs, placement.occupancy, now)) continue;
    if (!sendable) return undefined;
    return placement.follows === undefined || (mayFollow && !awaitsNewerFrame(stream, placement, now)) ? variant : undefined;
  }
  return undefined;
}

/** A call sent ahead cannot be taken back: not for a frame that a newer one is expected to replace before it starts. */
function awaitsNewerFrame(stream: StreamState, placement: Placement, now: Micros): boolean {
  if (!stream.latestOnly || stream.forecast.expectedUs(now) > placement.startUs) return false;
  placement.retryAtUs = plus(stream.forecast.givenUpAfterUs, ONE);
  return true;
}

function start(request: Request, variant: Variant, now: Micros, outcomes: Outcomes): void {
  const { stream } = request;
  const { backend } = variant.model;
  const { startUs, follows } = backend.credits.placement;
  stream.waiting.shift();
  stream.inFlight += 1;
  const lease = backend.credits.take(request, variant, now);
  request.lease = lease;
  const why: Why = {
    slackUs: minus(request.freshUntilUs, now),
    ...(stream.droppable ? { optimisticUs: lease.optimisticUs } : {}),
    startUs,
    ...(follows === undefined ? {} : { follows: follows.request.id }),
  };
  outcomes.push({
    type: 'dispatch',
    request: request.id,
    stream: stream.name,
    backend: backend.name,
    model: variant.model.name,
    variant: variant.name,
    backendModel: variant.server.name,
    why,
  });
}
