/**
 * What the core is told once, in its own units. `config/` derives it from the parameters; names are unique and references resolve.
 */
import type { Micros } from './units.js';

/** Criticality, weakest first. high and protected are *guarded*. */
export const CLASSES = ['best_effort', 'normal', 'high', 'protected'] as const;
export type StreamClass = (typeof CLASSES)[number];

/** latest: the newest capture wins · fifo: bounded, age still drops · never_drop: bounded, nothing is dropped once accepted. */
export const QUEUE_POLICIES = ['latest', 'fifo', 'never_drop'] as const;
export type QueuePolicy = (typeof QUEUE_POLICIES)[number];

export const OVERFLOW_POLICIES = ['reject_new', 'reject_oldest'] as const;
export type OverflowPolicy = (typeof OVERFLOW_POLICIES)[number];

export interface QueueConfiguration {
  readonly policy: QueuePolicy;
  /** Waiting requests at most; 1 for `latest`. */
  readonly capacity: number;
  readonly overflow: OverflowPolicy;
}

/** Counted from capture, never from arrival. */
export interface Contract {
  /** Expected distance of captures; without it nothing is forecast for the stream. */
  readonly periodUs?: Micros;
  /** A result later than this is counted as a missed deadline; it is never a reason to drop work. */
  readonly deadlineUs: Micros;
  /** A result of exactly this age is still fresh. */
  readonly maxAgeUs: Micros;
}

export interface StreamConfiguration {
  readonly name: string;
  readonly model: string;
  readonly class: StreamClass;
  readonly queue: QueueConfiguration;
  readonly contract: Contract;
}

/** Measured runtime of a variant alone on its backend. */
export interface Profile {
  readonly p50Us: Micros;
  readonly p95Us: Micros;
  readonly p99Us: Micros;
}

export interface VariantConfiguration {
  readonly name: string;
  /** The model's name at the server: with the backend, the identity for readiness and proof. */
  readonly backendModel: string;
  /** Relative, 0 … 1; the highest among the ready variants is taken. */
  readonly quality: number;
  readonly profile?: Profile;
}

export interface ModelConfiguration {
  readonly name: string;
  readonly backend: string;
  /** Instances of each backend model, from its configuration at the server; without it = slots. */
  readonly instances?: number;
  readonly variants: readonly VariantConfiguration[];
}

export interface BackendConfiguration {
  readonly name: string;
  /** Executions at the same time. */
  readonly slots: number;
  /** Credits beyond the slots; used late and only behind a call to the same backend model (rules.md 6). */
  readonly pipeliningDepth: number;
  /** How long before the predicted end of the running call the next one is sent; without it the measured round trip. */
  readonly pipeliningLeadUs?: Micros;
  /** Pairs of logical models that never run at the same time. */
  readonly noCorun: readonly (readonly [string, string])[];
}

export interface CoreConfiguration {
  readonly backends: readonly BackendConfiguration[];
  readonly models: readonly ModelConfiguration[];
  readonly streams: readonly StreamConfiguration[];
}
