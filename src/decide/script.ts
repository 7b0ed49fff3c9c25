/** A decision script as it was read: what is configured, what happens when, and what must follow (docs/decide.md). */
import type { ConfigurationError, Place, Problem } from '../config/problem.js';
import type { CoreConfiguration } from '../core/configuration.js';
import type { CallResult, ContractChange } from '../core/events.js';
import type { Prompt } from '../core/quanta/generation.js';
import type { Micros } from '../core/units.js';

export interface Script {
  /** Refused, where the script expects that. */
  readonly configuration: CoreConfiguration | ConfigurationError;
  /** In order of the file, instants counted from the script's zero. */
  readonly lines: readonly ScriptLine[];
  readonly expect: readonly Expectation[];
  readonly never: readonly Expectation[];
}

export type ScriptLine = { readonly atUs: Micros } & ScriptEvent;

export type ScriptEvent =
  | Arrivals
  | { readonly kind: 'complete'; readonly id: string; readonly quantum?: number; readonly end: CallResult }
  | { readonly kind: 'timeout' | 'cancel'; readonly id: string }
  | { readonly kind: 'tick' | 'drain' | 'drain_limit' | 'resume' | 'clock_jump' }
  | { readonly kind: 'reconfigure'; readonly contracts: readonly ContractChange[] }
  /** A change of the configuration that was refused: everything stays as it was. */
  | { readonly kind: 'refused'; readonly problems: readonly Problem[] }
  | { readonly kind: 'ready'; readonly models: readonly ServedName[]; readonly value: boolean }
  | { readonly kind: 'counter'; readonly model: ServedName; readonly completed: number; readonly polledUs: Micros }
  | { readonly kind: 'witness'; readonly backend: string; readonly present: boolean; readonly polledUs: Micros }
  | { readonly kind: 'round_trip'; readonly backend: string; readonly p90Us: Micros };

export interface Arrivals {
  readonly kind: 'arrive';
  readonly stream: string;
  /** One for each repetition; at least one. */
  readonly ids: readonly string[];
  readonly everyUs: Micros;
  readonly captureUs: Micros;
  /** The raw stamp; equal ones are duplicates. */
  readonly stampUs: Micros;
  /** Without it the call ends only by a `complete`. */
  readonly runtimeUs?: Micros;
  /** What a cooperative model is asked for. */
  readonly prompt: Prompt;
}

/** A model as one backend knows it. */
export interface ServedName {
  readonly backend: string;
  readonly backendModel: string;
}

/** Counts and conditions, which hold from one change to the next; everything else happens at an instant. */
export const STATE_KINDS = ['held', 'quarantined', 'ready', 'level'] as const;
export type StateKind = (typeof STATE_KINDS)[number];

export type Expectation = ExpectedState | ExpectedAction;

interface Expected {
  readonly place: Place;
  /** As written, for messages. */
  readonly text: string;
  readonly atUs?: Micros;
  /** In `never`: only earlier ones count. */
  readonly beforeUs?: Micros;
}

export interface ExpectedState extends Expected {
  readonly kind: StateKind;
  readonly value: number | boolean;
  readonly backend?: string;
}

export interface ExpectedAction extends Expected {
  readonly kind: 'action';
  /** What the output line must have. */
  readonly fields: Readonly<Record<string, string | number | boolean>>;
}
