/** The counts that status shows, as they stand after an event. */
import type { BackendState } from './backend-state.js';
import type { State } from './catalogue.js';
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
  readonly lateAnswers: number;
  /** 0 normal … 4 protected only. */
  readonly overloadLevel: number;
}

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

export function describeBackend({ name, credits, lateAnswers, overload }: BackendState): BackendSnapshot {
  return {
    name,
    slots: credits.slots,
    inFlight: credits.leases.length,
    held: credits.held,
    quarantined: credits.leases.filter((lease) => lease.state === 'unknown').length,
    lateAnswers,
    overloadLevel: overload.level,
  };
}
