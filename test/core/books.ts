/** An independent account of what happened, and of what must hold after each event (scenarios.md 5). */
import type { Action, Defer, Dispatch, LevelChange, Terminate, Violation } from '../../src/core/actions.js';
import { CAUSES } from '../../src/core/catalogue.js';
import type {
  BackendConfiguration,
  Contract,
  CoreConfiguration,
  ModelConfiguration,
  StreamConfiguration,
  VariantConfiguration,
} from '../../src/core/configuration.js';
import { CLASSES, isGuarded } from '../../src/core/configuration.js';
import type { CoreEvent } from '../../src/core/events.js';
import type { CoreSnapshot } from '../../src/core/snapshot.js';
import { type Micros, micros } from '../../src/core/units.js';

export interface Known {
  readonly stream: StreamConfiguration;
  readonly capture: Micros;
  dispatch?: Dispatch;
  ended?: boolean;
}

export class Books {
  readonly configuration: CoreConfiguration;
  readonly requests = new Map<number, Known>();
  /** Of these: neither sent nor ended, in order of arrival. */
  readonly #waiting = new Map<number, Known>();
  readonly #counts = new Map<string, { received: number; ended: number }>();
  /** Calls whose end nobody has proven. */
  readonly open = new Set<number>();
  /** Of these: the call returned without telling whether it ended. */
  readonly unknown = new Set<number>();
  readonly #ready = new Map<string, boolean>();
  readonly #contracts = new Map<string, Contract>();
  readonly #levels = new Map<string, number>();
  readonly #restarts = new Map<string, number>();
  readonly #polls = new Map<string, number>();
  #wakeUs: number | undefined;
  #now = micros(0);

  constructor(configuration: CoreConfiguration) {
    this.configuration = configuration;
    for (const { name, contract } of configuration.streams) {
      this.#contracts.set(name, contract);
      this.#counts.set(name, { received: 0, ended: 0 });
    }
  }

  /** When the core wants to be woken, if that lies ahead. */
  get wakeUs(): number | undefined {
    return this.#wakeUs;
  }

  /** The contract in force. */
  contractOf(stream: string): Contract {
    return this.#contracts.get(stream) as Contract;
  }

  /** The stream as it is now. */
  streamOf(name: string): StreamConfiguration {
    const stream = this.configuration.streams.find((one) => one.name === name) as StreamConfiguration;
    return { ...stream, contract: this.contractOf(name) };
  }

  modelOf({ model }: StreamConfiguration): ModelConfiguration {
    return this.configuration.models.find((one) => one.name === model) as ModelConfiguration;
  }

