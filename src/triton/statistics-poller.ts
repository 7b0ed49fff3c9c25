/** Asks a server how many executions of one model it has finished, as often as the core wants to know (rules.md 11). */
import { type Micros, micros } from '../core/units.js';

/** Until the core says otherwise: a restart is noticed even when nothing is sent. */
const IDLE_POLL_US = micros(5_000_000);

/** However often the pace changes, no question follows another within this time. */
const SHORTEST_PAUSE_US = micros(20_000);

/** One question. Resolves to undefined when the server does not say. Never rejects. */
export type AskCount = () => Promise<number | undefined>;

export interface PollerPorts {
  /** Core time: it may stand still, and then tells instants apart all the same. Questions go by the machine's time. */
  now(): Micros;
  /** @param polledUs when the question was sent */
  counted(completed: number, polledUs: Micros): void;
}

/** At most one question is on its way. */
export class StatisticsPoller {
  readonly #ports: PollerPorts;
  #everyUs = IDLE_POLL_US;
  #ask: AskCount | undefined;
  #askedMs: number | undefined;
  #dueMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #question: Promise<void> | undefined;

  constructor(ports: PollerPorts) {
    this.#ports = ports;
  }

  /** There is a connection to ask over; the first question goes out when its time has come. */
  start(ask: AskCount): void {
    this.#ask = ask;
    this.#arm();
  }

  /** Nothing more is asked or told until the next start. */
  stop(): void {
    this.#ask = undefined;
    clearTimeout(this.#timer);
  }

  /** From now on one question in so much time; when that is more often than before, the first one goes out at once. */
  poll(everyUs: Micros): void {
    const pauseUs = everyUs < this.#everyUs ? SHORTEST_PAUSE_US : everyUs;
    this.#everyUs = everyUs;
    this.#dueMs = this.#askedMs === undefined ? 0 : this.#askedMs + pauseUs / 1000;
    this.#arm();
  }

  /** A question that is sent from now on is worth more than the pace says: the next one goes out as early as it may. */
  hurry(): void {
    const earliestMs = this.#askedMs === undefined ? 0 : this.#askedMs + SHORTEST_PAUSE_US / 1000;
    if (earliestMs >= this.#dueMs) return;
    this.#dueMs = earliestMs;
    this.#arm();
  }

  /** Asks now. @returns once the answer was told, or there is none */
  async report(): Promise<void> {
    await this.#question; // sent earlier: what happened meanwhile may be missing in its answer
    await this.#send();
  }

  #arm(): void {
    clearTimeout(this.#timer);
    if (this.#ask === undefined || this.#question !== undefined) return;
    const pauseMs = Math.max(0, Math.ceil(this.#dueMs - performance.now()));
    this.#timer = setTimeout(() => void this.#send(), pauseMs);
  }

  #send(): Promise<void> {
    this.#question ??= this.#exchange().finally(() => {
      this.#question = undefined;
      this.#arm();
    });
    return this.#question;
  }

  async #exchange(): Promise<void> {
    const ask = this.#ask;
    if (ask === undefined) return;
    const askedUs = this.#ports.now();
    this.#askedMs = performance.now();
    this.#dueMs = this.#askedMs + this.#everyUs / 1000;
    const completed = await ask();
    // What comes from the connection before says nothing about the server behind this one.
    if (completed !== undefined && this.#ask === ask) this.#ports.counted(completed, askedUs);
  }
}
