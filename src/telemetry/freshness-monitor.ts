import { type Micros, micros } from '../core/units.js';

export interface FreshnessTerms {
  /** Without it there are no cycles to cover. */
  readonly periodUs?: Micros;
  readonly maxAgeUs: Micros;
}

/**
 * What the consumer of one stream had: the share of periods at whose end its newest result was at most max_age old, and the longest
 * time not covered by [delivery, capture + max_age] (rules.md 14). Constant memory; instants may be reported late but in order.
 */
export class FreshnessMonitor {
  readonly #terms: FreshnessTerms;
  /** First arrival: cycles are anchored here, gaps start here. */
  #anchor: Micros | undefined;
  #judged = 0;
  #covered = 0;
  /** End of the time for which the newest delivered capture is fresh. */
  #freshUntil: Micros | undefined;
  #longestGapUs = 0;

  constructor(terms: FreshnessTerms) {
    this.#terms = terms;
  }

  arrived(now: Micros): void {
    this.#anchor ??= now;
    this.#freshUntil ??= now;
  }

  /** A result came; a stale one closes no gap and covers no cycle. */
  delivered(capture: Micros, now: Micros): void {
    this.#judge(now);
    const until = micros(capture + this.#terms.maxAgeUs);
    if (until < now || this.#freshUntil === undefined) return;
    this.#longestGapUs = Math.max(this.#longestGapUs, now - this.#freshUntil);
    if (until > this.#freshUntil) this.#freshUntil = until;
  }

  /** Share of the periods that have ended, 0 … 1000; absent before the first has ended or without a period. */
  coveragePermille(now: Micros): number | undefined {
    this.#judge(now);
    return this.#judged === 0 ? undefined : Math.floor((1000 * this.#covered) / this.#judged);
  }

  /** The gap that is still open counts. */
  longestGapUs(now: Micros): number | undefined {
    return this.#freshUntil === undefined ? undefined : Math.max(this.#longestGapUs, now - this.#freshUntil);
  }

  /** Judges the cycles that ended before `now` by what had been delivered until then. */
  #judge(now: Micros): void {
    const { periodUs } = this.#terms;
    if (periodUs === undefined || this.#anchor === undefined || this.#freshUntil === undefined) return;
    // A result that comes on the tick is in time for it, so a cycle is judged only after its end.
    const ended = Math.ceil((now - this.#anchor) / periodUs) - 1;
    const coverable = Math.floor((this.#freshUntil - this.#anchor) / periodUs);
    // Before the first delivery freshUntil is the anchor itself: cycle 0 ends one period later and is not covered.
    this.#covered += Math.max(Math.min(ended, coverable) - this.#judged, 0);
    this.#judged = Math.max(ended, this.#judged);
  }
}
