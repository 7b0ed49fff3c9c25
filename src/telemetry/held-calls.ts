/** Calls whose end is not proven, by the state they are in: for the log, at the end of a drain and where they are forgotten. */
import type { BackendStatus } from './status.js';

export interface HeldCalls {
  readonly backend: string;
  readonly calls: number;
  /** "2 timed_out, 1 quarantined" */
  readonly states: string;
}

/** One entry a backend that has some, in their order. */
export function heldCalls(backends: readonly BackendStatus[]): readonly HeldCalls[] {
  return backends.flatMap(({ backend, inFlight, held, quarantined }) =>
    inFlight === 0 ? [] : [{ backend, calls: inFlight, states: `${held} held, ${quarantined} quarantined` }],
  );
}
