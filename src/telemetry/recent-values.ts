/** The last values of a quantity, for percentiles of what happens now. Bounded. */
export class RecentValues {
  readonly #values: Float64Array;
  #count = 0;

  constructor(capacity: number) {
    this.#values = new Float64Array(capacity);
  }

  add(value: number): void {
    this.#values[this.#count % this.#values.length] = value;
    this.#count += 1;
  }

  /** Nearest-rank percentile; absent before the first value. @param share 0 … 1 */
  percentile(share: number): number | undefined {
    const filled = Math.min(this.#count, this.#values.length);
    const sorted = this.#values.slice(0, filled).sort();
    return sorted[Math.max(Math.ceil(share * filled) - 1, 0)];
  }
}
