/** Random configurations and event sequences for the core, and an independent account of what must hold after each event. */
import fc from 'fast-check';
import type { Action, Defer, Dispatch } from '../../src/core/actions.js';
import type {
  BackendConfiguration,
  CoreConfiguration,
  ModelConfiguration,
  OverloadConfiguration,
  StreamConfiguration,
  VariantConfiguration,
} from '../../src/core/configuration.js';
import { CLASSES, isGuarded, OVERFLOW_POLICIES, QUEUE_POLICIES } from '../../src/core/configuration.js';
import { DecisionCore } from '../../src/core/decision-core.js';
import type { CallResult, CoreEvent } from '../../src/core/events.js';
import { CLOCK_ORIGIN_US, type Micros, micros, requestId } from '../../src/core/units.js';
import type { SentEvent } from './decide-script.js';

/** A step names its object by a number, which is taken modulo what there is: every sequence means something, and shrinks. */
export interface Step {
  readonly kind:
    | 'arrive'
    | 'complete'
    | 'timeout'
    | 'ready'
    | 'cancel'
    | 'round_trip'
    | 'drain'
    | 'drain_limit'
    | 'resume'
    | 'tick'
    | 'wake';
  readonly afterUs: number;
  readonly pick: number;
  readonly ageUs: number;
  readonly end: CallResult;
}

const durationUs = (minimum: number, maximum: number) => fc.integer({ min: minimum, max: maximum }).map((value) => micros(value));
const END: fc.Arbitrary<CallResult> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ result: 'ok' } as const) },
  { weight: 1, arbitrary: fc.constantFrom('not_counted', 'not_started', 'unknown').map((result) => ({ result })) },
  { weight: 1, arbitrary: fc.constant({ result: 'failed', cause: 'model_error' } as const) },
);

const KIND = fc.oneof(
  { weight: 10, arbitrary: fc.constant('arrive' as const) },
  { weight: 8, arbitrary: fc.constant('complete' as const) },
  { weight: 3, arbitrary: fc.constant('wake' as const) },
  { weight: 1, arbitrary: fc.constantFrom('timeout', 'ready', 'cancel', 'round_trip', 'tick') },
  { weight: 2, arbitrary: fc.constant('resume' as const) },
);
/** Ends serving for a while: rare, or nothing else is seen. */
const STOP = fc.constantFrom('drain', 'drain_limit');

export const STEPS: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    kind: fc.oneof({ weight: 80, arbitrary: KIND }, { weight: 1, arbitrary: STOP }),
    afterUs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 9_000 })),
    pick: fc.nat(1000),
    ageUs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 30_000 })),
    end: END,
  }),
  { minLength: 1, maxLength: 250, size: 'max' },
);

function backendOf(index: number, models: readonly string[]): fc.Arbitrary<BackendConfiguration> {
  const pairs = models.flatMap((one, i) => models.slice(i + 1).map((other) => [one, other] as const));
  return fc
    .record({
      slots: fc.integer({ min: 1, max: 3 }),
      pipeliningDepth: fc.integer({ min: 0, max: 2 }),
      lead: fc.option(durationUs(0, 12_000), { nil: undefined }),
      noCorun: pairs.length === 0 ? fc.constant([]) : fc.uniqueArray(fc.constantFrom(...pairs), { maxLength: 2 }),
    })
    .map(({ lead, ...rest }) => ({ name: `backend${index}`, ...rest, ...(lead === undefined ? {} : { pipeliningLeadUs: lead }) }));
}

