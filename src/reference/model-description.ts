/** What the reference server knows of a model; `model-file.ts` reads it. */
import type { Datatype } from '../governor/ports.js';

/** A number, or the value that an input's dimension of this name has in the request, divided and rounded up. */
export type Dimension = number | { readonly name: string; readonly divisor: number };

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

export interface ModelDescription {
  readonly name: string;
  readonly version: string;
  readonly instances: number;
  /** Requests that may wait for an instance. */
  readonly maxQueueSize: number;
  /** Answers over a stream only. */
  readonly decoupled: boolean;
  readonly runtime: RuntimeDescription;
  /** echo: output i is input i · constant: what the outputs declare. */
  readonly behaviour: 'echo' | 'constant';
  readonly inputs: readonly TensorDescription[];
  readonly outputs: readonly OutputDescription[];
}
