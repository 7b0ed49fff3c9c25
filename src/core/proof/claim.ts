/** A call whose end is not proven, and what is known of where it is (rules.md 11). */
import type { Micros } from '../units.js';

/**
 * open: its answer will tell · returned: without telling; a proof may · lost: returned, and nothing can tell any more · ended: proven.
 *
 * open -> returned | ended; returned -> lost | ended; lost -> ended.
 */
export type Fate = 'open' | 'returned' | 'lost' | 'ended';

/** answer: it was answered, or never began · count: all that can have got there have ended · restart: it ended with the process. */
export type Proof = 'answer' | 'count' | 'restart';

export interface Claim {
  readonly sentUs: Micros;
  /** Which boot of the server the witness spoke for when it was sent. */
  readonly boot: number;
  fate: Fate;
  provenBy: Proof | undefined;
  /** A report asked for after it was sent was answered in this epoch: when the count falls after that, the call was where it fell from. */
  seen: boolean;
  /** The same, by a count that no new process can have reached: it was in the process of its boot, or in one before. */
  seenInBoot: boolean;
  /** It was sent on a connection over which the witness had been confirmed: known only when it returns. */
  witnessed: boolean;
  /** It is one of those that can still be counted in this epoch, or were. */
  countable: boolean;
}

export function openClaim(sentUs: Micros, boot: number): Claim {
  return { sentUs, boot, fate: 'open', provenBy: undefined, seen: false, seenInBoot: false, witnessed: false, countable: false };
}
