/** An inference server in a process of its own, which fails on command. */
import type { Death } from './executions.js';
import type { Fault } from './plan.js';
import { ReferenceTarget } from './reference-target.js';
import { TritonTarget } from './triton-target.js';

export interface Target {
  /** Without anything between. */
  readonly endpoint: string;
  /** Through what can break connections. */
  readonly cuttableEndpoint: string;
  /** Where it is written what runs. */
  readonly log: string;
  readonly deaths: readonly Death[];
  /** Resolves when the fault is over; what cannot happen now does not. Never rejects. */
  strike(fault: Fault): Promise<void>;
  /** Resolves once it serves every model again, and nothing is wrong any more. */
  recover(): Promise<void>;
  close(): Promise<void>;
}

export function startTarget(kind: 'reference' | 'triton', folder: string): Promise<Target> {
  return kind === 'triton' ? TritonTarget.start(folder) : ReferenceTarget.start(folder);
}
