/** The newest values of a quantity, in order of size too: percentiles of what happens now, in constant memory. */
export class NewestValues {
  readonly #ring: Float64Array;
  readonly #sorted: Float64Array;
  #count = 0;
  #next = 0;

  /** @param capacity values kept. */
  constructor(capacity: number) {
    this.#ring = new Float64Array(capacity);
    this.#sorted = new Float64Array(capacity);
  }

  /** Values there are. */
  get count(): number {
    return this.#count;
  }

  /** The newest value; the oldest one goes where there is no more room. */
  push(value: number): void {
    const sorted = this.#sorted;
    const capacity = sorted.length;
    // The place to fill moves to where the new value belongs, one neighbour at a time.
    let at = this.#count === capacity ? sorted.indexOf(this.#ring[this.#next] as number) : this.#count++;
    for (; at > 0 && (sorted[at - 1] as number) > value; at -= 1) sorted[at] = sorted[at - 1] as number;
    for (; at < this.#count - 1 && (sorted[at + 1] as number) < value; at += 1) sorted[at] = sorted[at + 1] as number;
    sorted[at] = value;
    this.#ring[this.#next] = value;
    this.#next = (this.#next + 1) % capacity;
  }

  /** Nearest rank; undefined before the first value. @param percent 0 … 100 */
  percentile(percent: number): number | undefined {
    return this.#count === 0 ? undefined : this.#sorted[Math.max(Math.ceil((this.#count * percent) / 100) - 1, 0)];
  }

  /** Oldest first. */
  get values(): number[] {
    const oldest = this.#count === this.#ring.length ? this.#next : 0;
    return Array.from({ length: this.#count }, (_, i) => this.#ring[(oldest + i) % this.#ring.length] as number);
  }
}
