/**
 * One schedule on virtual time: the whole governor between frames and a server that fails as planned. After every event of the core what it
 * believes is compared with what is so.
 */
import type { Action } from '../../../src/core/actions.js';
import type { CoreConfiguration } from '../../../src/core/configuration.js';
import { DecisionCore } from '../../../src/core/decision-core.js';
import type { Completion, CoreEvent } from '../../../src/core/events.js';
import { type KnownEnd, NO_LEASES } from '../../../src/core/snapshot.js';
import { type Micros, micros, millis, requestId } from '../../../src/core/units.js';
import { Actor } from '../../../src/governor/actor.js';
import type { Frame, OutcomeRecord } from '../../../src/governor/ports.js';
import { Books } from '../../../test/core/books.js';
import { Dice } from '../dice.js';
import { SimulatedClient } from './client.js';
import { describeActions, describeEvent, isTelling } from './describe.js';
import { BACKEND, type Fault, isKnowable, type Schedule } from './plan.js';
import { SimulatedServer } from './server.js';
import { Timeline } from './timeline.js';

/** From the server being well to the first fresh result. */
const RECOVERY_LIMIT_US = 2_000_000;
/** Longer than the slowest pace of questions. */
const SETTLE_US = 6_000_000;
const LOOK_US = 5_000;
/** How long a schedule without faults takes. */
const FAULTLESS_MS = 1000;

export interface Ran {
  /** What did not hold, and when; undefined when all did. */
  readonly failure: string | undefined;
  /** Credits that are held when all is said and done, by what is known of them. */
  readonly held: Readonly<Record<KnownEnd, number>>;
  readonly frames: number;
  readonly delivered: number;
  readonly restarts: number;
  /** Credits that came back by a proof. */
  readonly reconciled: number;
  /** Of these: their call ran on, in a model that was loaded anew where counts alone tell (docs/runbook.md names it). */
  readonly loadedAnew: number;
  /** undefined where no result came in time, since credits were held. */
  readonly recoveryMs: number | undefined;
}

/** Makes the core under test. */
export type MakeCore = (configuration: CoreConfiguration) => DecisionCore;

export const soundCore: MakeCore = (configuration) => new DecisionCore(configuration);

/** @param log hears of everything, in a line each */
export function runSchedule(schedule: Schedule, makeCore: MakeCore = soundCore, log?: (line: string) => void): Ran {
  const world = new ChaosWorld(schedule, makeCore, log);
  let failure: string | undefined;
  try {
    world.run();
  } catch (error) {
    failure = `${world.atMs} ms: ${error instanceof Error ? error.message : String(error)}`;
  }
  return { failure, ...world.figures };
}

class ChaosWorld {
  readonly #schedule: Schedule;
  readonly #log: ((line: string) => void) | undefined;
  readonly #time = new Timeline();
  readonly #dice: Dice;
  readonly #core: DecisionCore;
  readonly #books: Books;
  readonly #server: SimulatedServer;
  readonly #client: SimulatedClient;
  readonly #actor: Actor;
  readonly #limit: number;
  /** Calls whose credit is back although they run, as far as counts alone excuse that. */
  readonly #excused = new Set<number>();
  readonly #ends: Completion[] = [];
  #loading = true;
  #frames = 0;
  #outcomes = 0;
  #delivered = 0;
  #lastDeliveryUs = -1;
  #recoveryUs: number | undefined;

