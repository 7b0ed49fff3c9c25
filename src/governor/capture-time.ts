/** When a message was captured, judged once at its reception (design.md 4). Pure. */
import type { CauseOf } from '../core/catalogue.js';
import { CLOCK_ORIGIN_US, type Micros, micros } from '../core/units.js';

export interface StampPolicy {
  /** header: the publisher's stamp · receive: the instant of reception, for messages without one. */
  readonly source: 'header' | 'receive';
  /** Added to the stamp; corrects a known constant offset. */
  readonly offsetUs: number;
  /** How far in the future a stamp may lie and still count as age 0. */
  readonly futureToleranceUs: number;
}

export interface Reception {
  readonly stampNs: bigint;
  /** ROS time of the reception. */
  readonly rosNowNs: bigint;
  /** Core time of the reception. */
  readonly now: Micros;
}

export type CaptureReading =
  | {
      readonly valid: true;
      readonly capture: Micros;
      /** As it was read, however old; negative: in the future, and tolerated, so that a constant offset can be read off the lowest age. */
      readonly ageUs: number;
      /** The raw stamp, or the reception where that is the source: what duplicates are told by. */
      readonly stampNs: bigint;
    }
  | { readonly valid: false; readonly cause: CauseOf<'invalid'>; readonly ageUs?: number; readonly detail: string };

/** Older data cannot be represented: it is clamped to this, never reset to fresh. */
const OLDEST_AGE_US = CLOCK_ORIGIN_US;

export function readCapture(policy: StampPolicy, reception: Reception): CaptureReading {
  if (policy.source === 'receive') {
    return { valid: true, capture: reception.now, ageUs: 0, stampNs: BigInt(reception.now) };
  }
  if (reception.stampNs === 0n) return { valid: false, cause: 'stamp_zero', detail: 'the header stamp is zero' };
  const ageUs = Math.round(Number((reception.rosNowNs - reception.stampNs) / 1000n) - policy.offsetUs);
  if (ageUs < -policy.futureToleranceUs) {
    const ahead = `${(-ageUs / 1000).toFixed(1)} ms in the future, tolerated are ${policy.futureToleranceUs / 1000} ms`;
    return { valid: false, cause: 'stamp_future', ageUs, detail: `the header stamp lies ${ahead}` };
  }
  const countedUs = Math.min(Math.max(ageUs, 0), OLDEST_AGE_US);
  return { valid: true, capture: micros(reception.now - countedUs), ageUs, stampNs: reception.stampNs };
}
