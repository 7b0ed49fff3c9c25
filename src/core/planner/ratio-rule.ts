/** One stream alone: start its frame, or wait for the next one (policy.md 2). */
import type { RuntimeBelief } from './belief.js';

/**
 * Covered cycles per slot time now, against after waiting.
 * @param leftUs from the start to the end of freshness.
 * @param nextLeftUs the same of the next frame, started when it comes.
 * @param waitUs from the start to the next frame.
 */
export function startsNow(belief: RuntimeBelief, leftUs: number, nextLeftUs: number, waitUs: number): boolean {
  const now = belief.within(leftUs) * (belief.meanUs + waitUs);
  return now >= belief.within(nextLeftUs) * belief.meanUs;
}
