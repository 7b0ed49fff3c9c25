/** Who starts now on one backend, and when to ask again (rules.md 6-9). */
import type { Dispatch, Why } from './actions.js';
import type { BackendState } from './backend-state.js';
import { excludedBy } from './corun.js';
import type { Lease, Placement } from './credits.js';
import type { GuardedWork } from './guarded-work.js';
import type { Variant } from './model-state.js';
import type { Outcomes } from './outcomes.js';
import { passedOver } from './passed-over.js';
import { sizeQuantum } from './quanta/size-quantum.js';
import type { Request } from './requests.js';
import type { StreamState } from './stream-state.js';
import { earlier, type Micros, micros, minus, NEVER, plus } from './units.js';
import { chooseVariant, nextChoiceUs, nextFaster, plannedUs } from './variant-choice.js';
import type { Writable } from './writable.js';

const ONE = micros(1);

/**
 * Starts what may start, most urgent first, and asks all again after each start, which can lift a veto. One that cannot go never blocks
 * those behind it from a free slot; but only the most urgent of all is sent ahead, since that takes the next slot to come free: others
 * would keep it out for ever.
 * @returns the next instant at which time alone lets something start.
 */
export function startWork(backend: BackendState, now: Micros, outcomes: Outcomes): Micros {
  const { credits, lookAhead } = backend;
  if (!credits.slotFree && !credits.extraFree) return NEVER;
  let retryUs = NEVER;
  let foremost = true;
  let candidates = backend.candidates(now);
  lookAhead.forget();
  for (let i = 0; i < candidates.length && (credits.slotFree || (foremost && credits.extraFree)); i += 1) {
    const request = (candidates[i] as StreamState).waiting.head;
    if (request === undefined) break;
    const variant = sendableVariant(request, foremost, now, outcomes);
    if (variant !== undefined) {
      start(request, variant, now, outcomes);
      candidates = backend.candidates(now);
      lookAhead.forget();
      retryUs = NEVER;
      foremost = true;
      i = -1;
      continue;
    }
    retryUs = earlier(retryUs, lookAhead.retryAtUs);
    if (foremost) retryUs = earlier(retryUs, credits.placement.retryAtUs);
    retryUs = earlier(retryUs, nextChoiceUs(request, now));
    foremost = false;
  }
  return retryUs;
}

/**
 * The variant on which the request can be sent now; `placement` then says where. Otherwise `placement` and the look-ahead say when to ask
 * again. Where the chosen variant would endanger a higher class, a faster one may fit.
 */
function sendableVariant(request: Request, mayFollow: boolean, now: Micros, outcomes: Outcomes): Variant | undefined {
  const { stream, generation } = request;
  const { credits, lookAhead } = stream.model.backend;
  credits.placement.retryAtUs = NEVER;
  lookAhead.retryAtUs = NEVER;
  if (excludedBy(stream.model) !== undefined) return undefined;
  const chosen = chooseVariant(request, now);
  let endangered: GuardedWork | undefined;
  for (let variant = chosen; variant !== undefined; variant = nextFaster(request, variant, now)) {
    const placement = credits.place(variant.server, now);
    if (placement.startUs === NEVER) return undefined;
    // What is cut to fit is not sent ahead: how much fits is known when it starts.
    const mayQueue = mayFollow && generation === undefined;
    if (placement.follows !== undefined && (!mayQueue || awaitsNewerFrame(stream, placement, now))) return undefined;
    const blocker = endangeredBy(request, variant, placement.startUs, now);
    if (blocker === undefined) return variant;
    endangered ??= blocker;
  }
  credits.placement.retryAtUs = NEVER;
  if (chosen !== undefined && endangered !== undefined) defer(request, chosen, endangered, now, outcomes);
  return undefined;
}

/**
 * The work of a higher class that a start at this instant would endanger; the look-ahead then says when to ask again. What can be cut is cut
 * here to fit. A firm floor that is due endangers what it must.
 */
