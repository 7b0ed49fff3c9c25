/** A request that generates comes back after each of its calls as if it had just arrived, with its old capture (rules.md 12). */
import type { Cause } from '../catalogue.js';
import { obstacle, standstill } from '../obstacles.js';
import type { Outcomes } from '../outcomes.js';
import type { Request } from '../requests.js';
import type { StreamState } from '../stream-state.js';
import type { Micros } from '../units.js';

/**
 * It waits behind what waits already, or ends: nothing of it is published then. Its age is judged with that of all that waits.
 * @param standing why nothing of this stream may wait now, if so.
 */
export function readmit(request: Request, standing: Cause | undefined, now: Micros, outcomes: Outcomes): void {
  const { stream } = request;
  const variant = request.lease?.variant.name;
  request.lease = undefined;
  if (standing !== undefined) {
    outcomes.refuse(request, standing, now, standstill(stream, standing), variant);
  } else if (stream.latestOnly && stream.supersession.isOvertaken(request.capture)) {
    const newer = stream.waiting.head;
    outcomes.refuse(request, 'newer_capture', now, newer === undefined ? {} : { supersededBy: newer.id }, variant);
  } else if (!stream.latestOnly && isFull(stream)) {
    outcomes.refuse(request, 'queue_full', now, obstacle(stream), variant);
  } else {
    stream.waiting.push(request);
  }
}

/** Whether the queue has no place left for one more. */
export function isFull(stream: StreamState): boolean {
  return stream.waiting.length + placesKept(stream) >= stream.configuration.queue.capacity;
}

/**
 * Places that requests will need again after the call that runs: what was begun is not to be lost to a newcomer. Only one whose call was
 * to be the last, and was not, can find the queue full.
 */
function placesKept(stream: StreamState): number {
  if (stream.model.quanta === undefined) return 0;
  let kept = 0;
  for (const { request, state } of stream.model.backend.credits.leases) {
    if (request.stream === stream && state === 'running' && request.generation?.returns === true) kept += 1;
  }
  return kept;
}