function modelOf(name: string, backend: string): fc.Arbitrary<ModelConfiguration> {
  const variant = fc.record({
    quality: fc.constantFrom(0.5, 0.8, 1),
    qualitySource: fc.constantFrom('measured', 'measured', 'declared', 'unknown'),
    preprocessUs: fc.oneof(fc.constant(micros(0)), durationUs(0, 3_000)),
    p50: fc.option(durationUs(1, 20_000), { nil: undefined }),
    spread: fc.integer({ min: 0, max: 10_000 }),
  });
  return fc
    .record({
      instances: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
      variants: fc.array(variant, { minLength: 1, maxLength: 3 }),
    })
    .map(({ instances, variants }) => ({
      name,
      backend,
      ...(instances === undefined ? {} : { instances }),
      variants: variants.map(({ quality, qualitySource, preprocessUs, p50, spread }, i) => ({
        name: `v${i}`,
        backendModel: `${name}_v${i}`,
        // The first one meets every minimum: a contract may approve it alone.
        quality: i === 0 ? 1 : quality,
        qualitySource,
        preprocessUs,
        ...(p50 === undefined ? {} : { profile: { p50Us: p50, p95Us: micros(p50 + (spread >> 1)), p99Us: micros(p50 + spread) } }),
      })),
    }));
}

function streamOf(name: string, models: readonly string[]): fc.Arbitrary<StreamConfiguration> {
  return fc
    .record({
      model: fc.constantFrom(...models),
      class: fc.constantFrom(...CLASSES),
      policy: fc.constantFrom(...QUEUE_POLICIES),
      capacity: fc.integer({ min: 1, max: 4 }),
      overflow: fc.constantFrom(...OVERFLOW_POLICIES),
      period: fc.option(durationUs(1_000, 30_000), { nil: undefined }),
      deadlineUs: durationUs(1_000, 60_000),
      maxAgeUs: durationUs(1_000, 60_000),
      releaseJitterUs: fc.oneof(fc.constant(micros(0)), durationUs(0, 5_000)),
      minQuality: fc.constantFrom(0, 0.6, 1),
      variantDwellUs: durationUs(0, 50_000),
      approved: fc.constantFrom(undefined, undefined, ['v0']),
    })
    .map(({ model, class: streamClass, policy, capacity, overflow, period, approved, ...contract }) => ({
      name,
      model,
      class: streamClass,
      queue: {
        policy,
        capacity: policy === 'latest' ? 1 : capacity,
        overflow: policy === 'fifo' && !isGuarded(streamClass) ? overflow : 'reject_new',
      },
      contract: {
        ...contract,
        ...(period === undefined ? {} : { periodUs: period }),
        ...(approved === undefined ? {} : { approvedVariants: approved }),
      },
    }));
}

/** Thresholds and a dwell that short sequences reach. */
const OVERLOAD: fc.Arbitrary<OverloadConfiguration> = fc
  .record({ enter: fc.integer({ min: 1, max: 100 }), dwellUs: durationUs(0, 20_000), minViolations: fc.integer({ min: 1, max: 3 }) })
  .map(({ enter, dwellUs, minViolations }) => ({
    enterPermille: [enter, enter + 1, 2 * enter + 1, 3 * enter + 1],
    leavePermille: [0, enter - 1, enter, 2 * enter],
    dwellUs,
    minViolations,
  }));

export const CONFIGURATION: fc.Arbitrary<CoreConfiguration> = fc
  .array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 2 })
  .chain((modelCounts) => {
    const models = modelCounts.map((count, backend) => Array.from({ length: count }, (_, i) => `model${backend}${i}`));
    return fc.record({
      overload: OVERLOAD,
      learning: fc.record({
        marginPercent: fc.constantFrom(100, 110, 150),
        adapt: fc.boolean(),
        ceilingPercent: fc.constantFrom(150, 300),
      }),
      scheduling: fc.record({ protectSupply: fc.boolean() }),
      backends: fc.tuple(...models.map((names, i) => backendOf(i, names))),
      models: fc.tuple(...models.flatMap((names, i) => names.map((name) => modelOf(name, `backend${i}`)))),
      streams: fc
        .integer({ min: 1, max: 5 })
        .chain((count) => fc.tuple(...Array.from({ length: count }, (_, i) => streamOf(`stream${i}`, models.flat())))),
    });
  });

interface Known {
  readonly stream: StreamConfiguration;
  readonly capture: Micros;
  dispatch?: Dispatch;
  ended?: boolean;
}

