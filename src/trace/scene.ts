/** What stands around a request, followed along a trace: the calls that run, what waits, and what is known of the variants. */
import type { Action, Why } from '../core/actions.js';
import type { Contract, CoreConfiguration, ModelConfiguration, StreamConfiguration, VariantConfiguration } from '../core/configuration.js';
import type { Micros, RequestId } from '../core/units.js';
import { explainPassedOver, inMs } from '../governor/explanation.js';
import { type CallChange, type RunningCall, RunningCalls } from './running.js';
import type { ModelReadiness, OverloadLevel, SceneState, VariantPlan, Waiting } from './scene-state.js';
import type { Decided } from './trace-reader.js';

/** Of those that wait, named at most. */
const MAX_OTHERS = 5;

/** The variant of a decision, what became of it, and the grounds. */
export interface Considered {
  readonly variant: string;
  readonly verdict: 'taken' | 'put off';
  readonly why: Why;
}

export class Scene {
  readonly #configuration: CoreConfiguration;
  readonly #models: ReadonlyMap<string, ModelConfiguration>;
  /** With the contracts that are in force. */
  readonly #streams: Map<string, StreamConfiguration>;
  readonly #slots: ReadonlyMap<string, number>;
  readonly #running: RunningCalls;
  readonly #waiting = new Map<RequestId, Waiting>();
  readonly #levels = new Map<string, OverloadLevel>();
  readonly #readiness = new Map<string, ModelReadiness>();
  readonly #plans = new Map<string, VariantPlan>();

  /** @param state what is known already. */
  constructor(configuration: CoreConfiguration, state?: SceneState) {
    const { models, streams, backends } = configuration;
    this.#configuration = configuration;
    this.#models = new Map(models.map((model) => [model.name, model]));
    this.#streams = new Map(streams.map((stream) => [stream.name, stream]));
    this.#slots = new Map(backends.map(({ name, slots }) => [name, slots]));
    this.#running = new RunningCalls(state?.running);
    for (const one of state?.waiting ?? []) this.#waiting.set(one.request, one);
    for (const one of state?.levels ?? []) this.#levels.set(one.backend, one);
    for (const one of state?.readiness ?? []) this.#readiness.set(pair(one.backend, one.backendModel), one);
    for (const one of state?.plans ?? []) this.#plans.set(pair(one.model, one.variant), one);
  }

