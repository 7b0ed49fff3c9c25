import { Pcg32 } from '../../src/random/pcg32.js';

/** Draws of one kind, from a seed: the same on every machine, whatever is drawn elsewhere. */
export class Dice {
  readonly #generator: Pcg32;

  /** @param kind separates what is drawn for different purposes */
  constructor(seed: number, kind: number) {
    this.#generator = new Pcg32(BigInt(seed), BigInt(kind));
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + this.#generator.below(high - low + 1);
  }

  /** True in so many of a hundred. */
  percent(chance: number): boolean {
    return this.#generator.below(100) < chance;
  }

  of<T>(choices: readonly [T, ...T[]] | readonly T[]): T {
    return choices[this.#generator.below(choices.length)] as T;
  }
}