/** Runs steps and keeps its own books of requests and open calls. */
export class World {
  readonly core: DecisionCore;
  readonly #configuration: CoreConfiguration;
  readonly requests = new Map<number, Known>();
  /** Calls whose end nobody has proven. */
  readonly open = new Set<number>();
  readonly told: { readonly at: Micros; readonly action: Action }[] = [];
  readonly log: string[] = [];
  /** What was handed in after the start, wake-ups left out. */
  readonly events: SentEvent[] = [];
  readonly ready = new Map<string, boolean>();
  readonly #unknown = new Set<number>();
  readonly #lastOfStream = new Map<string, bigint>();
  /** Wake-ups come when they were asked for, unless they come late or never. */
  readonly #punctual: boolean;
  #now: number = CLOCK_ORIGIN_US;
  /** Nothing more comes before. */
  #freeUs = 0;
  #wakeUs: number | undefined;

  constructor(configuration: CoreConfiguration, punctual: boolean) {
    this.#configuration = configuration;
    this.#punctual = punctual;
    this.core = new DecisionCore(configuration);
    for (const { name } of this.backendModels()) this.#send(this.#readiness(name, true));
    this.#send({ type: 'resume' });
  }

  backendModels(): { name: string; backend: string }[] {
    return this.#configuration.models.flatMap(({ backend, variants }) => variants.map((one) => ({ name: one.backendModel, backend })));
  }

