/** 6364136223846793005, as two words of 32 bits. Words instead of one bigint: a simulation draws tens of thousands of numbers a second. */
const MULTIPLIER_HIGH = 0x5851_f42d;
const MULTIPLIER_LOW = 0x4c95_7f2d;
const WORD = 32n;

/** PCG32 XSH-RR: a small generator with the same draws on every machine, from a seed and the number of a stream, of 64 bits each. */
export class Pcg32 {
  readonly #incrementHigh: number;
  readonly #incrementLow: number;
  #high = 0;
  #low = 0;

  constructor(seed: bigint, stream: bigint) {
    const increment = (stream << 1n) | 1n;
    this.#incrementHigh = highWord(increment);
    this.#incrementLow = lowWord(increment);
    this.restart(highWord(seed), lowWord(seed));
  }

  /** As it was made, with another seed: two words of 32 bits. */
  restart(seedHigh: number, seedLow: number): void {
    this.#high = 0;
    this.#low = 0;
    this.#step();
    this.#add(seedHigh, seedLow);
    this.#step();
  }

  /** 32 bits. */
  next(): number {
    const high = this.#high;
    const low = this.#low;
    this.#step();
    const mixedHigh = high ^ (high >>> 18);
    const mixedLow = low ^ ((low >>> 18) | (high << 14));
    const shifted = (mixedLow >>> 27) | (mixedHigh << 5);
    const rotation = high >>> 27;
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
    const high = this.#high;
    const low = this.#low;
    this.#low = Math.imul(low, MULTIPLIER_LOW) >>> 0;
    this.#high = (highWordOfProduct(low, MULTIPLIER_LOW) + Math.imul(high, MULTIPLIER_LOW) + Math.imul(low, MULTIPLIER_HIGH)) >>> 0;
    this.#add(this.#incrementHigh, this.#incrementLow);
  }

  #add(high: number, low: number): void {
    const sum = this.#low + low;
    this.#low = sum >>> 0;
    this.#high = (this.#high + high + (sum > 0xffff_ffff ? 1 : 0)) >>> 0;
  }
}

export function highWord(value: bigint): number {
  return lowWord(value >> WORD);
}

export function lowWord(value: bigint): number {
  return Number(value & 0xffff_ffffn);
}

/** By halves: their products are exact in a double. */
function highWordOfProduct(a: number, b: number): number {
  const aLow = a & 0xffff;
  const aHigh = a >>> 16;
  const bLow = b & 0xffff;
  const bHigh = b >>> 16;
  const middle = aLow * bHigh + aHigh * bLow + Math.floor((aLow * bLow) / 0x1_0000);
  return aHigh * bHigh + Math.floor(middle / 0x1_0000);
}
