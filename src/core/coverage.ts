/** Whether a consumer had, at the end of each of its cycles, a result that was fresh then (rules.md 13, 14). */
import { Cycles, type CycleTerms } from './cycles.js';
import { later, type Micros, minus, NEVER, plus } from './units.js';

export interface CoverageTerms extends CycleTerms {
  readonly maxAgeUs: Micros;
  /** A result counts for one cycle only: the one it came in. */
  readonly requireNew?: boolean;
}

/** Told of cycles that ended one after the other: first the covered ones, then the missed ones. */
export type CycleSink = (covered: number, missed: number) => void;

/**
 * Cycles are those of the contract, whatever arrives or is delivered: a stream that fell silent goes on missing. Each is judged at its
 * own end, by what had been delivered until then: covered when its end is at most max age after the newest capture. Constant memory.
 */
export class Coverage {
  readonly #terms: CoverageTerms;
  readonly #cycles: Cycles;
  readonly #sink: CycleSink;
  /** End of the last cycle that was judged, or the beginning of the first; undefined while none runs. */
  #judgedUs: Micros | undefined;
  #newestCapture: Micros | undefined;
  /** Something newer came since #judgedUs. */
  #renewed = false;

  constructor(terms: CoverageTerms, sink: CycleSink) {
    this.#terms = terms;
    this.#cycles = new Cycles(terms);
    this.#sink = sink;
  }

  /** Cycles count from here on: from the one that holds this instant. */
  start(now: Micros): void {
    this.#cycles.anchor(now);
    this.#judgedUs ??= this.#cycles.before(now);
  }

  /** Cycles that have not ended no longer count. */
  stop(now: Micros): void {
    this.judge(now, false);
    this.#judgedUs = undefined;
  }

  delivered(capture: Micros, now: Micros): void {
    this.judge(now, false);
    if (this.#newestCapture !== undefined && capture <= this.#newestCapture) return;
    this.#newestCapture = capture;
    this.#renewed = true;
  }

  /**
   * Judges the cycles that have ended.
   * @param inclusive whether everything that was delivered at `now` itself has been told, so that a cycle that ends now can be judged.
   */
  judge(now: Micros, inclusive: boolean): void {
    if (this.#judgedUs === undefined) return;
    const { periodUs } = this.#cycles;
    const lastEndUs = inclusive ? this.#cycles.before(now) : minus(this.#cycles.after(now), periodUs);
    const ended = minus(lastEndUs, this.#judgedUs) / periodUs;
    if (ended <= 0) return;
    const covered = Math.min(ended, this.#coverable(this.#judgedUs));
    this.#judgedUs = lastEndUs;
    this.#renewed = false;
    this.#sink(covered, ended - covered);
  }

  /** The end of the cycle that runs; NEVER while none does. */
  get nextEndUs(): Micros {
    return this.#judgedUs === undefined ? NEVER : plus(this.#judgedUs, this.#cycles.periodUs);
  }

  /** Whether the cycle that runs ends missed unless something newer comes. */
  get open(): boolean {
    return this.#judgedUs !== undefined && this.#coverable(this.#judgedUs) === 0;
  }

  /** How many cycles after this end the newest result covers. */
  #coverable(judgedUs: Micros): number {
    if (this.#newestCapture === undefined) return 0;
    const freshUntilUs = plus(this.#newestCapture, this.#terms.maxAgeUs);
    const reached = Math.floor(minus(later(freshUntilUs, judgedUs), judgedUs) / this.#cycles.periodUs);
    return this.#terms.requireNew === true ? Math.min(reached, this.#renewed ? 1 : 0) : reached;
  }
}
