/** Which variant a stream runs on, so that it does not flap between two (rules.md 9). */
import type { Variant } from './model-state.js';
import { type Micros, plus } from './units.js';

export class VariantDwell {
  #dwellUs: Micros;
  #held: Variant | undefined;
  #dwellsUntilUs = 0 as Micros;

  constructor(dwellUs: Micros) {
    this.#dwellUs = dwellUs;
  }

  /** Counts from the next change of variant on. */
  adopt(dwellUs: Micros): void {
    this.#dwellUs = dwellUs;
  }

  /** From when on a better variant is free to come. */
  get endsUs(): Micros {
    return this.#dwellsUntilUs;
  }

  /** The variant that is still to be kept when `better` is wanted; undefined when that is free to come. */
  keeps(better: Variant, now: Micros): Variant | undefined {
    const held = this.#held;
    return held !== undefined && better.quality > held.quality && now < this.#dwellsUntilUs ? held : undefined;
  }

  /** Only a real dispatch counts. */
  started(variant: Variant, now: Micros): void {
    if (variant === this.#held) return;
    this.#held = variant;
    this.#dwellsUntilUs = plus(now, this.#dwellUs);
  }
}
