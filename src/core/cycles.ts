/** The cycles of a consumer: regular instants at which it takes the newest result it has (rules.md 13). */
import { type Micros, micros } from './units.js';

export interface CycleTerms {
  readonly periodUs: Micros;
  /** The instants are whole multiples of the period plus this; without it the first arrival is one. */
  readonly phaseUs?: Micros;
}

export class Cycles {
  readonly periodUs: Micros;
  #originUs: Micros | undefined;

  constructor({ periodUs, phaseUs }: CycleTerms) {
    this.periodUs = periodUs;
    this.#originUs = phaseUs;
  }

  /** Whether it is known when they are. */
  get known(): boolean {
    return this.#originUs !== undefined;
  }

  /** The first arrival. */
  anchor(now: Micros): void {
    this.#originUs ??= now;
  }

  /** The newest of the instants that is not after `at`. */
  before(at: Micros): Micros {
    const originUs = this.#originUs ?? at;
    return micros(originUs + Math.floor((at - originUs) / this.periodUs) * this.periodUs);
  }

  /** The first of the instants that is not before `at`. */
  after(at: Micros): Micros {
    const originUs = this.#originUs ?? at;
    return micros(originUs + Math.ceil((at - originUs) / this.periodUs) * this.periodUs);
  }
}
