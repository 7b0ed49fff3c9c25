/** One stream: its contract, what waits, and its counts. */
import { STATES, type State } from './catalogue.js';
import { CLASSES, type Contract, DEFAULT_DWELL_US, isGuarded, type StreamConfiguration } from './configuration.js';
import { Consumer } from './consumer.js';
import { Deferral } from './deferral.js';
import { Forecast } from './forecast.js';
import type { ModelState } from './model-state.js';
import { RuntimeFloor } from './runtime-floor.js';
import { Supersession } from './supersession.js';
import { later, type Micros, NEVER } from './units.js';
import { UsableVariants } from './usable-variants.js';
import { VariantDwell } from './variant-dwell.js';
import { WaitingQueue } from './waiting-queue.js';

export class StreamState {
  #configuration: StreamConfiguration;
  readonly model: ModelState;
  readonly name: string;
  readonly classRank: number;
  /** high or protected. */
  readonly guarded: boolean;
  readonly latestOnly: boolean;
  /** Whether age may end its requests. */
  readonly droppable: boolean;
  readonly waiting = new WaitingQueue();
  readonly supersession = new Supersession();
  readonly forecast: Forecast;
  readonly usable: UsableVariants;
  readonly dwell: VariantDwell;
  consumer: Consumer;
  floor: RuntimeFloor | undefined;
  /** Its floor is due: `rank` is what that lifts it to. */
  floorDue = false;
  readonly deferral = new Deferral();
  /** Capture of the newest result that was fresh when it came. */
  newestUsableCapture: Micros | undefined;
  /** When the newest fresh result came. */
  lastUsableUs: Micros | undefined;
  /** Conservation (rules.md 2): received = waiting + inFlight + the sum of outcomes, after every event. */
  received = 0;
  /** At the server, without an outcome yet. */
  inFlight = 0;
  readonly outcomes: Record<State, number>;

  constructor(configuration: StreamConfiguration, model: ModelState) {
    this.#configuration = configuration;
    this.model = model;
    this.name = configuration.name;
    this.classRank = CLASSES.indexOf(configuration.class);
    this.guarded = isGuarded(configuration.class);
    this.latestOnly = configuration.queue.policy === 'latest';
    this.droppable = configuration.queue.policy !== 'never_drop';
    this.forecast = new Forecast(configuration.contract);
    this.usable = new UsableVariants(model, configuration.contract, `stream "${configuration.name}"`);
    this.dwell = new VariantDwell(configuration.contract.variantDwellUs ?? DEFAULT_DWELL_US);
    this.consumer = new Consumer(configuration.contract);
    this.floor = floorOf(configuration.contract);
    this.outcomes = Object.fromEntries(Object.keys(STATES).map((state) => [state, 0])) as Record<State, number>;
  }

  get configuration(): StreamConfiguration {
    return this.#configuration;
  }

  /** Another contract; what it does not touch goes on as it was. */
  adopt(configuration: StreamConfiguration): void {
    const { contract: before, name } = this.#configuration;
    const { contract } = configuration;
    this.#configuration = configuration;
    this.forecast.adopt(contract);
    this.usable.adopt(contract, `stream "${name}"`);
    this.dwell.adopt(contract.variantDwellUs ?? DEFAULT_DWELL_US);
    if (differs(before, contract, CONSUMER_TERMS)) this.consumer = new Consumer(contract);
    if (differs(before, contract, ['minRuntime'])) {
      this.floor = floorOf(contract);
      this.floorDue = false;
    }
  }

  /** Captures of before can no longer be compared with those to come. */
  startOver(): void {
    this.supersession.reset();
    this.forecast.reset();
    this.newestUsableCapture = undefined;
    this.lastUsableUs = undefined;
    this.consumer = new Consumer(this.#configuration.contract);
  }

  /** A fresh result came. */
  haveUsable(capture: Micros, now: Micros): void {
    this.lastUsableUs = now;
    const newest = this.newestUsableCapture;
    this.newestUsableCapture = newest === undefined ? capture : later(newest, capture);
  }

  /** Its place in the order of candidates: its class, or what its floor lifts it to. */
  get rank(): number {
    return this.floorDue && this.floor !== undefined ? this.floor.rank : this.classRank;
  }

  /** It goes before guarded streams now. */
  get hasFirmClaim(): boolean {
    return this.floorDue && this.floor?.firm === true;
  }

  /** To be called when time has passed or its calls changed. */
  refreshFloor(now: Micros): void {
    if (this.floor === undefined) return;
    this.floorDue = this.floor.isDue(this.inFlight > 0, now);
  }

  /** When time alone makes its floor due for what waits. */
  nextFloorUs(now: Micros): Micros {
    return this.floor === undefined || this.floorDue || this.waiting.length === 0 ? NEVER : this.floor.nextDueUs(now);
  }
}

/** What the consumer's view of a stream is made of: a change of one begins its cycles and its miss budget anew. */
const CONSUMER_TERMS = [
  'maxAgeUs',
  'consumerPeriodUs',
  'phaseUs',
  'deliveryBoundary',
  'requireNewSampleEachCycle',
  'missBudget',
  'version',
] as const satisfies readonly (keyof Contract)[];

function differs(one: Contract, other: Contract, terms: readonly (keyof Contract)[]): boolean {
  return terms.some((term) => JSON.stringify(one[term]) !== JSON.stringify(other[term]));
}

function floorOf({ minRuntime }: Contract): RuntimeFloor | undefined {
  return minRuntime === undefined || minRuntime.budgetUs === 0 ? undefined : new RuntimeFloor(minRuntime);
}
