/** The state of the node as msg/GovernorStatus shows it; undefined = unknown. */
import type { State } from '../core/catalogue.js';
import type { BackendSnapshot } from '../core/snapshot.js';

export interface StreamStatus {
  readonly stream: string;
  readonly received: number;
  readonly waiting: number;
  readonly inFlight: number;
  readonly lostBeforeNode: number;
  readonly outcomes: Readonly<Record<State, number>>;
  /** Stamp of the newest result. */
  readonly captureLast: { readonly sec: number; readonly nanosec: number } | undefined;
  /** Age at reception, of the last message and the lowest seen. */
  readonly ageLastUs: number | undefined;
  readonly ageMinUs: number | undefined;
  /** Age of recent results when published. */
  readonly ageP50Us: number | undefined;
  readonly ageP95Us: number | undefined;
  readonly consumerCoveragePermille: number | undefined;
  readonly longestGapUs: number | undefined;
  /** Missed cycles in the window of the miss budget; undefined without one. */
  readonly weaklyHardMisses: number | undefined;
  readonly weaklyHardViolated: boolean;
  /** measured: runtimes come from a profile or enough observations. */
  readonly profile: 'measured' | 'unmeasured';
}

export interface BackendStatus extends Omit<BackendSnapshot, 'name'> {
  readonly backend: string;
  readonly reachable: boolean;
  readonly ready: boolean;
}

export interface GovernorStatus {
  /** The node is active, every server is ready and has a slot left. */
  readonly ready: boolean;
  readonly streams: readonly StreamStatus[];
  readonly backends: readonly BackendStatus[];
}