  /** Something is handed in. */
  before(event: CoreEvent, now: Micros): void {
    this.#now = now;
    if (event.type === 'tick' && this.#wakeUs !== undefined && this.#wakeUs <= now) this.#wakeUs = undefined;
    if (event.type === 'readiness') this.#ready.set(event.backendModel, event.ready);
    if (event.type === 'reconfigure') for (const { stream, contract } of event.contracts) this.#contracts.set(stream, contract);
    if (event.type === 'arrival') {
      const stream = this.configuration.streams.find(({ name }) => name === event.stream) as StreamConfiguration;
      const known = { stream, capture: event.capture };
      this.requests.set(event.request, known);
      this.#waiting.set(event.request, known);
      this.#countsOf(stream).received += 1;
    }
    if (event.type !== 'completion' || !this.open.has(event.request) || this.unknown.has(event.request)) return;
    if (event.end.result === 'unknown') this.unknown.add(event.request);
    else this.open.delete(event.request);
  }

  /** What it led to. */
  after(actions: readonly Action[], snapshot: CoreSnapshot): void {
    for (const action of actions) this.#check(action);
    const steps = actions.filter((action) => action.type === 'level').map((action) => action.backend);
    must(new Set(steps).size === steps.length, 'at most one overload step per pass');
    this.#checkState(snapshot);
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
      case 'reconciled':
        must(this.unknown.delete(action.request) && this.open.delete(action.request), 'only a call of unknown fate needs a proof');
        return;
      case 'restart': {
        const before = this.#restarts.get(action.backend) ?? 0;
        must(action.restarts === before || action.restarts === before + 1, 'restarts are counted one by one');
        this.#restarts.set(action.backend, action.restarts);
        return;
      }
      case 'poll':
        must(action.everyUs !== (this.#polls.get(action.backendModel) ?? 5_000_000), 'a pace is told when it changes');
        this.#polls.set(action.backendModel, action.everyUs);
        return;
      case 'level':
        this.#checkLevel(action);
        return;
      case 'violation':
        this.#checkViolation(action);
        return;
      case 'terminate':
        this.#checkEnd(action);
        return;
      case 'defer':
        this.#checkDefer(action);
        return;
      case 'dispatch':
        this.#checkDispatch(action);
    }
  }

  #checkLevel({ backend, level, previous }: LevelChange): void {
    must(previous === (this.#levels.get(backend) ?? 0), 'levels follow each other');
    must(Math.abs(level - previous) === 1 && level >= 0 && level <= 4, 'one overload step at a time');
    this.#levels.set(backend, level);
  }

  #checkViolation({ stream, why: { misses } }: Violation): void {
    const { missBudget } = this.contractOf(stream);
    must(missBudget !== undefined, 'only a budget can be broken');
    if (missBudget === undefined) return;
    must(misses <= missBudget.windowCycles, 'no more misses than the window has cycles');
  }

  #checkEnd(action: Terminate): void {
    const known = this.#known(action.request);
    const { queue, class: streamClass } = known.stream;
    const { deadlineUs, minRuntime } = this.contractOf(known.stream.name);
    must(known.ended !== true, 'a request ends once');
    known.ended = true;
    this.#waiting.delete(action.request);
    this.#countsOf(known.stream).ended += 1;
    must(CAUSES[action.cause].state === action.state, 'a cause belongs to its state');
    must(action.ageUs === this.#now - known.capture, 'age counts from capture');
    if (queue.policy === 'never_drop') must(action.state !== 'stale' && action.state !== 'superseded', 'never_drop drops nothing');
    must(queue.policy === 'latest' || action.state !== 'superseded', 'only latest supersedes');
    must(action.deadlineMissed === this.#now > known.capture + deadlineUs, 'a missed deadline is counted');
    const fresh = this.#now <= this.#freshUntilUs(known);
    if (action.state === 'delivered') must(fresh, 'obsolete beats delivered');
    if (action.state === 'obsolete' && this.#exactlyFresh(known)) must(!fresh, 'what is fresh is delivered');
    if (action.cause !== 'admission' && action.cause !== 'protected_only') return;
    const level = this.#levels.get(this.modelOf(known.stream).backend) ?? 0;
    must(level >= (action.cause === 'admission' ? 3 : 4) && !isGuarded(streamClass), 'only a high level refuses, and nothing guarded');
    must(action.cause !== 'admission' || streamClass === 'best_effort', 'best effort is refused first');
    must(minRuntime?.guarantee !== 'firm' || minRuntime.budgetUs === 0, 'a firm floor holds at every level');
  }

  #checkDefer({ request, stream, variant, why }: Defer): void {
    const known = this.#known(request);
    const blocker = this.configuration.streams.find((one) => one.name === why.blockedBy);
    must(known.dispatch === undefined && known.ended !== true && known.stream.name === stream, 'what is put off waits on');
    must(
      this.usableBy(stream).some(({ name }) => name === variant),
      'a variant that may run was considered',
    );
    if (why.waitUntilUs !== undefined) {
      must(this.configuration.scheduling?.policy === 'planned', 'only a plan waits on purpose');
      must(why.waitUntilUs > this.#now, 'it waits for what lies ahead');
      return;
    }
    must(blocker !== undefined && isGuarded(blocker.class), 'only for a guarded stream');
    must(CLASSES.indexOf(blocker?.class ?? 'best_effort') > CLASSES.indexOf(known.stream.class), 'only for a higher class');
    must(why.expectedUs === undefined || why.expectedUs >= this.#now, 'an expected frame lies not in the past');
  }

  #checkDispatch(dispatch: Dispatch): void {
    const known = this.#known(dispatch.request);
    must(known.dispatch === undefined && known.ended !== true, 'a request is sent once, and never after its end');
    must(this.#ready.get(dispatch.backendModel) === true, 'only a ready model is called');
    must(
      this.usableBy(dispatch.stream).some(({ name }) => name === dispatch.variant),
      'no variant runs that may not',
    );
    this.#checkPassedOver(dispatch);
    known.dispatch = dispatch;
    const { queue } = known.stream;
    const startUs = dispatch.why.startUs ?? Number.NaN;
    must(dispatch.why.follows === undefined ? startUs === this.#now : startUs >= this.#now, 'a start lies not in the past');
    if (queue.policy !== 'never_drop') {
      const finishUs = startUs + Math.max(this.#profileUs(dispatch), dispatch.why.optimisticUs ?? Number.NaN);
      must(finishUs <= this.#freshUntilUs(known), 'nothing is sent that cannot be fresh');
    }
    const first = [...this.#waiting].find(([, other]) => other.stream === known.stream)?.[0];
    must(first === dispatch.request, 'a queue is served in order of arrival');
    this.#waiting.delete(dispatch.request);
    for (const partner of this.bannedBeside(dispatch.model)) {
      must(![...this.open].some((id) => this.#known(id).dispatch?.model === partner), 'no banned pair runs');
    }
    this.open.add(dispatch.request);
  }

  #checkPassedOver({ stream, variant, why }: Dispatch): void {
    const { passedOver, passedOverFor, passedOverWorth, startWorth } = why;
    if (passedOver === undefined) return;
    const usable = this.usableBy(stream);
    const better = usable.find(({ name }) => name === passedOver);
    const taken = usable.find(({ name }) => name === variant);
    must(better !== undefined && this.#ready.get(better.backendModel) === true, 'what is passed over could have run');
    must((better?.quality ?? 0) > (taken?.quality ?? 1), 'what is passed over is better');
    must((passedOverFor === 'worth') === (passedOverWorth !== undefined), 'what was weighed says so');
    must(passedOverWorth === undefined || passedOverWorth <= (startWorth ?? Number.NaN), 'the plan takes what is worth most');
  }

  #checkState(snapshot: CoreSnapshot): void {
    for (const { name, received, waiting, inFlight, outcomes } of snapshot.streams) {
      const stream = this.streamOf(name);
      const own = this.#countsOf(stream);
      const ended = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
      must(received === own.received && received === waiting + inFlight + ended, 'conservation');
      must(ended === own.ended, 'every outcome is told');
      must(waiting === [...this.#waiting.values()].filter((known) => known.stream.name === name).length, 'what is sent no longer waits');
      must(waiting <= stream.queue.capacity, 'a queue keeps its capacity');
    }
    for (const backend of snapshot.backends) this.#checkBackend(backend.name, backend.inFlight, backend.held);
    for (const known of this.#waiting.values()) this.#checkWaiting(known);
  }

  #checkBackend(name: string, inFlight: number, held: number): void {
    const { slots, pipeliningDepth } = this.configuration.backends.find((one) => one.name === name) as BackendConfiguration;
    const calls = [...this.open].map((id) => this.#known(id)).filter((known) => known.dispatch?.backend === name);
    must(inFlight === calls.length && inFlight <= slots + pipeliningDepth, 'credits');
    must(held === calls.filter((known) => known.ended).length, 'held calls are those whose request ended');
    const perModel = new Map<string, number>();
    for (const { dispatch } of calls) perModel.set(dispatch?.backendModel ?? '', (perModel.get(dispatch?.backendModel ?? '') ?? 0) + 1);
    let queued = 0;
    for (const [model, count] of perModel) queued += Math.max(0, count - this.instancesOf(model, slots));
    must(queued <= pipeliningDepth && calls.length - queued <= slots, 'no more wait at the server than the depth, no more run than slots');
  }

  /** What waits could still be fresh on some ready variant, as far as the profiles tell. */
  #checkWaiting(known: Known): void {
    const { stream } = known;
    if (stream.queue.policy === 'never_drop') return;
    const variants = this.usableBy(stream.name).filter((one) => this.#ready.get(one.backendModel));
    const fastestUs = Math.min(...variants.map(medianUs));
    must(this.#now + fastestUs <= this.#freshUntilUs(known), 'nothing hopeless waits');
  }

  /** Where one quality is unknown, and for a model with a memory, only the first approved variant stands for all. */
  usableBy(stream: string): readonly VariantConfiguration[] {
    const { variants, stateful = false } = this.modelOf(this.streamOf(stream));
    const { approvedVariants, minQuality = 0 } = this.contractOf(stream);
    const approved = variants.filter(({ name, quality }) => quality >= minQuality && (approvedVariants?.includes(name) ?? true));
    return stateful || approved.some(({ qualitySource }) => qualitySource === 'unknown') ? approved.slice(0, 1) : approved;
  }

  bannedBeside(model: string): string[] {
    const pairs = this.configuration.backends.flatMap((backend) => backend.noCorun);
    return pairs.flatMap(([one, other]) => (model === one ? [other] : model === other ? [one] : []));
  }

  instancesOf(backendModel: string, slots: number): number {
    const model = this.configuration.models.find((one) => one.variants.some((variant) => variant.backendModel === backendModel));
    return model?.instances ?? slots;
  }

  /** At the consumer's boundary a result has to last until a cycle ends; where cycles begin with the first message, at most so long. */
  #freshUntilUs({ stream, capture }: Known): number {
    const { maxAgeUs, deliveryBoundary, consumerPeriodUs, phaseUs } = this.contractOf(stream.name);
    const untilUs = capture + maxAgeUs;
    if (deliveryBoundary !== 'consumer' || consumerPeriodUs === undefined || phaseUs === undefined) return untilUs;
    return phaseUs + Math.floor((untilUs - phaseUs) / consumerPeriodUs) * consumerPeriodUs;
  }

  #exactlyFresh({ stream }: Known): boolean {
    const { deliveryBoundary, phaseUs } = this.contractOf(stream.name);
    return deliveryBoundary !== 'consumer' || phaseUs !== undefined;
  }

  #profileUs({ variant, stream }: Dispatch): number {
    return medianUs(this.modelOf(this.streamOf(stream)).variants.find((one) => one.name === variant) as VariantConfiguration);
  }

  #countsOf({ name }: StreamConfiguration) {
    return this.#counts.get(name) as { received: number; ended: number };
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

/** Runtime as the profile has it, the conversion included; 0 where there is none. */
export function medianUs({ profile, preprocessUs = micros(0) }: VariantConfiguration): number {
  return profile === undefined ? 0 : profile.p50Us + preprocessUs;
}
