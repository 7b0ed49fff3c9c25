/** Asks for the counter of one model as often as the core wants, as src/triton/statistics-poller.ts does. */
import { type Micros, micros, plus } from '../../../src/core/units.js';
import type { Link } from './link.js';
import type { Timeline } from './timeline.js';

const IDLE_US = micros(5_000_000);
const SHORTEST_PAUSE_US = micros(20_000);

export class SimulatedPoller {
  readonly #time: Timeline;
  readonly #model: string;
  readonly #counted: (completed: number, polledUs: Micros) => void;
  #everyUs: Micros = IDLE_US;
  #link: Link | undefined;
  #askedUs: Micros | undefined;
  #dueUs = micros(0);
  #isAsking = false;
  #reports: (() => void)[] = [];
  #cancel: () => void = () => {};

  constructor(time: Timeline, model: string, counted: (completed: number, polledUs: Micros) => void) {
    this.#time = time;
    this.#model = model;
    this.#counted = counted;
  }

  start(link: Link): void {
    this.#link = link;
    this.#arm();
  }

  stop(): void {
    this.#link = undefined;
    this.#isAsking = false;
    this.#reports = [];
    this.#cancel();
  }

  poll(everyUs: Micros): void {
    const pauseUs = everyUs < this.#everyUs ? SHORTEST_PAUSE_US : everyUs;
    this.#everyUs = everyUs;
    this.#dueUs = this.#askedUs === undefined ? micros(0) : plus(this.#askedUs, pauseUs);
    this.#arm();
  }

  /** Asks now. @param told once it was, or the model is not loaded */
  report(told: () => void): void {
    this.#reports.push(() => this.#send(told));
    if (!this.#isAsking) this.#reports.shift()?.();
  }

  #arm(): void {
    this.#cancel();
    if (this.#link === undefined || this.#isAsking) return;
    this.#cancel = this.#time.schedule(this.#dueUs, () => this.#send(() => {}));
  }

  #send(told: () => void): void {
    const link = this.#link;
    if (link === undefined || this.#isAsking) return;
    this.#cancel();
    this.#isAsking = true;
    const askedUs = this.#time.now();
    this.#askedUs = askedUs;
    this.#dueUs = plus(askedUs, this.#everyUs);
    link.ask(
      (process) => process.completed(this.#model),
      (completed) => {
        const isLate = this.#link !== link;
        if (isLate && !link.answersLate) return; // of the connection before
        if (completed !== undefined) this.#counted(completed, askedUs);
        if (isLate) return;
        this.#isAsking = false;
        told();
        const next = this.#reports.shift();
        if (next === undefined) this.#arm();
        else next();
      },
    );
  }
}
