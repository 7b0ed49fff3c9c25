/** What a replay amounts to. Field names are those of `--json`; where the simulator measures the same, it has the same name. */
import type { Cause, State } from '../core/catalogue.js';
import { milliseconds } from '../simulator/measures.js';
import type { Bag } from './bag/open-bag.js';
import { stampFindings } from './stamp-findings.js';

export interface StreamReport {
  readonly received: number;
  /** Counts; what has to be measured is null where there is nothing to measure it by: without messages, or of one instant. */
  readonly outcomes: Readonly<Record<State, number>>;
  /** Those that occurred. */
  readonly causes: Readonly<Partial<Record<Cause, number>>>;
  readonly delivered_by_variant: Readonly<Record<string, number>>;
  /** null also without a period in the contract. */
  readonly window_uncovered_permille: number | null;
  readonly consumer_uncovered_permille: number | null;
  readonly phase_free_uncovered_permille: number | null;
  readonly longest_gap_ms: number | null;
  /** Age at reception, which tells of a constant offset of the stamps. */
  readonly arrival_age_ms: { readonly min: number | null; readonly max: number | null };
  readonly age_mean_ms: number | null;
  readonly age_peak_ms: number | null;
  /** Of the results, fresh or not; null without any. */
  readonly response_age_ms: { readonly p50: number | null; readonly p95: number | null; readonly p99: number | null };
  readonly deadline_misses: number;
  readonly compute_ms: number;
}

export interface BackendReport {
  readonly slots: number;
  readonly executions: number;
  /** null of a bag without duration. */
  readonly slot_busy_permille: number | null;
  /** Compute time whose result was not fresh, of all compute time; null without any. */
  readonly stale_compute_permille: number | null;
}

/** One contract on the messages of the bag. */
export interface ContractReport {
  readonly params: readonly string[];
  readonly streams: Readonly<Record<string, StreamReport>>;
  readonly backends: Readonly<Record<string, BackendReport>>;
}

export interface ReplayReport extends ContractReport {
  readonly bag: string;
  /** Log time of its first message, in nanoseconds; null when it has none. */
  readonly start_ns: string | null;
  readonly duration_ms: number;
  /** null of a real server: nothing is drawn. */
  readonly seed: number | null;
  /** What could not be replayed, or misleads, one line each. */
  readonly problems: readonly string[];
  /** What is worth a look at, and does not make the report less true. */
  readonly findings: readonly string[];
  /** Other contracts on the same messages. */
  readonly compare?: readonly ContractReport[];
}

/** For people. @param params its files */
export function contractName(params: readonly string[]): string {
  return params.join(' + ');
}

export interface Findings {
  readonly bag: Pick<Bag, 'name' | 'span'>;
  /** What could not be replayed. */
  readonly problems: readonly string[];
  readonly seed: number | null;
  readonly report: ContractReport;
  /** What is worth a look at in the bag. */
  readonly findings: readonly string[];
  /** Of other contracts. */
  readonly compare: readonly ContractReport[];
}

/** Once the bag is replayed, and all that is wrong with it known. */
export function replayReport({ bag: { name, span }, problems, findings, seed, report, compare }: Findings): ReplayReport {
  const stamps = stampFindings([report, ...compare]);
  return {
    bag: name,
    start_ns: span === undefined ? null : String(span.startNs),
    duration_ms: span === undefined ? 0 : milliseconds(Number(span.endNs - span.startNs)),
    seed,
    problems: [...problems, ...stamps.problems.map((line) => `${name}: ${line}`)],
    findings: [...findings, ...stamps.findings],
    ...report,
    ...(compare.length === 0 ? {} : { compare }),
  };
}
