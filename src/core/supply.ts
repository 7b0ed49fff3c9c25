/** Until when a consumer has something it can use (rules.md 8, `protect_supply`). */
import type { Credits } from './credits.js';
import type { GuardedWork } from './guarded-work.js';
import { later, type Micros, NEVER } from './units.js';

/** By when the next result of a guarded stream has to come so that its consumer is never without; NEVER where that guards nothing. */
export function supplyLimitUs({ stream, first }: GuardedWork, credits: Credits): Micros {
  if (!first) return NEVER;
  let captureUs = stream.newestUsableCapture ?? (-NEVER as Micros);
  // What runs will be the newest result by then.
  for (const { request, state } of credits.leases) {
    if (request.stream === stream && state === 'running') captureUs = later(captureUs, request.capture);
  }
  return captureUs === -NEVER ? NEVER : stream.consumer.suppliedUntilUs(captureUs);
}
