/** Runs random sequences on the core, with books kept beside it. */
import type { Action } from '../../src/core/actions.js';
import type { CoreConfiguration, StreamConfiguration } from '../../src/core/configuration.js';
import { CoreError } from '../../src/core/core-error.js';
import { DecisionCore } from '../../src/core/decision-core.js';
import type { CallResult, CoreEvent } from '../../src/core/events.js';
import { fingerprintOf, type LearnedVariant } from '../../src/core/learned.js';
import { CLOCK_ORIGIN_US, type Micros, micros, requestId } from '../../src/core/units.js';
import { Books } from './books.js';
import type { SentEvent } from './decide-script.js';
import { changedContract } from './random-configuration.js';
import type { Step } from './random-steps.js';

export class World {
  readonly core: DecisionCore;
  readonly books: Books;
  readonly told: { readonly at: Micros; readonly action: Action }[] = [];
  readonly log: string[] = [];
  /** What was handed in after the start, wake-ups left out. */
  readonly events: SentEvent[] = [];
  /** All that was handed in. */
  readonly handed: (SentEvent & { readonly actions: readonly Action[] })[] = [];
  readonly #configuration: CoreConfiguration;
  readonly #lastOfStream = new Map<string, bigint>();
  /** Wake-ups come when they were asked for, unless they come late or never. */
  readonly #punctual: boolean;
  #now: number = CLOCK_ORIGIN_US;
  #warmUpModel: { name: string; backend: string } | undefined;
  #warmUpCalls = 0;
  /** Nothing more comes before. */
  #freeUs = 0;

  constructor(configuration: CoreConfiguration, punctual: boolean) {
    this.#configuration = configuration;
    this.#punctual = punctual;
    this.books = new Books(configuration);
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
    this.#moveTo(this.#now + step.afterUs);
    const { wakeUs } = this.books;
    if (step.kind === 'wake' && wakeUs !== undefined) {
      this.#wake(Math.max(this.#now, wakeUs));
      return;
    }
    if (step.kind === 'refused') this.#offerRefused(step);
    const event = this.#eventOf(step);
    if (event !== undefined) this.#handIn(event);
  }

  /** One event at its own instant, or at the first one that is still to come. */
  send(atUs: number, event: CoreEvent): readonly Action[] {
    this.#moveTo(atUs);
    return this.#handIn(event);
  }

  /** A new frame of a stream, captured now. @returns its request. */
  arrive(atUs: number, stream: StreamConfiguration): number {
    this.#moveTo(atUs);
    const event = this.#arrivalOf(stream, 1, 0);
    this.#handIn(event);
    return event.request;
  }

