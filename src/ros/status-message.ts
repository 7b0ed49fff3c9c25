/** vigilant_governor/msg/GovernorStatus: the state of the node, its streams and backends. */
import type { State } from '../core/catalogue.js';
import type { BackendStatus, GovernorStatus, StreamStatus } from '../telemetry/status.js';
import { type HeaderMessage, known, nowHeader, type TimeMessage } from './message-fields.js';

export interface StreamStatusMessage extends Readonly<Record<State, bigint>> {
  readonly stream: string;
  readonly received: bigint;
  readonly waiting: bigint;
  readonly in_flight: bigint;
  readonly lost_before_node: bigint;
  readonly capture_last: TimeMessage;
  readonly age_last_us: bigint;
  readonly age_min_us: bigint;
  readonly age_p50_us: bigint;
  readonly age_p95_us: bigint;
  readonly consumer_coverage_permille: bigint;
  readonly longest_gap_us: bigint;
  readonly weakly_hard_misses: bigint;
  readonly weakly_hard_violated: boolean;
  readonly profile: string;
}

export interface BackendStatusMessage {
  readonly backend: string;
  readonly reachable: boolean;
  readonly ready: boolean;
  readonly slots: bigint;
  readonly in_flight: bigint;
  readonly held: bigint;
  readonly quarantined: bigint;
  readonly timed_out: bigint;
  readonly reconciling: bigint;
  readonly awaiting_baseline: bigint;
  readonly reconciled: bigint;
  readonly late_answers: bigint;
  readonly restarts: bigint;
  readonly trusted: boolean;
}

export interface StatusMessage {
  readonly header: HeaderMessage;
  readonly overload_level: number;
  readonly ready: boolean;
  readonly streams: readonly StreamStatusMessage[];
  readonly backends: readonly BackendStatusMessage[];
}

const NO_TIME: TimeMessage = { sec: 0, nanosec: 0 };

export function statusMessage(status: GovernorStatus, rosNowNs: bigint): StatusMessage {
  return {
    header: nowHeader(rosNowNs),
    overload_level: Math.max(0, ...status.backends.map((backend) => backend.overloadLevel)),
    ready: status.ready,
    streams: status.streams.map(streamStatusMessage),
    backends: status.backends.map(backendStatusMessage),
  };
}

function streamStatusMessage(status: StreamStatus): StreamStatusMessage {
  return {
    ...outcomeCounts(status.outcomes),
    stream: status.stream,
    received: BigInt(status.received),
    waiting: BigInt(status.waiting),
    in_flight: BigInt(status.inFlight),
    lost_before_node: BigInt(status.lostBeforeNode),
    capture_last: status.captureLast ?? NO_TIME,
    age_last_us: known(status.ageLastUs),
    age_min_us: known(status.ageMinUs),
    age_p50_us: known(status.ageP50Us),
    age_p95_us: known(status.ageP95Us),
    consumer_coverage_permille: known(status.consumerCoveragePermille),
    longest_gap_us: known(status.longestGapUs),
    weakly_hard_misses: known(status.weaklyHardMisses),
    weakly_hard_violated: status.weaklyHardViolated,
    profile: status.profile,
  };
}

function outcomeCounts(counts: StreamStatus['outcomes']): Readonly<Record<State, bigint>> {
  return {
    delivered: BigInt(counts.delivered),
    obsolete: BigInt(counts.obsolete),
    superseded: BigInt(counts.superseded),
    stale: BigInt(counts.stale),
    infeasible: BigInt(counts.infeasible),
    cancelled: BigInt(counts.cancelled),
    backend_timeout: BigInt(counts.backend_timeout),
    backend_failed: BigInt(counts.backend_failed),
    invalid: BigInt(counts.invalid),
  };
}

function backendStatusMessage(status: BackendStatus): BackendStatusMessage {
  return {
    backend: status.backend,
    reachable: status.reachable,
    ready: status.ready,
    slots: BigInt(status.slots),
    in_flight: BigInt(status.inFlight),
    held: BigInt(status.held),
    quarantined: BigInt(status.quarantined),
    timed_out: BigInt(status.leases.timed_out),
    reconciling: BigInt(status.leases.reconciling),
    awaiting_baseline: BigInt(status.leases.awaiting_baseline),
    reconciled: BigInt(status.reconciled),
    late_answers: BigInt(status.lateAnswers),
    restarts: BigInt(status.restarts),
    trusted: status.trusted,
  };
}
