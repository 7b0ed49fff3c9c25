/** The one step that decides, for one backend: who ends, who starts, and when to look again (rules.md 5-7). */
import type { BackendState } from './backend-state.js';
import type { Cause } from './catalogue.js';
import { firstStaleUs, oldestUsefulCapture, staleCause } from './freshness.js';
import { freshnessGrounds, obstacle, standstill } from './obstacles.js';
import type { Outcomes } from './outcomes.js';
import { OVERLOAD, overloadRefusal } from './overload.js';
import { startWork } from './start-work.js';
import type { StreamState } from './stream-state.js';
import { earlier, type Micros } from './units.js';

/** @returns the next instant at which time alone changes the decision. */
export function decide(backend: BackendState, draining: boolean, now: Micros, outcomes: Outcomes): Micros {
  for (const stream of backend.streams) {
    stream.refreshFloor(now);
    if (stream.waiting.length > 0) endHopeless(stream, draining, now, outcomes);
  }
  const step = backend.overload.step(backend.name, now);
  if (step !== undefined) outcomes.push(step);
  const retryUs = backend.planned?.start(now, outcomes) ?? startInOrder(backend, now, outcomes);
  let wakeUs = earlier(retryUs, backend.overload.nextStepUs(now));
  for (const stream of backend.streams) {
    if (stream.waiting.length > 0) wakeUs = earlier(wakeUs, earlier(firstStaleUs(stream), stream.nextFloorUs(now)));
  }
  return wakeUs;
}

/** By class and deadline, where overload ends what would arrive dead; a plan judges that by its own belief (adr/0012). */
function startInOrder(backend: BackendState, now: Micros, outcomes: Outcomes): Micros {
  let retryUs = startWork(backend, now, outcomes);
  if (backend.overload.level < OVERLOAD.sweep) return retryUs;
  // What was swept away may have stood before something that can start.
  while (sweep(backend, now, outcomes)) retryUs = startWork(backend, now, outcomes);
  return retryUs;
}

/** Why nothing of this stream may wait or start now. */
function standingRefusal(stream: StreamState, draining: boolean): Cause | undefined {
  if (draining) return 'shutdown';
  if (stream.model.backend.quarantined) return 'slots_quarantined';
  if (stream.usable.fastest === undefined) return stream.usable.held ? 'slots_quarantined' : 'no_variant_ready';
  return undefined;
}

/** Why nothing of this stream is admitted now; what waits already may stay. */
export function entryRefusal(stream: StreamState, draining: boolean): Cause | undefined {
  const standing = standingRefusal(stream, draining);
  if (standing !== undefined || stream.floor?.firm) return standing; // a firm floor holds at every level
  return overloadRefusal(stream.model.backend.overload.level, stream.guarded, stream.configuration.class === 'best_effort');
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

/** Ends what cannot be fresh when it starts at `startUs`. @returns whether there was any. */
function endStale(stream: StreamState, startUs: Micros, now: Micros, outcomes: Outcomes): boolean {
  const before = stream.waiting.length;
  const limit = oldestUsefulCapture(stream, startUs);
  for (let next = stream.waiting.shiftOlderThan(limit); next !== undefined; next = stream.waiting.shiftOlderThan(limit)) {
    const why = { ...freshnessGrounds(next, startUs, now), ...obstacle(stream) };
    outcomes.refuse(next, staleCause(next, now), now, why, stream.usable.fastest?.name);
  }
  return stream.waiting.length < before;
}

/**
 * Under overload what waits is judged by when it can start at the earliest, which clears away what would arrive dead (rules.md 5).
 * @returns whether there was any.
 */
function sweep(backend: BackendState, now: Micros, outcomes: Outcomes): boolean {
  let swept = false;
  const startUs = backend.credits.earliestStartUs(now);
  for (const stream of backend.streams) {
    if (stream.waiting.length > 0 && stream.droppable && endStale(stream, startUs, now, outcomes)) swept = true;
  }
  return swept;
}
