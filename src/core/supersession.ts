/** Gate A: which frame of a `latest` stream is the newest (rules.md 3). */
import type { CauseOf } from './catalogue.js';
import type { Arrival } from './events.js';
import type { Micros } from './units.js';

export class Supersession {
  #previousStampNs: bigint | undefined;
  /** Of the newest frame accepted, whether it waits, runs or has ended. */
  #newestCapture: Micros | undefined;

  /**
   * Why a frame is not the newest, if it is not. A repeated frame is known by its raw stamp: two readings of the clocks place one stamp
   * at two captures.
   */
  judge(arrival: Arrival): CauseOf<'superseded'> | undefined {
    const duplicate = arrival.stampNs === this.#previousStampNs;
    this.#previousStampNs = arrival.stampNs;
    if (duplicate) return 'duplicate_stamp';
    if (this.#newestCapture !== undefined && arrival.capture <= this.#newestCapture) return 'out_of_order';
    return undefined;
  }

  /** Whether a newer frame has come. */
  isOvertaken(capture: Micros): boolean {
    return this.#newestCapture !== undefined && capture < this.#newestCapture;
  }

  /** Any frame may be the newest from now on. */
  reset(): void {
    this.#previousStampNs = undefined;
    this.#newestCapture = undefined;
  }

  accept(capture: Micros): void {
    this.#newestCapture = capture;
  }
}
