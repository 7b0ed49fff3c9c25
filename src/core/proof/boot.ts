/** Which process of a server we speak with, told by a witness that does not outlive it (rules.md 11). */
import type { Micros } from '../units.js';
import { NEVER } from '../units.js';
import type { Claim } from './claim.js';

export class Boot {
  /** Boots noticed before this one. */
  number = 0;
  /** Newest question that found the witness of the last boot, this one or, while its own is not there yet, the one before. */
  confirmedUs = -NEVER as Micros;
  /** The witness of this boot was not there yet, or no one has looked. */
  #isNew = false;
  #missedUs = -NEVER as Micros;

  /** @returns whether a boot has ended: told once, until a witness is found again. */
  report(present: boolean, polledUs: Micros): boolean {
    if (polledUs < this.confirmedUs || polledUs < this.#missedUs) return false;
    if (present) {
      this.confirmedUs = polledUs;
      this.#isNew = false;
      return false;
    }
    if (this.#isNew) return false;
    this.#isNew = true;
    this.#missedUs = polledUs;
    this.number += 1;
    return true;
  }

  isOver(boot: number): boolean {
    return boot < this.number;
  }

  /** Of a call that has returned, to be asked when a boot has ended: whether it ended with that boot, or with one before. */
  hadBefore(claim: Claim): boolean {
    return this.isOver(claim.boot) && (claim.witnessed || this.wasConfirmedAfter(claim));
  }

  /** The process was still there after the call was sent: the call went to it, or to one before. */
  wasConfirmedAfter(claim: Claim): boolean {
    return claim.sentUs < this.confirmedUs;
  }
}