  #handIn(event: CoreEvent): readonly Action[] {
    this.events.push({ at: this.now, event });
    return this.#send(event);
  }

  #moveTo(atUs: number): void {
    const untilUs = Math.max(atUs, this.#now, this.#freeUs);
    if (this.#punctual) this.#wakeUntil(untilUs);
    this.#now = untilUs;
  }

  #wakeUntil(untilUs: number): void {
    for (let at = this.books.wakeUs; at !== undefined && at < untilUs; at = this.books.wakeUs) this.#wake(at);
  }

  #wake(at: number): void {
    this.#now = at;
    if (this.#punctual) this.#freeUs = at + 1; // of equal instants the wake-up is the last
    this.#send({ type: 'tick' });
  }

  #eventOf({ kind, pick, ageUs, end }: Step): CoreEvent | undefined {
    switch (kind) {
      case 'arrive': {
        const { streams } = this.#configuration;
        return this.#arrivalOf(streams[pick % streams.length] as StreamConfiguration, pick, ageUs);
      }
      case 'complete':
      case 'timeout': {
        const calls = [...this.books.open];
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
        return { type: 'cancel', request: requestId(1 + (pick % (this.books.requests.size + 1))) };
      case 'round_trip':
        return { type: 'round_trip', backend: this.#configuration.backends[0]?.name ?? '', p90: micros(ageUs) };
      case 'reconfigure': {
        const { streams } = this.#configuration;
        const stream = this.books.streamOf((streams[pick % streams.length] as StreamConfiguration).name);
        return { type: 'reconfigure', contracts: [{ stream: stream.name, contract: changedContract(stream, pick, ageUs) }] };
      }
      case 'counter': {
        const { name, backend } = this.#pickModel(pick);
        return { type: 'counter', backend, backendModel: name, completed: ageUs % 12, polledUs: this.#askedUs(pick) };
      }
      case 'witness': {
        const { backend } = this.#pickModel(pick);
        return { type: 'witness', backend, present: ageUs % 3 > 0, polledUs: this.#askedUs(pick) };
      }
      case 'warm_up':
        return this.#warmUp(pick, end);
      case 'restore':
        return { type: 'restore', learned: this.#learned(pick, ageUs) };
      case 'wake':
        return { type: 'tick' };
      case 'pause':
      case 'refused':
        return undefined;
      default:
        return { type: kind };
    }
  }

  #pickModel(pick: number): { name: string; backend: string } {
    const models = this.backendModels();
    return models[pick % models.length] as { name: string; backend: string };
  }

  /** A server answers at once, or a while after it was asked. */
  #askedUs(pick: number): Micros {
    return micros(this.#now - (pick % 4) * 2_000);
  }

  /** The one under way ends, or another one begins. */
  #warmUp(pick: number, end: CallResult): CoreEvent {
    const under = this.#warmUpModel;
    const { name, backend } = under ?? this.#pickModel(pick);
    this.#warmUpModel = under === undefined ? { name, backend } : undefined;
    this.#warmUpCalls += under === undefined ? 1 : 0;
    return { type: 'warm_up', backend, backendModel: name, call: this.#warmUpCalls, ...(under === undefined ? {} : { end }) };
  }

  #readiness(backendModel: string, ready: boolean): CoreEvent {
    const backend = this.backendModels().find((one) => one.name === backendModel)?.backend ?? '';
    return { type: 'readiness', backend, backendModel, ready };
  }

  #arrivalOf(stream: StreamConfiguration, pick: number, ageUs: number) {
    const request = requestId(this.books.requests.size + 1);
    const capture = micros(this.#now - ageUs);
    const stampNs = (pick % 11 === 0 ? this.#lastOfStream.get(stream.name) : undefined) ?? BigInt(capture) * 1000n;
    this.#lastOfStream.set(stream.name, stampNs);
    return { type: 'arrival', request, stream: stream.name, capture, stampNs } as const;
  }

  /** As many runs as an estimate asks for, or fewer; of another profile now and then. */
  #learned(pick: number, us: number): LearnedVariant[] {
    return this.#configuration.models.flatMap(({ name: model, backend, variants }) =>
      variants.map((variant) => ({
        backend,
        model,
        variant: variant.name,
        fingerprint: pick % 5 === 0 ? 'another' : fingerprintOf(variant),
        occupancies: [
          { occupancy: pick % 3, marginPercent: 100 + (pick % 200), runtimesUs: Array.from({ length: 8 + (pick % 24) }, () => us + 1) },
        ],
      })),
    );
  }

  /** A mistake of the caller is refused in whole: an unknown name, a number out of range, time that goes backwards, an id used twice. */
  #offerRefused({ pick }: Step): void {
    const before = this.#state();
    const [event, at] = this.#refused(pick);
    try {
      this.core.handle(event, at);
    } catch (error) {
      if (!(error instanceof CoreError)) throw error;
      if (this.#state() !== before) throw new Error(`violated: ${error.code} has changed something`);
      return;
    }
    throw new Error(`violated: ${event.type} should have been refused`);
  }

  #refused(pick: number): [CoreEvent, Micros] {
    const { now } = this;
    const [stream] = this.#configuration.streams;
    const last = this.books.requests.size;
    const good = { stream: stream?.name ?? '', contract: this.books.contractOf(stream?.name ?? '') };
    const refused: CoreEvent[] = [
      { type: 'arrival', request: requestId(last + 1), stream: 'nobody', capture: now, stampNs: 0n },
      { type: 'readiness', backend: 'nobody', backendModel: '', ready: true },
      { type: 'readiness', backend: this.backendModels()[0]?.backend ?? '', backendModel: 'nobody', ready: false },
      { type: 'round_trip', backend: 'nobody', p90: now },
      { type: 'counter', backend: 'nobody', backendModel: '', completed: 1, polledUs: now },
      { type: 'counter', backend: this.backendModels()[0]?.backend ?? '', backendModel: 'nobody', completed: 1, polledUs: now },
      { type: 'witness', backend: 'nobody', present: false, polledUs: now },
      // The first of the changes would be right.
      {
        type: 'reconfigure',
        contracts: [
          { ...good, contract: { ...good.contract, maxAgeUs: micros(1) } },
          { ...good, stream: 'nobody' },
        ],
      },
      { type: 'reconfigure', contracts: [{ ...good, contract: { ...good.contract, approvedVariants: ['nobody'] } }] },
    ];
    const [open] = this.books.open;
    if (open !== undefined && stream !== undefined)
      refused.push({ type: 'arrival', request: requestId(open), stream: stream.name, capture: now, stampNs: 1n });
    return pick % 8 === 7 ? [{ type: 'drain' }, micros(CLOCK_ORIGIN_US - 1)] : [refused[pick % refused.length] as CoreEvent, now];
  }

  #state(): string {
    return JSON.stringify([this.core.snapshot(), this.core.learned()]);
  }

  #send(event: CoreEvent): readonly Action[] {
    this.books.before(event, this.now);
    const actions = this.core.handle(event, this.now);
    this.handed.push({ at: this.now, event, actions });
    for (const action of actions) this.told.push({ at: this.now, action });
    this.log.push(`${this.#now} ${JSON.stringify(actions)}`);
    this.books.after(actions, this.core.snapshot());
    return actions;
  }
}
