/** What the reference server knows of a model; `model-file.ts` reads it. */
import type { Datatype } from '../governor/ports.js';

/** A number, or the value that an input's dimension of this name has in the request, divided and rounded up. */
export type Dimension = number | { readonly name: string; readonly divisor: number };

/** The dimension before those of every tensor of a model with batches. No model file can give another dimension this name. */
export const BATCH = { name: 'batch', divisor: 1 } as const satisfies Dimension;

export interface TensorDescription {
  readonly name: string;
  readonly datatype: Datatype;
  readonly shape: readonly Dimension[];
}

export interface OutputDescription extends TensorDescription {
  /** Every element of a constant output. */
  readonly fill: number | string;
  /** The one element in the middle of every dimension, where it differs. */
  readonly centre?: number;
}

export type RuntimeDescription =
  | { readonly kind: 'fixed'; readonly fixedMs: number }
  | { readonly kind: 'log_normal'; readonly p50Ms: number; readonly p99Ms: number; readonly seed: number };

export interface BatchingDescription {
  /** Elements of one execution. */
  readonly maxBatchSize: number;
  /** How long a batch that is not full waits for more, from the arrival of its first call. */
  readonly maxQueueDelayMs: number;
}

export interface ModelDescription {
  readonly name: string;
  readonly version: string;
  readonly instances: number;
  /** Requests that may wait for an instance. */
  readonly maxQueueSize: number;
  /** Absent: every call is executed alone. With it the first dimension of every tensor is the batch's. */
  readonly batching?: BatchingDescription;
  /** Answers over a stream only. */
  readonly decoupled: boolean;
  /** Answers to one request, more than one only of a decoupled model. */
  readonly responses: number;
  /** Of one answer. */
  readonly runtime: RuntimeDescription;
  /** echo: output i is input i · constant: what the outputs declare. */
  readonly behaviour: 'echo' | 'constant';
  readonly inputs: readonly TensorDescription[];
  readonly outputs: readonly OutputDescription[];
}