export function endangeredBy(request: Request, variant: Variant, startUs: Micros, now: Micros): GuardedWork | undefined {
  const { stream, generation } = request;
  const { lookAhead, room } = stream.model.backend;
  lookAhead.retryAtUs = NEVER;
  const noRoom = generation === undefined ? undefined : sizeQuantum(generation, stream, room, now);
  if (stream.hasFirmClaim) return undefined;
  if (noRoom === undefined) return lookAhead.endangeredBy(stream, variant, startUs, runUs(request, variant, now), now);
  lookAhead.retryAtUs = room.retryAtUs;
  return noRoom;
}

/** How long the call is planned to run. */
function runUs({ generation }: Request, variant: Variant, now: Micros): Micros {
  return generation?.plannedUs ?? plannedUs(variant, now);
}

export function defer(request: Request, variant: Variant, endangered: GuardedWork, now: Micros, outcomes: Outcomes): void {
  const { stream, generation } = request;
  if (!stream.deferral.note(request, endangered.stream)) return;
  const why: Why = {
    plannedUs: runUs(request, variant, now),
    ...(generation === undefined ? {} : { tokens: generation.quantum.tokens }),
    blockedBy: endangered.stream.name,
    ...(endangered.request === undefined ? { expectedUs: endangered.arrivalUs } : {}),
  };
  putOff(request, variant, why, now, outcomes);
}

/** Tells that nothing starts, on purpose. @param plan what the best start was weighed against. */
export function wait(request: Request, variant: Variant, plan: Why, now: Micros, outcomes: Outcomes): void {
  putOff(request, variant, { plannedUs: plannedUs(variant, now), ...plan }, now, outcomes);
}

function putOff({ id, stream, freshUntilUs }: Request, variant: Variant, grounds: Why, now: Micros, outcomes: Outcomes): void {
  const why: Why = { slackUs: minus(freshUntilUs, now), ...grounds };
  outcomes.push({ type: 'defer', request: id, stream: stream.name, variant: variant.name, why });
}

/** A call sent ahead cannot be taken back: not for a frame that a newer one is expected to replace before it starts. */
export function awaitsNewerFrame(stream: StreamState, placement: Placement, now: Micros): boolean {
  if (!stream.latestOnly || stream.forecast.expectedUs(now) > placement.startUs) return false;
  placement.retryAtUs = plus(stream.forecast.givenUpAfterUs, ONE);
  return true;
}

/**
 * `placement` says where.
 * @param plan what it was weighed against, where it was. @param worthOfBest what the plan gave for its best variant, where that is another.
 */
export function start(request: Request, variant: Variant, now: Micros, outcomes: Outcomes, plan?: Why, worthOfBest?: number): void {
  const { stream, generation } = request;
  const { backend } = variant.model;
  const passed = passedOver(request, variant, now, worthOfBest);
  stream.waiting.shift();
  stream.inFlight += 1;
  stream.dwell.started(variant, now);
  stream.deferral.end();
  const lease = backend.credits.take(request, variant, now);
  const { optimisticUs } = lease;
  request.lease = lease;
  if (generation !== undefined) {
    lease.optimisticUs = generation.costUs;
    lease.plannedUs = generation.plannedUs;
  }
  const grounds = startGrounds(lease, optimisticUs, backend.credits.placement, now);
  const dispatch: Writable<Dispatch> = {
    type: 'dispatch',
    request: request.id,
    stream: stream.name,
    backend: backend.name,
    model: variant.model.name,
    variant: variant.name,
    backendModel: variant.server.name,
    why: plan === undefined && passed === undefined ? grounds : { ...grounds, ...passed, ...plan },
  };
  if (generation !== undefined) dispatch.quantum = generation.begin(now);
  outcomes.push(dispatch);
}

/** Not by spreads, as the end of a request. */
function startGrounds({ request, plannedUs }: Lease, optimisticUs: Micros, { startUs, follows }: Placement, now: Micros): Why {
  const { stream, generation, freshUntilUs } = request;
  const slackUs = minus(freshUntilUs, now);
  const why: Writable<Why> = stream.droppable ? { slackUs, optimisticUs, plannedUs, startUs } : { slackUs, plannedUs, startUs };
  if (stream.consumer.mustDeliver) why.mandatory = true;
  if (follows !== undefined) why.follows = follows.request.id;
  if (generation !== undefined && generation.generated > 0) why.generated = generation.generated;
  return why;
}
