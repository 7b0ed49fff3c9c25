/** The newest runtimes at one occupancy, in order of length too (rules.md 4). */

/** Observations kept. */
const LENGTH = 64;
/** Observations before they count. */
const USED_FROM = 16;

export class RuntimeWindow {
  readonly #ring = new Float64Array(LENGTH);
  readonly #sorted = new Float64Array(LENGTH);
  #count = 0;
  #next = 0;
  /** Learned with these runtimes, and forgotten with them. */
  marginPercent: number;

  constructor(marginPercent: number) {
    this.marginPercent = marginPercent;
  }

  push(runtimeUs: number): void {
    const full = this.#count === LENGTH;
    // The place to fill moves to where the new value belongs, one neighbour at a time.
    let at = full ? this.#sorted.indexOf(this.#ring[this.#next] as number) : this.#count++;
    const sorted = this.#sorted;
    for (; at > 0 && (sorted[at - 1] as number) > runtimeUs; at -= 1) sorted[at] = sorted[at - 1] as number;
    for (; at < this.#count - 1 && (sorted[at + 1] as number) < runtimeUs; at += 1) sorted[at] = sorted[at + 1] as number;
    sorted[at] = runtimeUs;
    this.#ring[this.#next] = runtimeUs;
    this.#next = (this.#next + 1) % LENGTH;
  }

  /** Oldest first. */
  get runtimesUs(): number[] {
    const oldest = this.#count === LENGTH ? this.#next : 0;
    return Array.from({ length: this.#count }, (_, i) => this.#ring[(oldest + i) % LENGTH] as number);
  }

  get measured(): boolean {
    return this.#count >= USED_FROM;
  }

  /** Nearest rank. */
  get medianUs(): number {
    return this.#sorted[(this.#count - 1) >> 1] as number;
  }

  /** Nearest rank. */
  get p95Us(): number {
    return this.#sorted[Math.ceil(this.#count * 0.95) - 1] as number;
  }
}
