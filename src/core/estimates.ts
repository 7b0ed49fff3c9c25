/** How long a variant runs, from its profile and from what was seen (rules.md 4). */
import type { Micros } from './units.js';

/** Observations kept for each occupancy. */
const WINDOW = 64;
/** Observations before they count. */
const USED_FROM = 16;
/** Observations that refuse work are doubted when nothing has renewed them for so long: what they refuse can never prove them wrong. */
const DOUBTED_AFTER_US = 1_000_000;

/** The newest runtimes at one occupancy, with their median at hand. */
class RuntimeWindow {
  readonly #ring = new Float64Array(WINDOW);
  readonly #sorted = new Float64Array(WINDOW);
  #count = 0;
  #next = 0;

  push(runtimeUs: number): void {
    const full = this.#count === WINDOW;
    // The place to fill moves to where the new value belongs, one neighbour at a time.
    let at = full ? this.#sorted.indexOf(this.#ring[this.#next] as number) : this.#count++;
    const sorted = this.#sorted;
    for (; at > 0 && (sorted[at - 1] as number) > runtimeUs; at -= 1) sorted[at] = sorted[at - 1] as number;
    for (; at < this.#count - 1 && (sorted[at + 1] as number) < runtimeUs; at += 1) sorted[at] = sorted[at + 1] as number;
    sorted[at] = runtimeUs;
    this.#ring[this.#next] = runtimeUs;
    this.#next = (this.#next + 1) % WINDOW;
  }

  get measured(): boolean {
    return this.#count >= USED_FROM;
  }

  /** Nearest rank. */
  get medianUs(): number {
    return this.#sorted[(this.#count - 1) >> 1] as number;
  }
}

/** The runtime of one variant, by how many other calls were running when it started. */
export class RuntimeEstimate {
  readonly #profileP50Us: number;
  #windows: (RuntimeWindow | undefined)[] = [];
  #highestMeasured = -1;
  #newestUs = 0;
  #doubted = false;

  /** @param profileP50Us 0 where the variant has no profile. */
  constructor(profileP50Us: number) {
    this.#profileP50Us = profileP50Us;
  }

  /** An execution that ended well. Failures and time-outs must not come here: they say nothing about the runtime. */
  observe(occupancy: number, runtimeUs: Micros, now: Micros): void {
    if (this.#doubted) {
      this.#doubted = false;
      if (runtimeUs < this.optimisticUs(occupancy)) this.#forget();
    }
    const window = this.#windows[occupancy] ?? new RuntimeWindow();
    this.#windows[occupancy] = window;
    window.push(runtimeUs);
    this.#newestUs = now;
    if (window.measured && occupancy > this.#highestMeasured) this.#highestMeasured = occupancy;
  }

  /**
   * For discards: the larger of profile p50 and observed p50; 0 while nothing is known. An unmeasured occupancy takes the highest
   * measured one.
   */
  optimisticUs(occupancy: number): Micros {
    if (this.#highestMeasured < 0 || this.#doubted) return this.#profileP50Us as Micros;
    const own = this.#windows[occupancy];
    const window = own?.measured ? own : (this.#windows[this.#highestMeasured] as RuntimeWindow);
    return Math.max(this.#profileP50Us, window.medianUs) as Micros;
  }

  /** Whether anything is known: a profile, or enough observations. */
  get measured(): boolean {
    return this.#profileP50Us > 0 || this.#highestMeasured >= 0;
  }

  /**
   * Sets old observations aside until the next run, which confirms or refutes them: else a slow half second would shut a stream out for
   * ever. @returns whether the estimate changed.
   */
  doubt(now: Micros): boolean {
    if (this.#highestMeasured < 0 || this.#doubted || now - this.#newestUs < DOUBTED_AFTER_US) return false;
    this.#doubted = true;
    return true;
  }

  #forget(): void {
    this.#windows = [];
    this.#highestMeasured = -1;
  }
}
