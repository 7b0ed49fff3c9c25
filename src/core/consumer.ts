/** The consumer of one stream: until when a result is of use to it, and whether it got what the contract promises (rules.md 13). */
import type { Violation } from './actions.js';
import type { Contract } from './configuration.js';
import { Coverage, type CoverageTerms } from './coverage.js';
import { Cycles } from './cycles.js';
import { MissMonitor } from './miss-budget.js';
import { type Micros, micros, minus, NEVER, plus } from './units.js';

const ONE = micros(1);

export class Consumer {
  readonly #maxAgeUs: Micros;
  readonly #version: number | undefined;
  /** Where age counts to the consumer's next cycle. */
  readonly #boundary: Cycles | undefined;
  /** Its own, where that is declared: its cycles count from the start of serving, not from the first arrival. */
  readonly #clock: Cycles | undefined;
  readonly #coverage: Coverage | undefined;
  readonly #monitor: MissMonitor | undefined;
  readonly #mandatory: boolean;
  #broke = false;

  constructor(contract: Contract) {
    const { maxAgeUs, consumerPeriodUs, missBudget } = contract;
    this.#maxAgeUs = maxAgeUs;
    this.#version = contract.version;
    this.#mandatory = missBudget?.mandatoryCycles === true;
    const terms = coverageTerms(contract);
    if (terms !== undefined && contract.phaseUs !== undefined) this.#clock = new Cycles(terms);
    if (terms === undefined || consumerPeriodUs === undefined) return;
    if (contract.deliveryBoundary === 'consumer') this.#boundary = new Cycles(terms);
    if (missBudget === undefined) return;
    const monitor = new MissMonitor(missBudget);
    this.#monitor = monitor;
    this.#coverage = new Coverage(terms, (covered, missed) => {
      monitor.add(covered, false);
      if (monitor.add(missed, true)) this.#broke = true;
    });
  }

  /** The node serves from now on. */
  serve(now: Micros): void {
    if (this.#clock !== undefined) this.#coverage?.start(now);
  }

  /** Nothing is promised while the node does not serve. */
  pause(now: Micros): void {
    this.#coverage?.stop(now);
  }

  arrived(now: Micros): void {
    this.#boundary?.anchor(now);
    this.#coverage?.start(now);
  }

  delivered(capture: Micros, now: Micros): void {
    this.#coverage?.delivered(capture, now);
  }

  /** The last instant at which a result of this capture is fresh. */
  usableUntilUs(capture: Micros): Micros {
    const untilUs = plus(capture, this.#maxAgeUs);
    return this.#boundary === undefined ? untilUs : this.#boundary.before(untilUs);
  }

  /**
   * By when the next result has to come after one of this capture: the first cycle of its own clock that it is too old for; without a
   * clock, which may look at any time, when it gets too old.
   */
  suppliedUntilUs(capture: Micros): Micros {
    const untilUs = this.usableUntilUs(capture);
    return this.#clock === undefined ? untilUs : this.#clock.after(plus(untilUs, ONE));
  }

  /** Captures before this one are too old for a result that comes at `endUs`. */
  oldestUsable(endUs: Micros): Micros {
    return minus(this.#boundary === undefined ? endUs : this.#boundary.after(endUs), this.#maxAgeUs);
  }

  /** Whether it has a miss budget. */
  get watched(): boolean {
    return this.#monitor !== undefined;
  }

  /** Missed cycles in the window of the budget; undefined without one. */
  get misses(): number | undefined {
    return this.#monitor?.misses;
  }

  get violated(): boolean {
    return this.#monitor?.violated === true;
  }

  /** The cycle that runs must not be missed, and will be without a new result; never where the contract does not ask for it (rules.md 7). */
  get mustDeliver(): boolean {
    return this.#mandatory && this.#monitor?.exhausted === true && this.#coverage?.open === true;
  }

  /** When the cycle that runs ends; NEVER where none is watched. */
  get nextCycleEndUs(): Micros {
    return this.#coverage?.nextEndUs ?? NEVER;
  }

  /**
   * Judges the cycles that have ended.
   * @param inclusive whether a cycle that ends at `now` can be judged: nothing more will be delivered then.
   * @returns the violation, where the promise broke since the last call.
   */
  judge(stream: string, now: Micros, inclusive: boolean): Violation | undefined {
    this.#coverage?.judge(now, inclusive);
    if (!this.#broke || this.#monitor === undefined) return undefined;
    this.#broke = false;
    const { misses, inRow } = this.#monitor;
    const version = this.#version === undefined ? {} : { contractVersion: this.#version };
    return { type: 'violation', stream, why: { misses, inRow, ...version } };
  }
}

/** The cycles a contract counts by: the consumer's, else the stream's own; undefined where it has neither. */
export function coverageTerms(contract: Contract): CoverageTerms | undefined {
  const periodUs = contract.consumerPeriodUs ?? contract.periodUs;
  if (periodUs === undefined) return undefined;
  return {
    periodUs,
    maxAgeUs: contract.maxAgeUs,
    ...(contract.phaseUs === undefined ? {} : { phaseUs: contract.phaseUs }),
    requireNew: contract.requireNewSampleEachCycle === true,
  };
}
