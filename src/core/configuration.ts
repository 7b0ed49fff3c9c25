/**
 * What the core is told once, in its own units. `config/` derives it from the parameters; names are unique and references resolve.
 */
import type { MissBudget } from './miss-budget.js';
import type { Cooperative } from './quanta/cooperative.js';
import { type Micros, micros } from './units.js';

/** Criticality, weakest first. high and protected are *guarded*. */
export const CLASSES = ['best_effort', 'normal', 'high', 'protected'] as const;
export type StreamClass = (typeof CLASSES)[number];

export function isGuarded(streamClass: StreamClass): boolean {
  return streamClass === 'high' || streamClass === 'protected';
}

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
  /** Captures lie at most this far from their regular instants, either way; 0 when absent. */
  readonly releaseJitterUs?: Micros;
  /** Variants of a lower quality are never used for the stream; 0 when absent. */
  readonly minQuality?: number;
  /** Since the last change of variant, before a better one is taken again; DEFAULT_DWELL_US when absent. */
  readonly variantDwellUs?: Micros;
  /** Only these variants are ever used for the stream; all when absent. */
  readonly approvedVariants?: readonly string[];
  /** How often the consumer takes the newest result; its cycles are what coverage and the miss budget count. */
  readonly consumerPeriodUs?: Micros;
  /** Cycles end at whole multiples of the period plus this on the core clock; without it the first arrival begins one. */
  readonly phaseUs?: Micros;
  /** Where age is read: at the result's arrival here (the default), or at the end of the consumer's cycle. */
  readonly deliveryBoundary?: DeliveryBoundary;
  /** Absent: latest_state. */
  readonly deliverySemantics?: DeliverySemantics;
  /** A result covers only the cycle it came in. */
  readonly requireNewSampleEachCycle?: boolean;
  readonly missBudget?: MissBudget;
  /** Which edition of the contract this is, as its author counts; told with what is reported of it. */
  readonly version?: number;
  /** How strong a promise has to be; absent: observed. */
  readonly evidenceRequired?: Evidence;
  readonly minRuntime?: MinRuntime;
}

export const DELIVERY_BOUNDARIES = ['governor', 'consumer'] as const;
export type DeliveryBoundary = (typeof DELIVERY_BOUNDARIES)[number];

/** latest_state: the newest counts · every_event: none may be skipped · stateful_sequence: none, and in order, by one model of its own. */
export const DELIVERY_SEMANTICS = ['latest_state', 'every_event', 'stateful_sequence'] as const;
export type DeliverySemantics = (typeof DELIVERY_SEMANTICS)[number];

/** observed: what happened is reported · qualified_slo: only with profiles that are verified. */
export const EVIDENCE = ['observed', 'qualified_slo'] as const;
export type Evidence = (typeof EVIDENCE)[number];

/** spare: only time that no guarded stream needs · firm: when due it goes before guarded streams. */
export const GUARANTEES = ['spare', 'firm'] as const;
export type Guarantee = (typeof GUARANTEES)[number];

/** A floor for a stream that is not guarded: so much runtime in any window. */
export interface MinRuntime {
  readonly budgetUs: Micros;
  readonly windowUs: Micros;
  readonly guarantee: Guarantee;
}

export const DEFAULT_DWELL_US = micros(100_000);

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
  /** It was measured elsewhere, or nobody knows where: the margin is wider until enough runs were observed here. */
  readonly unverified?: boolean;
}

/** What a quality value rests on; with `unknown` nobody may choose by it. */
export const QUALITY_SOURCES = ['unknown', 'declared', 'measured'] as const;
export type QualitySource = (typeof QUALITY_SOURCES)[number];

export interface VariantConfiguration {
  readonly name: string;
  /** The model's name at the server: with the backend, the identity for readiness and proof. */
  readonly backendModel: string;
  /** At the server; empty or absent: the server's choice. */
  readonly version?: string;
  /** Relative, 0 … 1. */
  readonly quality: number;
  /** `unknown` when absent. */
  readonly qualitySource?: QualitySource;
  /** Added to the runtimes of the profile: the conversion of the message; 0 when absent. */
  readonly preprocessUs?: Micros;
  readonly profile?: Profile;
}

export interface ModelConfiguration {
  readonly name: string;
  readonly backend: string;
  /** Instances of each backend model, from its configuration at the server; without it = slots. */
  readonly instances?: number;
  /** What it answers depends on what it was shown before: one variant for good, and no frame may be skipped unseen. */
  readonly stateful?: boolean;
  /** It generates token by token, and its work may be cut. Its calls take what this says; a profile is that of requests that must not be cut. */
  readonly cooperative?: Cooperative;
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
  readonly trust?: Trust;
}

/**
 * What a count of finished executions is taken for. open: a proof, nobody else is said to call the models · strict: a proof as long as it
 * never runs ahead of our own calls; the first of these waits for a count (rules.md 11).
 */
export const TRUST = ['open', 'strict'] as const;
export type Trust = (typeof TRUST)[number];

/** When the overload level of a backend rises and falls; a list has one threshold for each of the levels 1 … 4. */
export interface OverloadConfiguration {
  /** Share of violated guarded requests in the last second, in per mille, from which the level is entered; strictly rising. */
  readonly enterPermille: readonly number[];
  /** Share down to which the level is kept; below the one of entering. */
  readonly leavePermille: readonly number[];
  /** Between two steps at least. */
  readonly dwellUs: Micros;
  /** No step up on fewer. */
  readonly minViolations: number;
}

export const DEFAULT_OVERLOAD: OverloadConfiguration = {
  enterPermille: [50, 100, 200, 400],
  leavePermille: [20, 50, 100, 200],
  dwellUs: micros(200_000),
  minViolations: 2,
};

/** How planned runtimes follow from measured ones (rules.md 4). */
export interface LearningConfiguration {
  /** Planned runtime in per cent of the measured one: where the margin starts, and its floor. */
  readonly marginPercent: number;
  /** Whether the margin follows the share of runs that outlast the plan. */
  readonly adapt: boolean;
  /** The margin never exceeds this. */
  readonly ceilingPercent: number;
}

export const DEFAULT_LEARNING: LearningConfiguration = { marginPercent: 110, adapt: true, ceilingPercent: 300 };

export interface SchedulingConfiguration {
  /** Whether the look-ahead also guards the instant at which the last usable result of a guarded stream gets too old. */
  readonly protectSupply: boolean;
  /** ordered when absent. */
  readonly policy?: SchedulingPolicy;
  /** Under `planned`: whether the look-ahead also keeps guarded work from making a guarded frame of a higher class late. */
  readonly strictClasses?: boolean;
}

export const SCHEDULING_POLICIES = ['planned', 'ordered'] as const;
/** planned: what is worth most, waiting included · ordered: by class and deadline. */
export type SchedulingPolicy = (typeof SCHEDULING_POLICIES)[number];

export const DEFAULT_SCHEDULING: SchedulingConfiguration = { protectSupply: false };

export interface CoreConfiguration {
  readonly backends: readonly BackendConfiguration[];
  readonly models: readonly ModelConfiguration[];
  readonly streams: readonly StreamConfiguration[];
  /** DEFAULT_LEARNING when absent. */
  readonly learning?: LearningConfiguration;
  /** DEFAULT_SCHEDULING when absent. */
  readonly scheduling?: SchedulingConfiguration;
  /** Absent: the level stays at 0. */
  readonly overload?: OverloadConfiguration;
}