  constructor(schedule: Schedule, makeCore: MakeCore, log: ((line: string) => void) | undefined) {
    const { seed, site, hasty, configuration, runtimeMs, warmUps, timeoutMs } = schedule;
    this.#schedule = schedule;
    this.#log = log;
    this.#dice = new Dice(seed, 2);
    this.#core = makeCore(configuration);
    this.#books = new Books(configuration);
    const { slots, pipeliningDepth } = configuration.backends[0] as (typeof configuration.backends)[number];
    this.#limit = slots + pipeliningDepth;
    const models = new Map(
      configuration.models.flatMap(({ variants, instances = slots }) => variants.map((one) => [one.backendModel, instances] as const)),
    );
    const time = this.#time;
    this.#server = new SimulatedServer({ time, dice: new Dice(seed, 3), models, runtimeMs });
    const post = (event: CoreEvent): void => this.#actor.post(event);
    this.#client = new SimulatedClient({
      time,
      dice: new Dice(seed, 4),
      server: this.#server,
      hasty,
      isWitnessed: site !== 'counted',
      models: [...models.keys()],
      warmUps,
      listener: {
        readiness: (backendModel, ready) => post({ type: 'readiness', backend: BACKEND, backendModel, ready }),
        counter: (backendModel, completed, polledUs) => post({ type: 'counter', backend: BACKEND, backendModel, completed, polledUs }),
        witness: (present, polledUs) => post({ type: 'witness', backend: BACKEND, present, polledUs }),
        warmUp: (backendModel, call, end) =>
          post({ type: 'warm_up', backend: BACKEND, backendModel, call, ...(end === undefined ? {} : { end }) }),
      },
    });
    this.#actor = new Actor(this.#core, {
      clock: time,
      backends: new Map([
        [
          BACKEND,
          {
            startCall: (call, ended) => this.#client.infer(call, ended),
            timeoutUs: millis(timeoutMs),
            poll: (model, everyUs) => this.#client.poll(model, everyUs),
          },
        ],
      ]),
      publisher: { received: () => {}, result: () => {}, outcome: (record) => this.#ended(record) },
      whyNotReady: () => undefined,
      trace: { record: (event, at, actions) => this.#heard(event, at, actions), refused: () => {} },
    });
  }

  get atMs(): number {
    return this.#time.us / 1000;
  }

  get figures(): Omit<Ran, 'failure'> {
    const [backend] = this.#core.snapshot().backends;
    return {
      held: { ...(backend?.leases ?? NO_LEASES) },
      frames: this.#frames,
      delivered: this.#delivered,
      restarts: backend?.restarts ?? 0,
      reconciled: backend?.reconciled ?? 0,
      loadedAnew: this.#excused.size,
      recoveryMs: this.#recoveryUs === undefined ? undefined : this.#recoveryUs / 1000,
    };
  }

  run(): void {
    const { faults, configuration } = this.#schedule;
    for (const [index, { name }] of configuration.streams.entries()) this.#load(name, this.#schedule.periodsMs[index] as number, index);
    this.#slow(0);
    for (const { atMs, fault } of faults) this.#time.at(atMs * 1000, () => this.#strike(fault));
    const { atMs = 0, fault } = faults.at(-1) ?? {};
    this.#time.runUntil((atMs + (fault === undefined ? FAULTLESS_MS : 1)) * 1000);
    while (!this.#server.isWell) this.#time.runUntil(this.#time.us + LOOK_US);
    this.#server.recover();
    this.#slow(0);
    this.#watchRecovery();
    this.#loading = false;
    this.#time.runUntil(this.#time.us + SETTLE_US);
    this.#checkEnd();
  }

  /** The server is well once what it began while it was not is over. */
  #watchRecovery(): void {
    const old = new Set(this.#client.active);
    const isOld = (): boolean => [...this.#client.active].some((call) => old.has(call));
    while (isOld()) this.#time.runUntil(this.#time.us + LOOK_US);
    const wellUs = this.#time.us;
    const untilUs = wellUs + RECOVERY_LIMIT_US;
    while (this.#lastDeliveryUs < wellUs && this.#time.us < untilUs) this.#time.runUntil(this.#time.us + LOOK_US);
    if (this.#lastDeliveryUs >= wellUs) this.#recoveryUs = this.#lastDeliveryUs - wellUs;
    else must(this.#isHeld, 'a fresh result comes within two seconds, unless a credit is held');
  }

  #checkEnd(): void {
    const { held } = this.figures;
    must(held.running + held.timed_out === 0, 'every call has returned');
    must(!this.#isHeld || !isKnowable(this.#schedule, this.#client.lost), 'where the end of every call can be known every credit is back');
    this.#actor.post({ type: 'drain' });
    this.#actor.post({ type: 'drain_limit' });
    must(this.#outcomes === this.#frames, 'every frame has one outcome');
    this.#actor.close();
  }

  get #isHeld(): boolean {
    return this.#core.snapshot().backends.some(({ held }) => held > 0);
  }

  #load(stream: string, periodMs: number, index: number): void {
    const dice = new Dice(this.#schedule.seed, 10 + index);
    const frame: Frame = { stream, header: { stamp: { sec: 0, nanosec: 0 }, frameId: stream }, inputs: () => [], decode: () => [] };
    const arrive = (): void => {
      if (!this.#loading) return;
      const ageUs = micros(dice.between(0, 3000));
      this.#frames += 1;
      this.#actor.accept(frame, micros(this.#time.now() - ageUs), BigInt(this.#frames), ageUs);
      this.#time.after(periodMs * dice.between(900, 1100), arrive);
    };
    this.#time.after(dice.between(0, periodMs * 1000), arrive);
  }

  #strike(fault: Fault): void {
    this.#say(() => `-- ${JSON.stringify(fault)}`);
    switch (fault.kind) {
      case 'kill':
        this.#server.kill(fault.downMs * 1000);
        break;
      case 'freeze':
        this.#server.freeze(fault.forMs * 1000);
        break;
      case 'reload':
        this.#server.reload(fault.model, fault.gapMs * 1000);
        break;
      case 'crash':
        this.#server.crash(fault.model, fault.gapMs * 1000);
        break;
      case 'hang':
        this.#server.hang(fault.model, fault.forMs * 1000);
        break;
      case 'refuse':
        this.#server.refuse(fault.calls);
        break;
      case 'cut':
        this.#client.cut();
        break;
      case 'replace':
        this.#client.replace();
        break;
      case 'give_up':
        this.#client.giveUp(fault.calls);
        break;
      case 'slow_reports':
        this.#slow(fault.byMs);
        this.#time.after(fault.forMs * 1000, () => this.#slow(0));
        break;
      case 'time_out':
        if (this.#books.open.size > 0) this.#actor.post({ type: 'timeout', request: requestId(this.#dice.of([...this.#books.open])) });
        break;
      case 'told_twice':
        if (this.#ends.length > 0) this.#actor.post(this.#dice.of(this.#ends));
        break;
      case 'drain':
        this.#actor.post({ type: 'drain' });
        this.#actor.post({ type: 'drain_limit' });
        this.#time.after(fault.forMs * 1000, () => this.#actor.resume());
    }
  }

  #slow(byMs: number): void {
    this.#client.slowUs = (this.#schedule.slowMs + byMs) * 1000;
  }

  #ended({ state }: OutcomeRecord): void {
    this.#outcomes += 1;
    if (state !== 'delivered') return;
    this.#delivered += 1;
    this.#lastDeliveryUs = this.#time.us;
  }

  #heard(event: CoreEvent, at: Micros, actions: readonly Action[]): void {
    if (isTelling(event, actions)) this.#say(() => [describeEvent(event), ...describeActions(actions)].join('; '));
    if (event.type === 'completion') this.#ends.push(event);
    const snapshot = this.#core.snapshot();
    this.#books.before(event, at);
    this.#books.after(actions, snapshot);
    for (const { held, inFlight, leases } of snapshot.backends) {
      const known = Object.values(leases).reduce((sum, count) => sum + count, 0);
      must(known === inFlight && inFlight - leases.running === held, 'each credit has a state');
    }
    this.#compare(actions);
  }

  /** What runs has its credit taken, and no more runs than there are credits. */
  #compare(actions: readonly Action[]): void {
    let active = 0;
    for (const { request, left } of this.#client.active) {
      if (request === undefined || this.#excused.has(request)) continue;
      active += 1;
      if (this.#books.open.has(request)) continue;
      const by = actions.find((action) => action.type === 'reconciled' && action.request === request);
      const isExcused = left && this.#schedule.site === 'counted' && by?.type === 'reconciled' && by.by === 'restart';
      must(isExcused, `the credit of call ${request} is back, and it runs`);
      this.#excused.add(request);
      active -= 1;
    }
    must(active <= this.#limit, `${active} calls run or wait at the server, and there are ${this.#limit} credits`);
  }

  #say(line: () => string): void {
    this.#log?.(`${this.atMs.toFixed(3).padStart(9)}  ${line()}`);
  }
}

function must(condition: boolean, what: string): void {
  if (!condition) throw new Error(`violated: ${what}`);
}
