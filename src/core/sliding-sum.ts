/** Sums over the newest stretch of time, in constant memory: the stretch is cut into buckets, and a bucket leaves as a whole. */
import { type Micros, micros, NEVER } from './units.js';

export class SlidingSum {
  readonly #bucketUs: number;
  readonly #buckets: Float64Array;
  #total = 0;
  /** The first bucket begins when it is first asked: an instant of the clock would make sums depend on where the clock began. */
  #originUs: Micros | undefined;
  /** Number of the newest bucket. */
  #newest = 0;

  constructor(windowUs: Micros, buckets: number) {
    this.#bucketUs = Math.max(1, Math.ceil(windowUs / buckets));
    this.#buckets = new Float64Array(buckets);
  }

  add(value: number, now: Micros): void {
    this.#advance(now);
    const slot = this.#slot(this.#newest);
    this.#buckets[slot] = (this.#buckets[slot] as number) + value;
    this.#total += value;
  }

  total(now: Micros): number {
    this.#advance(now);
    return this.#total;
  }

  /** When the oldest value leaves; NEVER when there is none. */
  nextExpiryUs(now: Micros): Micros {
    this.#advance(now);
    if (this.#total === 0) return NEVER;
    const { length } = this.#buckets;
    for (let number = this.#newest - length + 1; number <= this.#newest; number += 1) {
      if (this.#buckets[this.#slot(number)] !== 0) return micros((this.#originUs ?? now) + (number + length) * this.#bucketUs);
    }
    return NEVER;
  }

  clear(): void {
    this.#buckets.fill(0);
    this.#total = 0;
  }

  #advance(now: Micros): void {
    this.#originUs ??= now;
    const number = Math.floor((now - this.#originUs) / this.#bucketUs);
    if (number === this.#newest) return;
    const { length } = this.#buckets;
    if (number - this.#newest >= length) this.clear();
    else {
      for (let passed = this.#newest + 1; passed <= number; passed += 1) {
        const slot = this.#slot(passed);
        this.#total -= this.#buckets[slot] as number;
        this.#buckets[slot] = 0;
      }
    }
    this.#newest = number;
  }

  #slot(number: number): number {
    const { length } = this.#buckets;
    return ((number % length) + length) % length;
  }
}
