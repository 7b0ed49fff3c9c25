/** Watches a weakly-hard promise: so many missed cycles of so many, and so many in a row (rules.md 13). It counts; it enforces nothing. */

export interface MissBudget {
  /** Missed cycles at most in any window. */
  readonly maxMisses: number;
  /** Cycles of a window, at most MAX_WINDOW_CYCLES. */
  readonly windowCycles: number;
  /** Missed cycles at most in a row. */
  readonly maxConsecutive: number;
  /** Whether the stream goes first in its class while it must not miss the cycle that runs (rules.md 7); absent: no. */
  readonly mandatoryCycles?: boolean;
}

export const MAX_WINDOW_CYCLES = 1024;

export class MissMonitor {
  readonly #budget: MissBudget;
  /** The newest cycles, 1 = missed. */
  readonly #ring: Uint8Array;
  #next = 0;
  #misses = 0;
  #inRow = 0;
  /** Cycles since a row that was too long; the promise stays broken while that lies in the window. */
  #sinceLongRow = Number.POSITIVE_INFINITY;

  constructor(budget: MissBudget) {
    this.#budget = budget;
    this.#ring = new Uint8Array(budget.windowCycles);
  }

  /** Missed cycles in the window. */
  get misses(): number {
    return this.#misses;
  }

  /** Cycles missed one after the other until now. */
  get inRow(): number {
    return this.#inRow;
  }

  get violated(): boolean {
    return this.#misses > this.#budget.maxMisses || this.#sinceLongRow < this.#budget.windowCycles;
  }

  /** Whether one more missed cycle would be one too many, of the window or in a row. */
  get exhausted(): boolean {
    const leaves = this.#ring[this.#next] as number;
    return this.#misses - leaves >= this.#budget.maxMisses || this.#inRow >= this.#budget.maxConsecutive;
  }

  /** Cycles that ended all the same way. @returns whether the promise broke with one of them. */
  add(cycles: number, missed: boolean): boolean {
    let broke = false;
    // What is a whole window back no longer matters.
    for (let left = Math.min(cycles, 2 * this.#ring.length); left > 0; left -= 1) {
      const before = this.violated;
      this.#push(missed);
      if (!before && this.violated) broke = true;
    }
    return broke;
  }

  #push(missed: boolean): void {
    this.#misses += (missed ? 1 : 0) - (this.#ring[this.#next] as number);
    this.#ring[this.#next] = missed ? 1 : 0;
    this.#next = (this.#next + 1) % this.#ring.length;
    this.#inRow = missed ? this.#inRow + 1 : 0;
    this.#sinceLongRow = this.#inRow > this.#budget.maxConsecutive ? 0 : this.#sinceLongRow + 1;
  }
}
