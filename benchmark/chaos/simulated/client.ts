/**
 * What src/triton does between the governor and one server, on virtual time: one connection at a time, whether it leads to the same process,
 * then counters, then readiness. A hasty one leaves that order.
 */
import type { CallResult } from '../../../src/core/events.js';
import type { Micros } from '../../../src/core/units.js';
import { resultOf } from '../../../src/governor/call-result.js';
import type { Call, CallEnd } from '../../../src/governor/ports.js';
import type { Dice } from '../dice.js';
import { SimulatedGate } from './gate.js';
import { Link, type TrueCall } from './link.js';
import { SimulatedPoller } from './poller.js';
import type { ServerProcess, SimulatedServer } from './server.js';
import type { Timeline } from './timeline.js';
import { SimulatedWitness } from './witness.js';

const ROUND_US = 1_000_000;
const NOTICED_WITHIN_US = 5_000;
/** Calls of a lost connection have returned before the next one is made. */
const RETURNED_WITHIN_US = 2_000;
const RETURNED_LATE_US = 400_000;
const FIRST_PAUSE_US = 3_000;
const LONGEST_PAUSE_US = 1_000_000;

export interface ClientListener {
  readiness(model: string, ready: boolean): void;
  counter(model: string, completed: number, polledUs: Micros): void;
  witness(present: boolean, polledUs: Micros): void;
  warmUp(model: string, call: number, end?: CallResult): void;
}

export interface ClientOptions {
  readonly time: Timeline;
  readonly dice: Dice;
  readonly server: SimulatedServer;
  /** It leaves the order of things. */
  readonly hasty: boolean;
  readonly isWitnessed: boolean;
  readonly models: readonly string[];
  readonly warmUps: number;
  readonly listener: ClientListener;
}

export class SimulatedClient {
  /** Calls that run, wait, or are on their way to the server: the truth. */
  readonly active = new Set<TrueCall>();
  /** Calls that never arrived at a process that went on, and those that it refused without anybody hearing of it. */
  lost = 0;
  /** How much longer questions take, for now. */
  slowUs = 0;
  readonly #options: ClientOptions;
  readonly #witness: SimulatedWitness | undefined;
  readonly #pollers: ReadonlyMap<string, SimulatedPoller>;
  readonly #gates: ReadonlyMap<string, SimulatedGate>;
  readonly #retired = new Set<Link>();
  #link: Link | undefined;
  #connectingTo: ServerProcess | undefined;
  #pauseUs = FIRST_PAUSE_US;
  #warmUps = 0;

