/** What became of the messages of one stream. Instants in nanoseconds from the start of the bag. */
import type { Cause, State } from '../core/catalogue.js';
import type { Contract } from '../core/configuration.js';
import { type Micros, micros } from '../core/units.js';
import type { OutcomeRecord, ResultRecord } from '../governor/ports.js';
import {
  ageOfInformation,
  consumerUncovered,
  type Delivery,
  longestGapNs,
  milliseconds,
  percentile,
  phaseFreeUncovered,
  windowUncovered,
} from '../simulator/measures.js';
import { noOutcomes } from '../telemetry/outcome-counts.js';
import type { StreamReport } from './report.js';

const NS_PER_US = 1000;

export interface StreamTerms {
  readonly contract: Contract;
  readonly variants: readonly string[];
  /** Core time of the start of the bag. */
  readonly originUs: Micros;
}

export class StreamRecord {
  readonly outcomes: Record<State, number> = noOutcomes();
  readonly causes = new Map<Cause, number>();
  /** What its executions took. */
  computeNs = 0;
  readonly #terms: StreamTerms;
  /** When results came, and of what captures; as columns, there can be millions. */
  readonly #deliveredNs: number[] = [];
  readonly #capturesNs: number[] = [];
  readonly #byVariant: Map<string, number>;
  #received = 0;
  #firstNs: number | undefined;
  #lastNs: number | undefined;
  #youngestUs: number | undefined;
  #oldestUs: number | undefined;
  #deadlineMisses = 0;

  constructor(terms: StreamTerms) {
    this.#terms = terms;
    this.#byVariant = new Map(terms.variants.map((variant) => [variant, 0]));
  }

  /** Messages so far. */
  get received(): number {
    return this.#received;
  }

  /** When the last message came. */
  get lastNs(): number | undefined {
    return this.#lastNs;
  }

  arrived(ageUs: number | undefined, nowNs: number): void {
    this.#received += 1;
    this.#firstNs ??= nowNs;
    this.#lastNs = nowNs;
    if (ageUs === undefined) return;
    this.#youngestUs = Math.min(this.#youngestUs ?? ageUs, ageUs);
    this.#oldestUs = Math.max(this.#oldestUs ?? ageUs, ageUs);
  }

  delivered({ ageUs, obsolete, deadlineMissed, variant }: ResultRecord, nowNs: number): void {
    this.#deliveredNs.push(nowNs);
    this.#capturesNs.push(nowNs - ageUs * NS_PER_US);
    if (deadlineMissed) this.#deadlineMisses += 1;
    if (!obsolete) this.#byVariant.set(variant, (this.#byVariant.get(variant) ?? 0) + 1);
  }

  ended({ state, cause }: OutcomeRecord): void {
    this.outcomes[state] += 1;
    this.causes.set(cause, (this.causes.get(cause) ?? 0) + 1);
  }

  /** Over the time from its first message to the end of the bag; nothing is told of a time in which nothing could be missing. */
  report(endNs: number): StreamReport {
    const { contract } = this.#terms;
    const startNs = this.#firstNs ?? endNs;
    const runNs = endNs - startNs;
    const deliveries = this.#deliveredNs.map((atNs, index) => ({
      atNs: atNs - startNs,
      captureNs: (this.#capturesNs[index] ?? 0) - startNs,
    }));
    const maxAgeNs = contract.maxAgeUs * NS_PER_US;
    const ages = Float64Array.from(deliveries, ({ atNs, captureNs }) => atNs - captureNs).sort();
    const age = runNs === 0 ? undefined : ageOfInformation(deliveries, runNs);
    const period = contract.periodUs === undefined ? undefined : { runNs, maxAgeNs, periodNs: contract.periodUs * NS_PER_US };
    return {
      received: this.#received,
      outcomes: { ...this.outcomes },
      causes: Object.fromEntries([...this.causes].sort(([a], [b]) => (a < b ? -1 : 1))),
      delivered_by_variant: Object.fromEntries(this.#byVariant),
      window_uncovered_permille: period === undefined || runNs < period.periodNs ? null : windowUncovered(deliveries, period),
      consumer_uncovered_permille: this.#consumerUncovered(deliveries, startNs, runNs),
      phase_free_uncovered_permille: period === undefined || runNs === 0 ? null : phaseFreeUncovered(deliveries, period),
      longest_gap_ms: runNs === 0 ? null : milliseconds(longestGapNs(deliveries, { runNs, maxAgeNs, periodNs: 0 })),
      arrival_age_ms: { min: inMs(this.#youngestUs), max: inMs(this.#oldestUs) },
      age_mean_ms: age === undefined ? null : milliseconds(age.meanNs),
      age_peak_ms: age === undefined ? null : milliseconds(age.peakNs),
      response_age_ms: { p50: ageAt(ages, 50), p95: ageAt(ages, 95), p99: ageAt(ages, 99) },
      deadline_misses: this.#deadlineMisses,
      compute_ms: milliseconds(this.computeNs),
    };
  }

  #consumerUncovered(deliveries: readonly Delivery[], startNs: number, runNs: number): number | null {
    const { periodUs, consumerPeriodUs, phaseUs, maxAgeUs } = this.#terms.contract;
    const cycleUs = consumerPeriodUs ?? periodUs;
    if (cycleUs === undefined) return null;
    const consumerPeriodNs = cycleUs * NS_PER_US;
    // Without a phase the first message begins a cycle, as for the live node.
    const sincePhaseNs = phaseUs === undefined ? 0 : startNs - micros(phaseUs - this.#terms.originUs) * NS_PER_US;
    const consumerPhaseNs =
      (consumerPeriodNs - (((sincePhaseNs % consumerPeriodNs) + consumerPeriodNs) % consumerPeriodNs)) % consumerPeriodNs;
    if (runNs - consumerPhaseNs < consumerPeriodNs) return null;
    return consumerUncovered(deliveries, { runNs, maxAgeNs: maxAgeUs * NS_PER_US, consumerPeriodNs, consumerPhaseNs });
  }
}

function ageAt(sorted: Float64Array, percent: number): number | null {
  const ageNs = percentile(sorted, percent);
  return ageNs === undefined ? null : milliseconds(ageNs);
}

function inMs(us: number | undefined): number | null {
  return us === undefined ? null : us / 1000;
}
