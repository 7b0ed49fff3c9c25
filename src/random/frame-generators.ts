/** Draws that belong to a frame: the same whichever frames are drawn for, and in whatever order. */
import { highWord, lowWord, Pcg32 } from './pcg32.js';

const ROTATION = 17;
const WORD_SIZE = 32;

export class FrameGenerators {
  readonly #generator: Pcg32;
  readonly #seedHigh: number;
  readonly #seedLow: number;

  /** @param seed and number of 64 bits, as those of a generator */
  constructor(seed: bigint, number: bigint) {
    this.#generator = new Pcg32(seed, number);
    this.#seedHigh = highWord(seed);
    this.#seedLow = lowWord(seed);
  }

  /** @param frame its number, from 0 to below 2^47 @returns the generator of this frame at its start, until the next one is asked for */
  of(frame: number): Pcg32 {
    const number = frame + 1;
    const high = Math.floor(number / 2 ** (WORD_SIZE - ROTATION)) >>> 0;
    const low = (number * 2 ** ROTATION) >>> 0;
    this.#generator.restart((this.#seedHigh ^ high) >>> 0, (this.#seedLow ^ low) >>> 0);
    return this.#generator;
  }
}