  constructor(options: ClientOptions) {
    const { time, models, warmUps, listener, isWitnessed, server } = options;
    this.#options = options;
    if (isWitnessed) this.#witness = new SimulatedWitness(time, (present, polledUs) => listener.witness(present, polledUs));
    this.#pollers = new Map(models.map((model) => [model, this.#poller(model)]));
    this.#gates = new Map(
      models.map((model) => {
        const use = (ready: boolean): void => listener.readiness(model, ready);
        return [model, new SimulatedGate({ time, warmUps, warmUp: (ended) => this.#warmUp(model, ended), use })];
      }),
    );
    server.onKilled(() => this.#killed());
    this.#connect();
  }

  infer({ backendModel, request }: Pick<Call, 'backendModel' | 'request'>, ended: (end: CallEnd) => void): void {
    this.#send({ model: backendModel, request, left: false }, ended);
  }

  poll(model: string, everyUs: Micros): void {
    this.#pollers.get(model)?.poll(everyUs);
  }

  /** The connection breaks. */
  cut(): void {
    if (this.#link !== undefined) this.#broken(this.#link);
  }

  /** Another connection is made to take its place. */
  replace(): void {
    if (this.#link !== undefined && this.#connectingTo === undefined) this.#attempt();
  }

  giveUp(calls: number): void {
    this.#link?.giveUp(calls);
  }

  #poller(model: string): SimulatedPoller {
    const { time, listener } = this.#options;
    let before = 0;
    return new SimulatedPoller(time, model, (completed, polledUs) => {
      const fell = completed < before;
      before = completed;
      listener.counter(model, completed, polledUs);
      if (fell && this.#link !== undefined) this.#witness?.check(this.#link);
    });
  }

  #warmUp(model: string, ended: (end: CallEnd) => void): void {
    const { listener } = this.#options;
    this.#warmUps += 1;
    const call = this.#warmUps;
    listener.warmUp(model, call);
    this.#send({ model, left: false }, (end) => {
      listener.warmUp(model, call, resultOf(end));
      ended(end);
    });
  }

  #send(call: TrueCall, ended: (end: CallEnd) => void): void {
    const link = this.#link;
    if (link === undefined) {
      this.#options.time.after(0, () => ended({ result: 'not_started', detail: 'no connection' }));
      return;
    }
    this.active.add(call);
    link.send(call, this.#witness?.isConfirmedOn(link) ?? false, ended);
  }

  #killed(): void {
    for (const call of this.active) if (call.process?.alive === false) this.active.delete(call);
    for (const link of [...this.#retired, ...(this.#link === undefined ? [] : [this.#link])]) if (!link.process.alive) this.#broken(link);
    if (this.#connectingTo?.alive === false) this.#connect();
  }

  #broken(link: Link): void {
    if (!link.alive) return;
    link.break();
    const { time, dice } = this.#options;
    time.after(dice.between(0, NOTICED_WITHIN_US), () => this.#noticed(link));
  }

  #noticed(link: Link): void {
    link.returnCalls(this.#options.hasty ? RETURNED_LATE_US : RETURNED_WITHIN_US);
    this.#witness?.lost(link);
    this.#retired.delete(link);
    if (link !== this.#link) return;
    this.#link = undefined;
    for (const poller of this.#pollers.values()) poller.stop();
    for (const gate of this.#gates.values()) gate.serverSays(false);
    this.#pauseUs = FIRST_PAUSE_US;
    if (this.#connectingTo === undefined) this.#connect();
  }

  #connect(): void {
    const { time } = this.#options;
    this.#connectingTo = undefined;
    const pauseUs = this.#pauseUs;
    this.#pauseUs = Math.min(LONGEST_PAUSE_US, 2 * pauseUs);
    time.after(pauseUs, () => {
      if (this.#link === undefined && this.#connectingTo === undefined) this.#attempt();
    });
  }

  #attempt(): void {
    const { server, time } = this.#options;
    const { process } = server;
    this.#connectingTo = process;
    if (process === undefined) {
      this.#connect();
      return;
    }
    process.do(() => time.after(1_000, () => this.#connected(process)));
  }

  #connected(process: ServerProcess): void {
    if (this.#connectingTo !== process || !process.alive) return;
    this.#connectingTo = undefined;
    const { time, dice, hasty } = this.#options;
    const over = (call: TrueCall): void => void this.active.delete(call);
    const lost = (call: TrueCall): void => {
      over(call);
      if (process.alive) this.lost += 1;
    };
    const link = new Link({ time, dice, process, over, lost, answersLate: hasty, slowUs: () => this.slowUs });
    // A connection that has broken is noticed before another one is made.
    if (this.#link?.alive === false && !hasty) this.#noticed(this.#link);
    if (this.#link !== undefined) this.#retired.add(this.#link);
    this.#link = link;
    this.#pauseUs = FIRST_PAUSE_US;
    for (const poller of this.#pollers.values()) poller.stop();
    if (hasty) for (const gate of this.#gates.values()) gate.serverSays(true);
    if (this.#witness === undefined) this.#introduced(link);
    else this.#witness.check(link, () => this.#introduced(link));
  }

  #introduced(link: Link): void {
    if (this.#link !== link) return;
    for (const poller of this.#pollers.values()) poller.start(link);
    this.#round(link, new Set());
  }

  /** @param known models that were ready in the round before */
  #round(link: Link, known: Set<string>): void {
    if (this.#link !== link) return;
    for (const [model, gate] of this.#gates) {
      link.ask(
        (process) => process.completed(model) !== undefined,
        (loaded) => {
          if (this.#link !== link) return;
          if (!loaded) {
            known.delete(model);
            gate.serverSays(false);
          } else if (!known.has(model)) {
            known.add(model);
            this.#pollers.get(model)?.report(() => gate.serverSays(true));
          }
        },
      );
    }
    this.#options.time.after(ROUND_US, () => this.#round(link, known));
  }
}
