/** A scenario as the simulator runs it: instants and durations in whole nanoseconds of virtual time. */
import type { CoreConfiguration, StreamClass } from '../core/configuration.js';
import type { Cooperative } from '../core/quanta/cooperative.js';
import type { RuntimeDistribution } from '../random/runtime.js';

export interface Scenario {
  readonly name: string;
  readonly runNs: number;
  readonly backend: SimulatedBackend;
  readonly scale: 'runtimes' | 'periods';
  /** Load in thousands; `undefined` = as written, without scaling. */
  readonly loads: readonly (number | undefined)[];
  readonly seeds: readonly number[];
  readonly policies: readonly string[];
  /** In the order of the file: it decides which random numbers a stream draws. */
  readonly streams: readonly SimulatedStream[];
  /** What the governor is told, but for what depends on the load: profiles, periods, deadlines, ages. */
  readonly governor: CoreConfiguration;
}

export interface SimulatedBackend {
  readonly slots: number;
  readonly pipeliningDepth: number;
  readonly roundTripNs: number;
  /** What a slot needs between two executions. */
  readonly dispatchGapNs: number;
}

export interface SimulatedStream {
  readonly name: string;
  readonly class: StreamClass;
  readonly queue: { readonly capacity: number; readonly replaces: boolean };
  readonly source: Source;
  readonly contract: SimulatedContract;
  readonly variants: readonly SimulatedVariant[];
  /** Declared over true runtime. */
  readonly profileError: number;
  /** Calls that the model answers with an error, in thousands. */
  readonly failurePermille: number;
  /** Where its frames ask for texts of a model whose work can be cut. */
  readonly generating?: Generating;
}

/** What every frame asks for, and how its runtime spreads over the calls that it is cut into. */
export interface Generating {
  readonly promptTokens: number;
  readonly tokens: number;
  readonly cooperative: Cooperative;
}

export interface Source {
  readonly periodNs: number;
  readonly jitterNs: number;
  readonly transportNs: number;
  readonly phaseNs: number;
  /** Every so often, for so long, the camera runs at another period. */
  readonly burst?: { readonly everyNs: number; readonly forNs: number; readonly periodNs: number };
  /** No capture from here on. */
  readonly stopNs?: number;
}

/** What the measures judge by. */
export interface SimulatedContract {
  readonly periodNs: number;
  readonly deadlineNs: number;
  readonly maxAgeNs: number;
  /** Cycles of the consumer end at whole multiples of this plus the phase; its period is that of the captures unless declared. */
  readonly consumerPeriodNs: number;
  readonly consumerPhaseNs: number;
}

export interface SimulatedVariant extends RuntimeDistribution {
  readonly name: string;
  readonly quality: number;
}

/** high or protected (rules.md 2). */
export function isGuarded(stream: SimulatedStream): boolean {
  return stream.class === 'high' || stream.class === 'protected';
}

/** The variant of the highest quality; the first of equals. */
export function bestVariant({ variants }: SimulatedStream): number {
  return variants.reduce((best, variant, index) => (variant.quality > (variants[best]?.quality ?? -1) ? index : best), 0);
}
