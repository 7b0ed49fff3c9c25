/** Until when a consumer has something it can use (rules.md 8, `protect_supply`). */
import type { Credits } from './credits.js';
import type { GuardedWork } from './guarded-work.js';
import { later, type Micros, NEVER, plus } from './units.js';

/**
 * By when the next result of a guarded stream has to come so that its consumer is never without; NEVER where that guards nothing. Work
 * that would break the supply even when started at the best moment, just after a result, is not held to it: waiting would not help, and
 * it would never run.
 * @param runtimeUs of the guarded frame.
 * @param candidateRuntimeUs of the work that may have to wait.
 */
export function supplyLimitUs({ stream, first }: GuardedWork, runtimeUs: Micros, candidateRuntimeUs: Micros, credits: Credits): Micros {
  const { maxAgeUs } = stream.configuration.contract;
  const atBestUs = stream.forecast.transportUs + runtimeUs + candidateRuntimeUs + runtimeUs;
  if (!first || atBestUs > maxAgeUs) return NEVER;
  let captureUs = stream.newestUsableCapture ?? (-NEVER as Micros);
  // What runs will be the newest result by then.
  for (const { request, state } of credits.leases) {
    if (request.stream === stream && state === 'running') captureUs = later(captureUs, request.capture);
  }
  return captureUs === -NEVER ? NEVER : plus(captureUs, maxAgeUs);
}
