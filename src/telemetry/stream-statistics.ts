import type { Contract } from '../core/configuration.js';
import { NewestValues } from '../core/newest-values.js';
import { type Micros, micros } from '../core/units.js';
import type { OutcomeRecord, ResultRecord } from '../governor/ports.js';
import { FreshnessMonitor, freshnessTerms } from './freshness-monitor.js';
import { noOutcomes } from './outcome-counts.js';
import type { StreamStatus } from './status.js';

/** Results whose ages make the percentiles: about ten seconds of a camera. */
const RECENT_RESULTS = 256;

/** What one stream received and what became of it. */
export class StreamStatistics {
  #freshness: FreshnessMonitor;
  readonly #resultAges = new NewestValues(RECENT_RESULTS);
  readonly #outcomes = noOutcomes();
  #received = 0;
  #lost = 0;
  #ageLastUs: number | undefined;
  #ageMinUs: number | undefined;
  #captureLast: StreamStatus['captureLast'];

  constructor(contract: Contract) {
    this.#freshness = new FreshnessMonitor(freshnessTerms(contract));
  }

  /** Another contract: coverage and gaps count anew from the next message. */
  adopt(contract: Contract): void {
    this.#freshness = new FreshnessMonitor(freshnessTerms(contract));
  }

  received(ageUs: number | undefined, now: Micros): void {
    this.#received += 1;
    this.#freshness.arrived(now);
    if (ageUs === undefined) return;
    this.#ageLastUs = ageUs;
    this.#ageMinUs = Math.min(this.#ageMinUs ?? ageUs, ageUs);
  }

  /** The clock that ages are read by jumped: what was seen before says nothing of it. */
  startOver(): void {
    this.#ageLastUs = undefined;
    this.#ageMinUs = undefined;
  }

  lost(messages: number): void {
    this.#lost += messages;
  }

  result(record: ResultRecord, now: Micros): void {
    this.#resultAges.push(record.ageUs);
    this.#captureLast = record.header.stamp;
    this.#freshness.delivered(micros(now - record.ageUs), now);
  }

  outcome(record: OutcomeRecord): void {
    this.#outcomes[record.state] += 1;
  }

  snapshot(now: Micros): Omit<StreamStatus, 'stream' | 'waiting' | 'inFlight' | 'profile' | 'weaklyHardMisses' | 'weaklyHardViolated'> {
    return {
      received: this.#received,
      lostBeforeNode: this.#lost,
      outcomes: { ...this.#outcomes },
      captureLast: this.#captureLast,
      ageLastUs: this.#ageLastUs,
      ageMinUs: this.#ageMinUs,
      ageP50Us: this.#resultAges.percentile(50),
      ageP95Us: this.#resultAges.percentile(95),
      consumerCoveragePermille: this.#freshness.coveragePermille(now),
      longestGapUs: this.#freshness.longestGapUs(now),
    };
  }
}
