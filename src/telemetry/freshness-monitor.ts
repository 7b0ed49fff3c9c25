import type { Contract } from '../core/configuration.js';
import { coverageTerms } from '../core/consumer.js';
import { Coverage, type CoverageTerms } from '../core/coverage.js';
import { type Micros, micros } from '../core/units.js';

export interface FreshnessTerms {
  readonly maxAgeUs: Micros;
  /** Without it there are no cycles to cover. */
  readonly cycles?: CoverageTerms;
}

export function freshnessTerms(contract: Contract): FreshnessTerms {
  const cycles = coverageTerms(contract);
  return { maxAgeUs: contract.maxAgeUs, ...(cycles === undefined ? {} : { cycles }) };
}

/**
 * What the consumer of one stream had: the share of its cycles that were covered, and the longest time not covered by
 * [delivery, capture + max_age] (rules.md 14). Constant memory; instants may be reported late but in order.
 */
export class FreshnessMonitor {
  readonly #maxAgeUs: Micros;
  readonly #coverage: Coverage | undefined;
  #judged = 0;
  #covered = 0;
  /** End of the time for which the newest delivered capture is fresh; the first arrival before there is one. */
  #freshUntil: Micros | undefined;
  #longestGapUs = 0;

  constructor({ maxAgeUs, cycles }: FreshnessTerms) {
    this.#maxAgeUs = maxAgeUs;
    if (cycles === undefined) return;
    this.#coverage = new Coverage(cycles, (covered, missed) => {
      this.#covered += covered;
      this.#judged += covered + missed;
    });
  }

  arrived(now: Micros): void {
    this.#coverage?.start(now);
    this.#freshUntil ??= now;
  }

  /** A result came; a stale one closes no gap and covers no cycle. */
  delivered(capture: Micros, now: Micros): void {
    this.#coverage?.delivered(capture, now);
    const until = micros(capture + this.#maxAgeUs);
    if (until < now || this.#freshUntil === undefined) return;
    this.#longestGapUs = Math.max(this.#longestGapUs, now - this.#freshUntil);
    if (until > this.#freshUntil) this.#freshUntil = until;
  }

  /** Share of the cycles that have ended, 0 … 1000; absent before the first has ended or without cycles. */
  coveragePermille(now: Micros): number | undefined {
    this.#coverage?.judge(now, false);
    return this.#judged === 0 ? undefined : Math.floor((1000 * this.#covered) / this.#judged);
  }

  /** The gap that is still open counts. */
  longestGapUs(now: Micros): number | undefined {
    return this.#freshUntil === undefined ? undefined : Math.max(this.#longestGapUs, now - this.#freshUntil);
  }
}
