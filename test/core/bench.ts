/** The core with events in milliseconds and decisions as short lines. */
import type { Action, Dispatch, Terminate } from '../../src/core/actions.js';
import type {
  BackendConfiguration,
  Contract,
  CoreConfiguration,
  LearningConfiguration,
  ModelConfiguration,
  OverloadConfiguration,
  QualitySource,
  QueueConfiguration,
  SchedulingConfiguration,
  StreamClass,
  StreamConfiguration,
  VariantConfiguration,
} from '../../src/core/configuration.js';
import { DecisionCore } from '../../src/core/decision-core.js';
import type { CallResult, CoreEvent } from '../../src/core/events.js';
import type { Cooperative, FillUntil } from '../../src/core/quanta/cooperative.js';
import type { Prompt } from '../../src/core/quanta/generation.js';
import { type Micros, millis, requestId } from '../../src/core/units.js';

export interface VariantShort {
  readonly quality?: number;
  /** Without it the variant has no profile. */
  readonly p50?: number;
  /** Default: p50. */
  readonly p99?: number;
  /** Default: measured. */
  readonly source?: QualitySource;
  readonly preprocess?: number;
  readonly unverified?: boolean;
}

export interface ModelShort {
  readonly instances?: number;
  readonly stateful?: boolean;
  readonly cooperative?: Cooperative;
  readonly variants: Readonly<Record<string, VariantShort>>;
}

export interface StreamShort {
  /** Default: a model of the stream's own name. */
  readonly model?: string;
  readonly class?: StreamClass;
  readonly queue?: Partial<QueueConfiguration>;
  readonly period?: number;
  readonly deadline?: number;
  readonly maxAge?: number;
  readonly jitter?: number;
  readonly minQuality?: number;
  readonly dwell?: number;
  readonly approved?: readonly string[];
  /** What the short form does not have, in the units of the core. */
  readonly contract?: Partial<Contract>;
}

export interface Setting {
  readonly backend?: Partial<Omit<BackendConfiguration, 'name'>>;
  /** A number is the p50 of the one variant `only`; models that a stream names and nobody lists take 10 ms. */
  readonly models?: Readonly<Record<string, number | ModelShort>>;
  readonly streams: Readonly<Record<string, StreamShort>>;
  /** true: the default thresholds. */
  readonly overload?: true | Partial<OverloadConfiguration>;
  /** Default: the margin is 100 % for good. */
  readonly learning?: Partial<LearningConfiguration>;
  readonly protectSupply?: boolean;
  readonly scheduling?: SchedulingConfiguration;
}

const OVERLOAD: OverloadConfiguration = {
  enterPermille: [50, 100, 200, 400],
  leavePermille: [20, 50, 100, 200],
  dwellUs: millis(200),
  minViolations: 2,
};

export function configure({
  backend,
  models = {},
  streams,
  overload,
  learning,
  protectSupply = false,
  scheduling,
}: Setting): CoreConfiguration {
  const named = Object.entries(streams).map(([name, short]) => stream(name, short));
  const missing = new Set(named.map((one) => one.model).filter((name) => !(name in models)));
  return {
    backends: [{ name: 'gpu', slots: 1, pipeliningDepth: 0, noCorun: [], ...backend }],
    models: [...Object.entries(models), ...[...missing].map((name) => [name, 10] as const)].map(([name, short]) => model(name, short)),
    streams: named,
    learning: { marginPercent: 100, adapt: false, ceilingPercent: 300, ...learning },
    scheduling: scheduling ?? { protectSupply },
    ...(overload === undefined ? {} : { overload: overload === true ? OVERLOAD : { ...OVERLOAD, ...overload } }),
  };
}

function stream(name: string, short: StreamShort): StreamConfiguration {
  const contract: Contract = {
    ...(short.period === undefined ? {} : { periodUs: millis(short.period) }),
    deadlineUs: millis(short.deadline ?? 1000),
    maxAgeUs: millis(short.maxAge ?? 1000),
    ...(short.jitter === undefined ? {} : { releaseJitterUs: millis(short.jitter) }),
    ...(short.minQuality === undefined ? {} : { minQuality: short.minQuality }),
    ...(short.dwell === undefined ? {} : { variantDwellUs: millis(short.dwell) }),
    ...(short.approved === undefined ? {} : { approvedVariants: short.approved }),
    ...short.contract,
  };
  const queue: QueueConfiguration = {
    policy: 'latest',
    capacity: short.queue?.policy === undefined ? 1 : 64,
    overflow: 'reject_new',
    ...short.queue,
  };
  return { name, model: short.model ?? name, class: short.class ?? 'normal', queue, contract };
}

function model(name: string, short: number | ModelShort): ModelConfiguration {
  const { variants, ...rest }: ModelShort = typeof short === 'number' ? { variants: { only: { p50: short } } } : short;
  return {
    name,
    backend: 'gpu',
    ...rest,
    variants: Object.entries(variants).map(([variant, value]) => variantOf(name, variant, value)),
  };
}

function variantOf(model: string, name: string, short: VariantShort): VariantConfiguration {
  const { quality = 1, source = 'measured', preprocess = 0, p50, p99 = p50, unverified = false } = short;
  return {
    name,
    backendModel: `${model}_${name}`,
    quality,
    qualitySource: source,
    preprocessUs: millis(preprocess),
    ...(p50 === undefined || p99 === undefined
      ? {}
      : { profile: { p50Us: millis(p50), p95Us: millis((p50 + p99) / 2), p99Us: millis(p99), unverified } }),
  };
}

