/** When the next frame of one stream is expected (rules.md 8). */
import type { Contract } from './configuration.js';
import { earlier, later, type Micros, minus, NEVER, plus } from './units.js';

/** Without a period nothing is ever expected. */
export class Forecast {
  #contract: Contract;
  #newestCapture: Micros | undefined;
  #expectedUs = NEVER;
  #givenUpAfterUs = NEVER;
  #transportUs = 0 as Micros;

  constructor(contract: Contract) {
    this.#contract = contract;
  }

  /** Another contract is in force; a frame that is expected already stays expected when it was. */
  adopt(contract: Contract): void {
    this.#contract = contract;
    if (contract.periodUs === undefined) this.#expectedUs = NEVER;
  }

  /** Nothing is expected until the next frame came. */
  reset(): void {
    this.#newestCapture = undefined;
    this.#expectedUs = NEVER;
    this.#givenUpAfterUs = NEVER;
  }

  /** A frame came. One that is not newer than those before tells nothing about the next. */
  observe(capture: Micros, arrival: Micros): void {
    const { periodUs, deadlineUs, releaseJitterUs = 0 } = this.#contract;
    if (periodUs === undefined || (this.#newestCapture !== undefined && capture <= this.#newestCapture)) return;
    this.#newestCapture = capture;
    this.#transportUs = minus(arrival, earlier(capture, arrival));
    this.#expectedUs = plus(arrival, periodUs);
    // One jitter early and the next one late lie two apart.
    const lateUs = later(earlier(this.#transportUs, deadlineUs), (2 * releaseJitterUs) as Micros);
    this.#givenUpAfterUs = plus(this.#expectedUs, lateUs);
  }

  /**
   * Arrival of the next frame: in the past while it is overdue, NEVER once it is given up. A stream that stopped must not hold anything
   * up for long.
   */
  expectedUs(now: Micros): Micros {
    return now <= this.#givenUpAfterUs ? this.#expectedUs : NEVER;
  }

  /** What was late by the way will be late again: the deadline, counted from capture, of a frame that arrives then and runs so long. */
  deadlineOf(arrival: Micros, runtimeUs: Micros): Micros {
    return plus(arrival, later(minus(this.#contract.deadlineUs, this.#transportUs), runtimeUs));
  }

  /** One period after the newest frame, whether or not that is over. */
  get nextUs(): Micros {
    return this.#expectedUs;
  }

  /** From capture to arrival, of the newest frame. */
  get transportUs(): Micros {
    return this.#transportUs;
  }

  /** The last instant at which the frame is still expected. */
  get givenUpAfterUs(): Micros {
    return this.#givenUpAfterUs;
  }
}
