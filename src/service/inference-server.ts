import type { Micros } from '../core/units.js';
import type { ModelMetadata } from '../governor/model-metadata.js';
import type { Backend, TensorSource } from '../governor/ports.js';

/** One inference server as the service drives it; TritonBackend is the real one. */
export interface InferenceServer extends Backend {
  /** Connects, and from then on tells the listener of every change of readiness, by itself, until closed. */
  start(): void;
  close(): Promise<void>;
  /** What the server says about a model that is ready. */
  describe(backendModel: string): Promise<ModelMetadata>;
  /** Runs calls that nobody counts. */
  warmUp(backendModel: string, inputs: readonly TensorSource[], calls: number): Promise<void>;
  health(): ServerHealth;
  /** What a call costs beyond its execution, 90th percentile; undefined before it is measured. */
  roundTripP90(): Micros | undefined;
}

export interface ServerHealth {
  readonly reachable: boolean;
  readonly ready: boolean;
  /** Why not, for a person. */
  readonly detail: string;
}

/** Told by the server: a model can, or can no longer, be called there. */
export type ReadinessListener = (backendModel: string, ready: boolean, detail: string) => void;
