/** When the next frame of one stream is expected (rules.md 8). */
import type { Contract } from './configuration.js';
import { earlier, type Micros, minus, NEVER, plus } from './units.js';

/** Without a period nothing is ever expected. */
export class Forecast {
  readonly #contract: Contract;
  #newestCapture: Micros | undefined;
  #expectedUs = NEVER;
  #givenUpAfterUs = NEVER;

  constructor(contract: Contract) {
    this.#contract = contract;
  }

  /** A frame came. One that is not newer than those before tells nothing about the next. */
  observe(capture: Micros, arrival: Micros): void {
    const { periodUs, deadlineUs } = this.#contract;
    if (periodUs === undefined || (this.#newestCapture !== undefined && capture <= this.#newestCapture)) return;
    this.#newestCapture = capture;
    const transportUs = minus(arrival, earlier(capture, arrival));
    this.#expectedUs = plus(arrival, periodUs);
    this.#givenUpAfterUs = plus(this.#expectedUs, earlier(transportUs, deadlineUs));
  }

  /**
   * Arrival of the next frame: in the past while it is overdue, NEVER once it is given up. A stream that stopped must not hold anything
   * up for long.
   */
  expectedUs(now: Micros): Micros {
    return now <= this.#givenUpAfterUs ? this.#expectedUs : NEVER;
  }

  /** The last instant at which the frame is still expected. */
  get givenUpAfterUs(): Micros {
    return this.#givenUpAfterUs;
  }
}
