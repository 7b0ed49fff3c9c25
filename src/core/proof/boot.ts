/** Which process of a server we speak with, told by a witness that does not outlive it (rules.md 11). */
import type { Micros } from '../units.js';
import { NEVER } from '../units.js';
import type { Claim } from './claim.js';

export class Boot {
  /** Boots noticed before this one. */
  number = 0;
  /** Newest question that found a witness. */
  confirmedUs = -NEVER as Micros;
  /** The same, of the last boot that has ended. */
  #endedConfirmedUs = -NEVER as Micros;
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
    this.#endedConfirmedUs = this.confirmedUs;
    this.number += 1;
    return true;
  }

  /** The witness has been found: from then on it tells which restarts are the server's. */
  get isWatched(): boolean {
    return this.confirmedUs > -NEVER;
  }

  /**
   * Whether a call was in a process that has ended: it went over a connection to that process, or it had been sent when that process, or
   * one after it that has ended too, was known to be there.
   */
  had(claim: Claim): boolean {
    return claim.boot < this.number && (claim.witnessed || claim.seenInBoot || claim.sentUs < this.#endedConfirmedUs);
  }
}
