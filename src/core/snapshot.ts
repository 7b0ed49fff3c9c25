/** The counts that status shows, as they stand after an event. */
import type { BackendState } from './backend-state.js';
import type { State } from './catalogue.js';
import type { Lease } from './credits.js';
import type { StreamState } from './stream-state.js';

/** received = waiting + inFlight + the sum of outcomes. */
export interface StreamSnapshot {
  readonly name: string;
  readonly received: number;
  readonly waiting: number;
  readonly inFlight: number;
  readonly outcomes: Readonly<Record<State, number>>;
  /** The runtime of every variant is known, from a profile or from enough observations. */
  readonly measured: boolean;
  /** Missed cycles in the window of the miss budget; undefined without one. */
  readonly weaklyHardMisses: number | undefined;
  readonly weaklyHardViolated: boolean;
}

export interface BackendSnapshot {
  readonly name: string;
  readonly slots: number;
  /** Calls whose end is not proven, held ones included. */
  readonly inFlight: number;
  /** Of these: their requester has its outcome. */
  readonly held: number;
  /** Of these: the call returned, and nothing can prove its end any more. */
  readonly quarantined: number;
  /** All in flight, by what is known of their end. */
  readonly leases: Readonly<Record<KnownEnd, number>>;
  /** Credits that came back by another proof than an answer. */
  readonly reconciled: number;
  readonly restarts: number;
  /** False once a model was called by others too: a count then proves less, and nothing under `trust: strict`. */
  readonly trusted: boolean;
  readonly lateAnswers: number;
  /** 0 normal … 4 protected only. */
  readonly overloadLevel: number;
}

/**
 * running: its requester waits · timed_out: no answer in time, the call is open · reconciling: it returned without telling, a proof is
 * awaited · awaiting_baseline: the same, and nothing to compare a count with · quarantined: nothing can prove its end (rules.md 11).
 */
export type KnownEnd = 'running' | 'timed_out' | 'reconciling' | 'awaiting_baseline' | 'quarantined';

export const NO_LEASES: Readonly<Record<KnownEnd, number>> = {
  running: 0,
  timed_out: 0,
  reconciling: 0,
  awaiting_baseline: 0,
  quarantined: 0,
};

/** In order of configuration. */
export interface CoreSnapshot {
  readonly streams: readonly StreamSnapshot[];
  readonly backends: readonly BackendSnapshot[];
}

export function describeStream({ name, received, waiting, inFlight, outcomes, model, consumer }: StreamState): StreamSnapshot {
  const measured = model.variants.every((variant) => variant.estimate.measured);
  return {
    name,
    received,
    waiting: waiting.length,
    inFlight,
    outcomes: { ...outcomes },
    measured,
    weaklyHardMisses: consumer.misses,
    weaklyHardViolated: consumer.violated,
  };
}

export function describeBackend(backend: BackendState): BackendSnapshot {
  const { name, credits, lateAnswers, overload, reconciled, restarts, served } = backend;
  const leases = { ...NO_LEASES };
  for (const lease of credits.leases) leases[knownEnd(lease)] += 1;
  return {
    name,
    slots: credits.slots,
    inFlight: credits.leases.length,
    held: credits.held,
    quarantined: leases.quarantined,
    leases,
    reconciled,
    restarts,
    trusted: [...served.values()].every(({ identity }) => identity.soleCaller),
    lateAnswers,
    overloadLevel: overload.level,
  };
}

function knownEnd({ state, claim, variant }: Lease): KnownEnd {
  if (state !== 'returned') return state;
  if (claim.fate === 'lost') return 'quarantined';
  return variant.server.identity.hasBaseline ? 'reconciling' : 'awaiting_baseline';
}