  get now(): Micros {
    return micros(this.#now);
  }

  run(step: Step): void {
    const untilUs = Math.max(this.#now + step.afterUs, this.#freeUs);
    if (this.#punctual) while (this.#wakeUs !== undefined && this.#wakeUs < untilUs) this.#wake(this.#wakeUs);
    this.#now = untilUs;
    if (step.kind === 'wake' && this.#wakeUs !== undefined) {
      this.#wake(Math.max(this.#now, this.#wakeUs));
      return;
    }
    const event = this.#eventOf(step);
    if (event === undefined) return;
    this.events.push({ at: this.now, event });
    this.#send(event);
  }

  #wake(at: number): void {
    this.#wakeUs = undefined;
    this.#now = at;
    if (this.#punctual) this.#freeUs = at + 1; // of equal instants the wake-up is the last
    this.#send({ type: 'tick' });
  }

  #eventOf({ kind, pick, ageUs, end }: Step): CoreEvent | undefined {
    switch (kind) {
      case 'arrive':
        return this.#arrival(pick, ageUs);
      case 'complete':
      case 'timeout': {
        const calls = [...this.open];
        // Now and then one that ended long ago, or never was.
        const id = pick % 7 === 0 ? pick + 1 : calls[pick % Math.max(1, calls.length)];
        if (id === undefined) return undefined;
        return kind === 'timeout' ? { type: kind, request: requestId(id) } : { type: 'completion', request: requestId(id), end };
      }
      case 'ready': {
        const models = this.backendModels();
        return this.#readiness(models[pick % models.length]?.name ?? '', ageUs % 3 > 0);
      }
      case 'cancel':
        return { type: 'cancel', request: requestId(1 + (pick % (this.requests.size + 1))) };
      case 'round_trip':
        return { type: 'round_trip', backend: this.#configuration.backends[0]?.name ?? '', p90: micros(ageUs) };
      case 'wake':
        return { type: 'tick' };
      default:
        return { type: kind };
    }
  }

  #readiness(backendModel: string, ready: boolean): CoreEvent {
    this.ready.set(backendModel, ready);
    const backend = this.backendModels().find((one) => one.name === backendModel)?.backend ?? '';
    return { type: 'readiness', backend, backendModel, ready };
  }

  #arrival(pick: number, ageUs: number): CoreEvent {
    const { streams } = this.#configuration;
    const stream = streams[pick % streams.length] as StreamConfiguration;
    const request = this.requests.size + 1;
    const capture = micros(this.#now - ageUs);
    const stampNs = (pick % 11 === 0 ? this.#lastOfStream.get(stream.name) : undefined) ?? BigInt(capture) * 1000n;
    this.#lastOfStream.set(stream.name, stampNs);
    this.requests.set(request, { stream, capture });
    return { type: 'arrival', request: requestId(request), stream: stream.name, capture, stampNs };
  }

  #send(event: CoreEvent): void {
    if (event.type === 'completion' && this.open.has(event.request) && !this.#unknown.has(event.request)) {
      if (event.end.result === 'unknown') this.#unknown.add(event.request);
      else this.open.delete(event.request);
    }
    const actions = this.core.handle(event, this.now);
    for (const action of actions) this.told.push({ at: this.now, action });
    this.log.push(`${this.#now} ${JSON.stringify(actions)}`);
    for (const action of actions) this.#check(action);
    const steps = actions.filter((action) => action.type === 'level').map((action) => action.backend);
    must(new Set(steps).size === steps.length, 'at most one overload step per pass');
    this.#checkState();
  }

  #check(action: Action): void {
    switch (action.type) {
      case 'wake':
        must(action.at > this.#now, 'a wake-up lies ahead');
        must(action.at !== this.#wakeUs || this.#wakeUs <= this.#now, 'a wake-up is told once');
        this.#wakeUs = action.at;
        return;
      case 'late_answer':
        must(this.#known(action.request).ended === true, 'only an ended request answers late');
        return;
      case 'level':
        must(Math.abs(action.level - action.previous) === 1 && action.level >= 0 && action.level <= 4, 'one overload step at a time');
        return;
      case 'terminate': {
        const known = this.#known(action.request);
        must(known.ended !== true, 'a request ends once');
        known.ended = true;
        if (known.stream.queue.policy === 'never_drop')
          must(action.state !== 'stale' && action.state !== 'superseded', 'never_drop drops nothing');
        must(known.stream.queue.policy === 'latest' || action.state !== 'superseded', 'only latest supersedes');
        must(action.deadlineMissed === this.#now > known.capture + known.stream.contract.deadlineUs, 'a missed deadline is counted');
        return;
      }
      case 'defer':
        this.#checkDefer(action);
        return;
      case 'dispatch':
        this.#checkDispatch(action);
    }
  }

  #checkDefer({ request, stream, variant, why }: Defer): void {
    const known = this.#known(request);
    const blocker = this.#configuration.streams.find((one) => one.name === why.blockedBy);
    must(known.dispatch === undefined && known.ended !== true && known.stream.name === stream, 'what is put off waits on');
    must(blocker !== undefined && isGuarded(blocker.class), 'only for a guarded stream');
    must(CLASSES.indexOf(blocker?.class ?? 'best_effort') > CLASSES.indexOf(known.stream.class), 'only for a higher class');
    must(why.expectedUs === undefined || why.expectedUs >= this.#now, 'an expected frame lies not in the past');
    must(
      usableBy(known.stream, this.#modelOf(known.stream)).some(({ name }) => name === variant),
      'a variant that may run was considered',
    );
  }

  #checkDispatch(dispatch: Dispatch): void {
    const known = this.#known(dispatch.request);
    must(known.dispatch === undefined && known.ended !== true, 'a request is sent once, and never after its end');
    must(this.ready.get(dispatch.backendModel) === true, 'only a ready model is called');
    must(
      usableBy(known.stream, this.#modelOf(known.stream)).some(({ name }) => name === dispatch.variant),
      'no variant runs that may not',
    );
    known.dispatch = dispatch;
    const { queue, contract } = known.stream;
    const startUs = dispatch.why.startUs ?? Number.NaN;
    must(dispatch.why.follows === undefined ? startUs === this.#now : startUs >= this.#now, 'a start lies not in the past');
    if (queue.policy !== 'never_drop') {
      const finishUs = startUs + Math.max(this.#profileUs(dispatch), dispatch.why.optimisticUs ?? Number.NaN);
      must(finishUs <= known.capture + contract.maxAgeUs, 'nothing is sent that cannot be fresh');
    }
    if (queue.policy !== 'latest') {
      const overtaken = [...this.requests].some(
        ([id, other]) => id < dispatch.request && other.stream === known.stream && !other.ended && !other.dispatch,
      );
      must(!overtaken, 'a queue is served in order of arrival');
    }
    for (const [one, other] of this.#configuration.backends.flatMap((backend) => backend.noCorun)) {
      const partner = dispatch.model === one ? other : dispatch.model === other ? one : undefined;
      must(![...this.open].some((id) => this.#known(id).dispatch?.model === partner), 'no banned pair runs');
    }
    this.open.add(dispatch.request);
  }

  #checkState(): void {
    const snapshot = this.core.snapshot();
    for (const stream of snapshot.streams) {
      const own = [...this.requests.values()].filter((known) => known.stream.name === stream.name);
      const ended = Object.values(stream.outcomes).reduce((sum, count) => sum + count, 0);
      must(stream.received === own.length && stream.received === stream.waiting + stream.inFlight + ended, 'conservation');
      must(ended === own.filter((known) => known.ended).length, 'every outcome is told');
      must(stream.waiting <= (own[0]?.stream.queue.capacity ?? 0), 'a queue keeps its capacity');
    }
    for (const backend of snapshot.backends) this.#checkBackend(backend.name, backend.inFlight, backend.held);
    for (const known of this.requests.values()) this.#checkWaiting(known);
  }

  #checkBackend(name: string, inFlight: number, held: number): void {
    const { slots, pipeliningDepth } = this.#configuration.backends.find((one) => one.name === name) as BackendConfiguration;
    const calls = [...this.open].map((id) => this.#known(id)).filter((known) => known.dispatch?.backend === name);
    must(inFlight === calls.length && inFlight <= slots + pipeliningDepth, 'credits');
    must(held === calls.filter((known) => known.ended).length, 'held calls are those whose request ended');
    const perModel = new Map<string, number>();
    for (const { dispatch } of calls) perModel.set(dispatch?.backendModel ?? '', (perModel.get(dispatch?.backendModel ?? '') ?? 0) + 1);
    let queued = 0;
    for (const [model, count] of perModel) {
      const instances =
        this.#configuration.models.find((one) => one.variants.some((variant) => variant.backendModel === model))?.instances ?? slots;
      queued += Math.max(0, count - instances);
    }
    must(queued <= pipeliningDepth && calls.length - queued <= slots, 'no more wait at the server than the depth, no more run than slots');
  }

  /** What waits could still be fresh on some ready variant, as far as the profiles tell. */
  #checkWaiting({ stream, capture, dispatch, ended }: Known): void {
    if (dispatch !== undefined || ended === true || stream.queue.policy === 'never_drop') return;
    const variants = usableBy(stream, this.#modelOf(stream)).filter((one) => this.ready.get(one.backendModel));
    const fastestUs = Math.min(...variants.map(medianUs));
    must(this.#now + fastestUs <= capture + stream.contract.maxAgeUs, 'nothing hopeless waits');
  }

  #profileUs({ variant, stream }: Dispatch): number {
    const of = this.#configuration.streams.find((one) => one.name === stream) as StreamConfiguration;
    return medianUs(this.#modelOf(of).variants.find((one) => one.name === variant) as VariantConfiguration);
  }

  #modelOf({ model }: StreamConfiguration): ModelConfiguration {
    return this.#configuration.models.find((one) => one.name === model) as ModelConfiguration;
  }

  #known(id: number): Known {
    const known = this.requests.get(id);
    if (known === undefined) throw new Error(`request ${id} was never handed in`);
    return known;
  }
}

function must(condition: boolean, what: string): void {
  if (!condition) throw new Error(`violated: ${what}`);
}

/** Where one quality is unknown, only the first approved variant stands for all. */
function usableBy({ contract }: StreamConfiguration, { variants }: ModelConfiguration): readonly VariantConfiguration[] {
  const { approvedVariants, minQuality = 0 } = contract;
  const approved = variants.filter(({ name, quality }) => quality >= minQuality && (approvedVariants?.includes(name) ?? true));
  return approved.some(({ qualitySource }) => qualitySource === 'unknown') ? approved.slice(0, 1) : approved;
}

function medianUs({ profile, preprocessUs = micros(0) }: VariantConfiguration): number {
  return profile === undefined ? 0 : profile.p50Us + preprocessUs;
}
