const MULTIPLIER = 6_364_136_223_846_793_005n;
const MASK_64 = (1n << 64n) - 1n;

/** PCG32 XSH-RR: a small generator with the same draws on every machine, from a seed and the number of a stream. */
export class Pcg32 {
  readonly #increment: bigint;
  #state = 0n;

  constructor(seed: bigint, stream: bigint) {
    this.#increment = ((stream << 1n) | 1n) & MASK_64;
    this.#step();
    this.#state = (this.#state + seed) & MASK_64;
    this.#step();
  }

  /** 32 bits. */
  next(): number {
    const state = this.#state;
    this.#step();
    const shifted = Number((((state >> 18n) ^ state) >> 27n) & 0xffff_ffffn);
    const rotation = Number(state >> 59n);
    return ((shifted >>> rotation) | (shifted << (-rotation & 31))) >>> 0;
  }

  /** A whole number from 0 to below `bound`, which is at most 2^32; draws that would favour low values are repeated. */
  below(bound: number): number {
    const refused = 2 ** 32 % bound;
    let draw = this.next();
    while (draw < refused) draw = this.next();
    return draw % bound;
  }

  /** In [0, 1), 53 bits of two draws, the first one high. */
  uniform(): number {
    const high = this.next();
    const low = this.next();
    return (high * 2 ** 21 + (low >>> 11)) / 2 ** 53;
  }

  /** Standard normal, by the polar method; one value of each accepted pair is used. */
  normal(): number {
    for (;;) {
      const u = 2 * this.uniform() - 1;
      const v = 2 * this.uniform() - 1;
      const s = u * u + v * v;
      if (s > 0 && s < 1) return u * Math.sqrt((-2 * Math.log(s)) / s);
    }
  }

  #step(): void {
    this.#state = (this.#state * MULTIPLIER + this.#increment) & MASK_64;
  }
}
