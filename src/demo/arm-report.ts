/** What one arm of the demo came to: the object that `--json` prints, and what the table is drawn from. */
import type { State } from '../core/catalogue.js';

export interface AgeMs {
  readonly p50: number | null;
  readonly p95: number | null;
  readonly max: number | null;
}

export interface StreamReport {
  readonly received: number;
  /** One number a state; together they are `received` once nothing waits or runs. */
  readonly outcomes: Readonly<Record<State, number>>;
  /** The same by cause, those that occurred. */
  readonly causes: Readonly<Record<string, number>>;
  /** Of all results, late ones included, when they came; null while there are none. */
  readonly age_ms: AgeMs;
  readonly contract: { readonly max_age_ms: number };
  /** Frames that the middleware dropped before the node saw them; these have no outcome. */
  readonly lost_before_node: number;
}

export interface ArmReport {
  readonly governor: boolean;
  readonly seconds: number;
  /** Every frame has its outcome and no call runs on. */
  readonly valid: boolean;
  /** Why it is not valid. */
  readonly invalid_because?: string;
  readonly streams: Readonly<Record<string, StreamReport>>;
  /** Calls at the inference server at the same time. */
  readonly in_flight_max: number;
}

/** What `--json` prints. */
export interface DemoReport extends ArmReport {
  readonly backend: 'triton' | 'reference';
  readonly without_governor?: ArmReport;
}
