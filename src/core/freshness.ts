/** Gate B: a frame that cannot be fresh when finished is not worth starting (rules.md 5). Streams that never drop are exempt. */
import type { Cause } from './catalogue.js';
import type { Variant } from './model-state.js';
import type { Request } from './requests.js';
import type { StreamState } from './stream-state.js';
import { type Micros, micros, minus, NEVER, plus } from './units.js';

const ONE = micros(1);

/** A result of exactly max age is fresh. */
function isFreshAfter(request: Request, startUs: Micros, runtimeUs: Micros): boolean {
  return startUs + runtimeUs <= request.freshUntilUs;
}

/** Whether this variant could still be in time; observations that are too old to refuse it are doubted first. */
export function canBeFresh(request: Request, variant: Variant, startUs: Micros, occupancy: number, now: Micros): boolean {
  if (looksFresh(request, variant, startUs, occupancy)) return true;
  return variant.model.doubtObservations(now) && looksFresh(request, variant, startUs, occupancy);
}

/** The same by what is known, which stays as it is: asking changes nothing. */
export function looksFresh(request: Request, { estimate }: Variant, startUs: Micros, occupancy: number): boolean {
  return isFreshAfter(request, startUs, estimate.optimisticUs(occupancy));
}

/** Why a frame that just arrived cannot be fresh when finished, even on the fastest ready variant and started at once. */
export function unfitOnArrival(request: Request, now: Micros): Cause | undefined {
  const cause = judgeArrival(request, now);
  return cause !== undefined && request.stream.model.doubtObservations(now) ? judgeArrival(request, now) : cause;
}

function judgeArrival(request: Request, now: Micros): Cause | undefined {
  const { stream } = request;
  if (!stream.droppable) return undefined;
  const runtimeUs = stream.usable.fastestUs;
  if (runtimeUs > stream.configuration.contract.maxAgeUs) return 'never_fits';
  return isFreshAfter(request, now, runtimeUs) ? undefined : 'stale_on_arrival';
}

/** The cause of a waiting frame that turned stale. */
export function staleCause(request: Request, now: Micros): Cause {
  return now > request.freshUntilUs ? 'expired_waiting' : 'predicted_stale';
}

/** Captures before this instant can no longer be fresh when finished: nothing later saves them. */
export function oldestUsefulCapture(stream: StreamState, now: Micros): Micros {
  return stream.consumer.oldestUsable(plus(now, stream.usable.fastestUs));
}

/** When the first waiting frame of the stream turns stale; NEVER when none can. */
export function firstStaleUs(stream: StreamState): Micros {
  if (!stream.droppable || stream.waiting.length === 0) return NEVER;
  return plus(minus(stream.consumer.usableUntilUs(stream.waiting.oldestCapture), stream.usable.fastestUs), ONE);
}
