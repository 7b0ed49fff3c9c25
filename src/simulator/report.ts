/** What one run, or the median of several, amounts to. Field names are those of `--json` (design.md 8). */
import type { State } from '../core/catalogue.js';

/** Ends without a result. */
export const LOSSES = [
  'superseded',
  'stale',
  'infeasible',
  'cancelled',
  'backend_timeout',
  'backend_failed',
] as const satisfies readonly State[];

export interface StreamReport {
  readonly received: number;
  readonly delivered: number;
  readonly delivered_by_variant: Readonly<Record<string, number>>;
  readonly obsolete: number;
  readonly outcomes: Readonly<Record<(typeof LOSSES)[number], number>>;
  readonly window_uncovered_permille: number;
  readonly consumer_uncovered_permille: number;
  readonly phase_free_uncovered_permille: number;
  readonly longest_gap_ms: number;
  readonly age_mean_ms: number;
  readonly age_peak_ms: number;
  /** Of the results, fresh or not; null without any. */
  readonly response_age_ms: { readonly p50: number | null; readonly p95: number | null; readonly p99: number | null };
  /** Results later than the deadline. */
  readonly deadline_misses: number;
  readonly compute_ms: number;
}

export interface WorstGuarded {
  readonly window_uncovered_permille: number;
  readonly consumer_uncovered_permille: number;
}

/** What is measured of a run. */
export interface Measures {
  readonly streams: Readonly<Record<string, StreamReport>>;
  /** The highest of the guarded streams; null where there are none. */
  readonly worst_guarded: WorstGuarded | null;
  /** Fresh results of all classes. */
  readonly valid: number;
  /** Compute time whose result was not fresh, of all compute time. */
  readonly stale_compute_permille: number;
  readonly slot_busy_permille: number;
}

export interface RunReport extends Measures {
  readonly load_permille: number | null;
  readonly policy: string;
  /** How many seeds it is the median of. */
  readonly seeds: number;
  /** The one seed, with `--all-seeds`. */
  readonly seed?: number;
}

export interface SimulationReport {
  readonly scenario: string;
  readonly runs: readonly RunReport[];
}
