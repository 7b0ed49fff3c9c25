/** One backend with everything that competes for it: a domain of its own. */
import type { BackendConfiguration, OverloadConfiguration, SchedulingConfiguration, Trust } from './configuration.js';
import { Credits, type Lease, type LeaseState } from './credits.js';
import { GuardedWorkList } from './guarded-work.js';
import { JointChoice } from './joint-choice.js';
import { LookAhead } from './look-ahead.js';
import type { ModelState, ServedModel } from './model-state.js';
import { CandidateOrder } from './order.js';
import { OverloadController } from './overload.js';
import { PlannedWork } from './planner/planned-work.js';
import { Boot } from './proof/boot.js';
import type { Claim } from './proof/claim.js';
import { Room } from './quanta/room.js';
import type { StreamState } from './stream-state.js';
import { type Micros, NEVER } from './units.js';

export class BackendState {
  readonly name: string;
  readonly trust: Trust;
  /** Which process of the server the calls of now go to. */
  readonly boot = new Boot();
  /** Calls outside all counts that the server counts nevertheless, by their number. */
  readonly warmUps = new Map<number, Claim>();
  readonly credits: Credits;
  readonly overload: OverloadController;
  readonly served = new Map<string, ServedModel>();
  readonly models: ModelState[] = [];
  /** By name: the order in which simultaneous outcomes are told. */
  readonly streams: StreamState[] = [];
  lateAnswers = 0;
  /** Credits that came back by another proof than an answer. */
  reconciled = 0;
  /** When time alone changes the decision next. */
  nextUs = NEVER;
  readonly lookAhead: LookAhead;
  readonly jointChoice: JointChoice;
  /** For work that can be cut. */
  readonly room: Room;
  readonly #guardedWork = new GuardedWorkList();
  readonly #scheduling: SchedulingConfiguration;
  /** Absent where work goes in order. */
  planned: PlannedWork | undefined;
  #order = new CandidateOrder(this.streams);

  constructor(configuration: BackendConfiguration, scheduling: SchedulingConfiguration, overload?: OverloadConfiguration) {
    this.name = configuration.name;
    this.#scheduling = scheduling;
    this.trust = configuration.trust ?? 'open';
    this.credits = new Credits(configuration, this.boot);
    this.overload = new OverloadController(overload);
    this.lookAhead = new LookAhead(this.credits, this.#guardedWork, scheduling.protectSupply);
    this.jointChoice = new JointChoice(this, this.#guardedWork);
    this.room = new Room(this.credits, this.#guardedWork);
  }

  attach(streams: readonly StreamState[]): void {
    this.streams.push(...streams);
    this.#order = new CandidateOrder(this.streams);
    const { policy, strictClasses = false } = this.#scheduling;
    if (policy === 'planned') this.planned = new PlannedWork(this, strictClasses);
    this.#guardedWork.watch(this.streams.filter((stream) => stream.guarded));
  }

  /** Streams in the order in which their candidates go. */
  candidates(now: Micros): readonly StreamState[] {
    return this.#order.settle(now);
  }

  /** The same, as they stood when they were asked for last. */
  get ordered(): readonly StreamState[] {
    return this.#order.streams;
  }

  /** The requester of a call has its outcome; the credit stays taken. */
  hold(lease: Lease, state: Exclude<LeaseState, 'running'>): void {
    this.credits.hold(lease, state);
    this.refresh();
  }

  /** The end of a call is proven. @param endedUs by the clock of `Ran`, where that is known */
  release(lease: Lease, now: Micros, endedUs?: Micros): void {
    this.credits.release(lease, now, endedUs);
    if (lease.state !== 'running') this.refresh();
  }

  /** What the streams may use has changed. */
  refresh(): void {
    for (const model of this.models) model.refresh();
  }

  /** How often the server restarted, as far as was noticed; the model that did so most often, where models restart alone. */
  get restarts(): number {
    let restarts = 0;
    for (const { identity } of this.served.values()) restarts = Math.max(restarts, identity.restarts);
    return restarts;
  }

  /** Calls of ended requests take every slot: nothing can start before one of them answers (rules.md 11). */
  get quarantined(): boolean {
    return this.credits.held >= this.credits.slots;
  }
}
