/** Calls whose end is not proven, by what is known of it (rules.md 11): for the log, diagnostics and metrics. */
import type { KnownEnd } from '../core/snapshot.js';
import type { BackendStatus } from './status.js';

/** The states in which a call is held: its requester has its outcome. The worst first. */
export const HELD_STATES = ['quarantined', 'awaiting_baseline', 'reconciling', 'timed_out'] as const satisfies readonly KnownEnd[];

/** What helps, by state. */
export const HELD_HINTS: Readonly<Record<(typeof HELD_STATES)[number], string>> = {
  quarantined:
    'no count can prove the end of a call any more: once the server is idle, take the node through cleanup and configure (docs/runbook.md#nothing-can-prove-its-end)',
  awaiting_baseline:
    'no count of the model from before the call: the server has to report statistics (docs/runbook.md#a-call-waits-for-the-first-count)',
  reconciling: "waits for the server's count to prove that the call has ended (docs/runbook.md#a-call-waits-for-proof)",
  timed_out: 'a call has no answer in time: look at the server, its slot comes back with the answer (docs/runbook.md#a-call-has-no-answer)',
};

export interface HeldCalls {
  readonly backend: string;
  readonly calls: number;
  /** "1 quarantined, 2 timed_out" */
  readonly states: string;
}

/** Of all calls in flight, held or not: one entry a backend that has some, in their order. */
export function heldCalls(backends: readonly BackendStatus[]): readonly HeldCalls[] {
  return backends.flatMap(({ backend, inFlight, leases }) =>
    inFlight === 0 ? [] : [{ backend, calls: inFlight, states: countsByState(leases, [...HELD_STATES, 'running']) }],
  );
}

/** "1 quarantined, 2 timed_out", without those of which there are none. */
export function countsByState(leases: BackendStatus['leases'], states: readonly KnownEnd[]): string {
  return states
    .filter((state) => leases[state] > 0)
    .map((state) => `${leases[state]} ${state}`)
    .join(', ');
}