/** Durations in ms; tokens cost a millisecond each and nothing to read, unless told otherwise. */
export function cooperative(short: {
  base: number;
  rate?: number;
  prefill?: number;
  min?: number;
  max?: number;
  fillUntil?: FillUntil;
}): Cooperative {
  const { base, rate = 1000, prefill = 0, min = 1, max = 64, fillUntil = 'arrival' } = short;
  return {
    baseCostUs: millis(base),
    prefillPerTokenUs: prefill * 1000,
    tokensPerSecond: rate,
    minTokens: min,
    maxTotalTokens: max,
    fillUntil,
  };
}

export interface ArrivalOptions {
  /** Default: the instant of arrival. */
  readonly capture?: number;
  /** Default: follows from the capture. */
  readonly stampNs?: bigint;
  readonly prompt?: Prompt;
}

export class Bench {
  readonly configuration: CoreConfiguration;
  readonly core: DecisionCore;
  /** The wake-up asked for last, in ms. */
  wakeMs: number | undefined;
  /** Every action so far. */
  readonly actions: Action[] = [];
  #last: readonly Action[] = [];
  #nextId = 1;

  /** Every model is ready at -1000 ms, unless told otherwise. */
  constructor(setting: Setting, { ready = true } = {}) {
    this.configuration = configure(setting);
    this.core = new DecisionCore(this.configuration);
    if (ready) for (const served of this.backendModels()) this.ready(-1000, served, true);
  }

  backendModels(): string[] {
    return this.configuration.models.flatMap((one) => one.variants.map((variant) => variant.backendModel));
  }

  /** Ids count up from 1 in order of arrival. */
  arrive(atMs: number, name: string, { capture = atMs, stampNs, prompt }: ArrivalOptions = {}): string[] {
    const id = requestId(this.#nextId++);
    return this.send(atMs, {
      type: 'arrival',
      request: id,
      stream: name,
      capture: millis(capture),
      stampNs: stampNs ?? BigInt(millis(capture)) * 1000n,
      ...(prompt === undefined ? {} : { prompt }),
    });
  }

  complete(atMs: number, id: number, end: CallResult['result'] | CallResult = 'ok'): string[] {
    const result = typeof end !== 'string' ? end : end === 'failed' ? ({ result: end, cause: 'model_error' } as const) : { result: end };
    return this.send(atMs, { type: 'completion', request: requestId(id), end: result });
  }

  timeout(atMs: number, id: number): string[] {
    return this.send(atMs, { type: 'timeout', request: requestId(id) });
  }

  cancel(atMs: number, id: number): string[] {
    return this.send(atMs, { type: 'cancel', request: requestId(id) });
  }

  ready(atMs: number, backendModel: string, ready: boolean): string[] {
    return this.send(atMs, { type: 'readiness', backend: 'gpu', backendModel, ready });
  }

  roundTrip(atMs: number, p90: number): string[] {
    return this.send(atMs, { type: 'round_trip', backend: 'gpu', p90: millis(p90) });
  }

  plain(atMs: number, type: 'drain' | 'drain_limit' | 'resume' | 'clock_jump' | 'tick'): string[] {
    return this.send(atMs, { type });
  }

  tick(atMs: number): string[] {
    return this.plain(atMs, 'tick');
  }

  /** @returns what was decided, without wake-ups: `dispatch 1`, `end 1 stale/predicted_stale`, `late 1`. */
  send(atMs: number, event: CoreEvent): string[] {
    this.#last = this.core.handle(event, millis(atMs));
    this.actions.push(...this.#last);
    for (const action of this.#last) if (action.type === 'wake') this.wakeMs = action.at / 1000;
    return this.#last.filter((action) => action.type !== 'wake').map(line);
  }

  /** Actions of the last event, as they are. */
  get last(): readonly Action[] {
    return this.#last;
  }

  dispatchOf(id: number): Dispatch | undefined {
    return this.actions.find((action): action is Dispatch => action.type === 'dispatch' && action.request === id);
  }

  outcomeOf(id: number): Terminate | undefined {
    return this.actions.find((action): action is Terminate => action.type === 'terminate' && action.request === id);
  }

  backend() {
    return this.core.snapshot().backends[0];
  }

  stream(name: string) {
    return this.core.snapshot().streams.find((one) => one.name === name);
  }
}

function line(action: Action): string {
  switch (action.type) {
    case 'dispatch':
      return `dispatch ${action.request}`;
    case 'terminate':
      return `end ${action.request} ${action.state}/${action.cause}`;
    case 'defer':
      return `defer ${action.request} by ${action.why.blockedBy}`;
    case 'late_answer':
      return `late ${action.request}`;
    case 'reconciled':
      return `reconciled ${action.request} by ${action.by}`;
    case 'restart':
      return `restart ${action.restarts}`;
    case 'poll':
      return `poll ${action.backendModel} every ${action.everyUs / 1000}`;
    case 'level':
      return `level ${action.level}`;
    case 'violation':
      return `violation ${action.stream}`;
    case 'wake':
      return `wake ${action.at / 1000}`;
  }
}

export function ms(value: number): Micros {
  return millis(value);
}
