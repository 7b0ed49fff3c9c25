import type { Finding } from './finding.js';
import { HELD_STATES } from './held-calls.js';
import type { ClockFacts } from './ros-clock.js';
import type { BackendStatus, StreamStatus } from './status.js';

/** diagnostic_msgs/DiagnosticStatus levels. */
export const LEVELS = { ok: 0, warn: 1, error: 2 } as const;
export type Level = (typeof LEVELS)[keyof typeof LEVELS];

export interface DiagnosticStatus {
  /** Stable: tools filter by it. */
  readonly name: string;
  readonly level: Level;
  readonly message: string;
  readonly values: readonly (readonly [key: string, value: string])[];
}

/** Reports in a row after which a warning that stays becomes an error. */
const STAYS = 5;

/** Turns findings into diagnostics: WARN once over, ERROR when it stays over. Report at a steady rate, whatever happens. */
export class Diagnostics {
  readonly #overInRow = new Map<string, number>();

  /** @param contractVersion the edition of the contract in force, as its author counts. */
  stream(finding: Finding, status: StreamStatus, contractVersion: number): DiagnosticStatus {
    return this.#report(`governor: stream ${status.stream}`, finding, streamValues(status, contractVersion));
  }

  backend(finding: Finding, status: BackendStatus): DiagnosticStatus {
    return this.#report(`governor: backend ${status.backend}`, finding, backendValues(status));
  }

  /** Under use_sim_time. */
  clock(finding: Finding, facts: ClockFacts): DiagnosticStatus {
    return this.#report('governor: clock', finding, [
      ['messages', text(facts.messages)],
      ['publishers', text(facts.publishers)],
      ['pace', facts.pace.toFixed(3)],
      ['jumps', text(facts.jumps)],
    ]);
  }

  #report(name: string, finding: Finding, values: [string, string][]): DiagnosticStatus {
    const inRow = finding.kind === 'over' || finding.kind === 'severe' ? (this.#overInRow.get(name) ?? 0) + 1 : 0;
    this.#overInRow.set(name, inRow);
    const hint: [string, string][] = finding.kind === 'fine' ? [] : [['hint', finding.hint]];
    return { name, level: levelOf(finding, inRow), message: finding.message, values: [...hint, ...values] };
  }
}

function levelOf(finding: Finding, inRow: number): Level {
  switch (finding.kind) {
    case 'fine':
      return LEVELS.ok;
    case 'waiting':
      return LEVELS.warn;
    case 'over':
      return inRow >= STAYS ? LEVELS.error : LEVELS.warn;
    case 'severe':
      return LEVELS.error;
  }
}

const text = (value: number | undefined): string => (value === undefined ? 'n/a' : String(value));

function streamValues(status: StreamStatus, contractVersion: number): [string, string][] {
  return [
    ['received', text(status.received)],
    ['waiting', text(status.waiting)],
    ['in_flight', text(status.inFlight)],
    ['lost_before_node', text(status.lostBeforeNode)],
    ...Object.entries(status.outcomes).map(([state, count]): [string, string] => [state, text(count)]),
    ['age_last_us', text(status.ageLastUs)],
    ['age_min_us', text(status.ageMinUs)],
    ['age_p50_us', text(status.ageP50Us)],
    ['age_p95_us', text(status.ageP95Us)],
    ['consumer_coverage_permille', text(status.consumerCoveragePermille)],
    ['longest_gap_us', text(status.longestGapUs)],
    ['weakly_hard_misses', text(status.weaklyHardMisses)],
    ['weakly_hard_violated', status.weaklyHardMisses === undefined ? 'n/a' : String(status.weaklyHardViolated)],
    ['contract_version', text(contractVersion)],
    ['profile', status.profile],
  ];
}

function backendValues(status: BackendStatus): [string, string][] {
  return [
    ['reachable', String(status.reachable)],
    ['ready', String(status.ready)],
    ['slots', text(status.slots)],
    ['in_flight', text(status.inFlight)],
    ['held', text(status.held)],
    ...HELD_STATES.map((state): [string, string] => [state, text(status.leases[state])]),
    ['reconciled', text(status.reconciled)],
    ['restarts', text(status.restarts)],
    ['trusted', String(status.trusted)],
    ['late_answers', text(status.lateAnswers)],
    ['overload_level', text(status.overloadLevel)],
  ];
}