  /** With the contracts that are in force. */
  get configuration(): CoreConfiguration {
    return { ...this.#configuration, streams: [...this.#streams.values()] };
  }

  get state(): SceneState {
    return {
      readiness: [...this.#readiness.values()],
      levels: [...this.#levels.values()],
      waiting: [...this.#waiting.values()],
      running: this.#running.all.map((call) => ({ ...call })),
      plans: [...this.#plans.values()],
    };
  }

  /** An event with all that it led to, where nobody asks what it changed. */
  follow(decided: Decided): void {
    this.takeEvent(decided);
    for (const action of decided.actions) this.takeAction(action, decided.at);
  }

  /** To be followed by each action. @returns the calls that it ended, and that began by it. */
  takeEvent(decided: Decided): readonly CallChange[] {
    const { event, at } = decided;
    if (event.type === 'readiness') {
      const { backend, backendModel, ready } = event;
      this.#readiness.set(pair(backend, backendModel), { backend, backendModel, ready });
    }
    if (event.type === 'reconfigure') for (const { stream, contract } of event.contracts) this.#adopt(stream, contract);
    if (event.type === 'arrival') this.#waiting.set(event.request, { request: event.request, stream: event.stream, sinceUs: at });
    return this.#running.takeEvent(decided);
  }

  takeAction(action: Action, at: Micros): readonly CallChange[] {
    if (action.type === 'dispatch' || action.type === 'terminate') this.#waiting.delete(action.request);
    if (action.type === 'level') this.#levels.set(action.backend, { backend: action.backend, level: action.level });
    if (action.type === 'dispatch' || action.type === 'defer') {
      const { variant, why } = action;
      const { name: model = '' } = this.#modelOf(action.stream) ?? {};
      this.#notePlan(model, variant, why.plannedUs, at);
      if (why.passedOver !== undefined) this.#notePlan(model, why.passedOver, why.passedOverPlannedUs, at);
    }
    return this.#running.takeAction(action, at);
  }

  backendOf(stream: string): string {
    return this.#modelOf(stream)?.backend ?? '';
  }

  /** A request with its stream and class. */
  who(request: RequestId, stream: string): string {
    return `${nameOf(request)} of ${stream} (${this.#streams.get(stream)?.class ?? 'unknown'})`;
  }

  /** What the stream is promised. */
  terms(stream: string): string {
    const { maxAgeUs, deadlineUs } = this.#contractOf(stream) ?? {};
    const ages = maxAgeUs === undefined || deadlineUs === undefined ? '' : `, max_age ${inMs(maxAgeUs)}, deadline ${inMs(deadlineUs)}`;
    return `${this.#streams.get(stream)?.class ?? 'unknown'}${ages}`;
  }

  /** What runs at the backend, and what was sent ahead. */
  beside(backend: string, at: Micros): string {
    const calls = this.#running.of(backend);
    if (calls.length === 0) return `nothing ran on ${backend}`;
    const taken = calls.filter(({ startedUs }) => startedUs !== undefined).length;
    const slots = this.#slots.get(backend) ?? taken;
    const each = calls.map((call) => this.#callInWords(call, at)).join('; ');
    return `on ${backend}, ${taken} of ${slots} ${slots === 1 ? 'slot' : 'slots'} taken: ${each}`;
  }

  /** Who else waits for the backend; empty when nobody does. */
  others(request: RequestId, backend: string, at: Micros): string {
    const others = [...this.#waiting].filter(([other, { stream }]) => other !== request && this.backendOf(stream) === backend);
    const named = others
      .slice(0, MAX_OTHERS)
      .map(([other, { stream, sinceUs }]) => `${this.who(other, stream)} since ${inMs(at - sinceUs)}`);
    const more = others.length > MAX_OTHERS ? [`${others.length - MAX_OTHERS} more`] : [];
    return [...named, ...more].join(', ');
  }

  /** What is recorded of each variant of the model, where there are several. */
  variants(stream: string, considered: Considered, at: Micros): string[] {
    const model = this.#modelOf(stream);
    if (model === undefined || model.variants.length < 2) return [];
    const { level } = this.#levels.get(model.backend) ?? { level: 0 };
    const overload = level > 0 ? [`${model.backend} is at overload level ${level}`] : [];
    const lines = model.variants.map((variant) => {
      const isIt = variant.name === considered.variant;
      const plan = variant.name === considered.why.passedOver ? explainPassedOver(considered.why) : this.#planOf(variant, model, at);
      const facts = [...described(variant), ...this.#against(variant, model, stream), ...(isIt || plan === undefined ? [] : [plan])];
      return `${variant.name}${isIt ? ` (${considered.verdict})` : ''}: ${facts.join(', ')}`;
    });
    const { minQuality = 0 } = this.#contractOf(stream) ?? {};
    return [`the variants of ${model.name}, min_quality ${minQuality}:`, ...lines.map((line) => `  ${line}`), ...overload];
  }

  /** What rules it out. */
  #against({ name, quality, backendModel }: VariantConfiguration, { backend }: ModelConfiguration, stream: string): string[] {
    const { minQuality = 0, approvedVariants } = this.#contractOf(stream) ?? {};
    return [
      ...(this.#readiness.get(pair(backend, backendModel))?.ready === false ? ['not ready'] : []),
      ...(quality < minQuality ? [`below min_quality ${minQuality}`] : []),
      ...(approvedVariants?.includes(name) === false ? ['not in approved_variants'] : []),
    ];
  }

  #notePlan(model: string, variant: string, plannedUs: Micros | undefined, at: Micros): void {
    if (plannedUs !== undefined) this.#plans.set(pair(model, variant), { model, variant, plannedUs, at });
  }

  #planOf({ name }: VariantConfiguration, model: ModelConfiguration, at: Micros): string | undefined {
    const plan = this.#plans.get(pair(model.name, name));
    if (plan === undefined) return undefined;
    return `planned ${inMs(plan.plannedUs)} when it was last decided on${plan.at === at ? '' : `, ${inMs(at - plan.at)} before`}`;
  }

  #callInWords({ dispatch, sentUs, startedUs, held }: RunningCall, at: Micros): string {
    const { request, stream, variant, why } = dispatch;
    const call = `${this.who(request, stream)} as ${variant}`;
    if (startedUs === undefined) {
      return `${call}, sent ahead ${inMs(at - sentUs)} before${why.follows === undefined ? '' : ` behind ${nameOf(why.follows)}`}`;
    }
    const leftUs = why.plannedUs === undefined ? undefined : startedUs + why.plannedUs - at;
    const plan = leftUs === undefined ? '' : leftUs < 0 ? `, ${inMs(-leftUs)} longer than planned` : `, planned to end in ${inMs(leftUs)}`;
    return `${call}, running since ${inMs(at - startedUs)}${plan}${held ? ', held until its end is proven' : ''}`;
  }

  #modelOf(stream: string): ModelConfiguration | undefined {
    return this.#models.get(this.#streams.get(stream)?.model ?? '');
  }

  #contractOf(stream: string): Contract | undefined {
    return this.#streams.get(stream)?.contract;
  }

  #adopt(name: string, contract: Contract): void {
    const stream = this.#streams.get(name);
    if (stream !== undefined) this.#streams.set(name, { ...stream, contract });
  }
}

function described({ quality, qualitySource = 'unknown', profile }: VariantConfiguration): string[] {
  const times = profile === undefined ? undefined : [profile.p50Us, profile.p95Us, profile.p99Us].map((us) => (us / 1000).toFixed(1));
  return [
    qualitySource === 'unknown' ? 'quality unknown' : `quality ${quality} (${qualitySource})`,
    times === undefined
      ? 'no profile'
      : `${profile?.unverified === true ? 'unverified ' : ''}profile ${times.join(' / ')} ms (p50 / p95 / p99)`,
  ];
}

/** For people. */
export function nameOf(request: RequestId): string {
  return `request ${request}`;
}

function pair(one: string, other: string): string {
  return JSON.stringify([one, other]);
}
