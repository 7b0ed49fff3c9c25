import type { CallResult } from '../core/events.js';
import type { Micros } from '../core/units.js';
import type { ModelMetadata } from '../governor/model-metadata.js';
import type { Backend, TensorSource } from '../governor/ports.js';

/** One inference server as the service drives it; TritonBackend is the real one. */
export interface InferenceServer extends Backend {
  /** Connects, and from then on tells the listener of every change by itself, until closed. */
  start(): void;
  close(): Promise<void>;
  /** What the server says about a model that is ready. */
  describe(backendModel: string): Promise<ModelMetadata>;
  /** Runs calls that are no requests; the server counts them nevertheless. */
  warmUp(backendModel: string, inputs: readonly TensorSource[], calls: number): Promise<void>;
  health(): ServerHealth;
  /** What a call costs beyond its execution, 90th percentile; undefined before it is measured. */
  roundTripP90(): Micros | undefined;
  /** How often the counter of a model is asked for from now on; at once where that is more often than before. */
  poll(backendModel: string, everyUs: Micros): void;
}

export interface ServerHealth {
  readonly reachable: boolean;
  readonly ready: boolean;
  /** Why not, for a person. */
  readonly detail: string;
}

/**
 * What tells whether calls of unknown fate have ended (rules.md 11). `polledUs` is when the server was asked: what it answers was so then,
 * or later. Must not throw.
 */
export interface EvidenceListener {
  /** Executions of a model that the server has finished, all its versions together. */
  counter(backendModel: string, completed: number, polledUs: Micros): void;
  /** Whether the server is still the process that was told of our boot witness; false: it has restarted. */
  witness(present: boolean, polledUs: Micros): void;
  /** A call that is no request and is counted: without `end` just before it is sent, then once more. @param call its number */
  warmUp(backendModel: string, call: number, end?: CallResult): void;
}

/** Hears what the server says. Must not throw. */
export interface ServerListener extends EvidenceListener {
  /** A model can, or can no longer, be called. */
  readiness(backendModel: string, ready: boolean, detail: string): void;
}

/** For those who follow every call to its end and hold no credits. */
export const NO_EVIDENCE_NEEDED: EvidenceListener = { counter: () => {}, witness: () => {}, warmUp: () => {} };
