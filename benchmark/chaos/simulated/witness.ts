/** Finds out whether a process is the one that was told of our witness, as src/triton/boot-witness.ts does. */
import type { Micros } from '../../../src/core/units.js';
import type { Link } from './link.js';
import type { Timeline } from './timeline.js';

interface Check {
  readonly link: Link;
  readonly done: () => void;
}

export class SimulatedWitness {
  readonly #time: Timeline;
  readonly #tell: (present: boolean, polledUs: Micros) => void;
  readonly #confirmedOn = new WeakSet<Link>();
  #registered = false;
  #current: Check | undefined;
  #next: Check[] = [];

  constructor(time: Timeline, tell: (present: boolean, polledUs: Micros) => void) {
    this.#time = time;
    this.#tell = tell;
  }

  isConfirmedOn(link: Link): boolean {
    return this.#registered && this.#confirmedOn.has(link);
  }

  /** One after the other. @param done when it was told; never when the connection breaks before */
  check(link: Link, done: () => void = () => {}): void {
    this.#next.push({ link, done });
    this.#go();
  }

  /** What is asked over it will not be answered. */
  lost(link: Link): void {
    this.#next = this.#next.filter((check) => check.link !== link);
    if (this.#current?.link === link) this.#current = undefined;
    this.#go();
  }

  #go(): void {
    if (this.#current !== undefined) return;
    const check = this.#next.shift();
    this.#current = check;
    if (check === undefined) return;
    if (this.#registered) this.#look(check);
    else this.#register(check);
  }

  #look(check: Check): void {
    const polledUs = this.#time.now();
    this.#ask(check, (present) => {
      if (present) this.#confirm(check, polledUs);
      else {
        this.#registered = false;
        this.#tell(false, polledUs);
        this.#register(check);
      }
    });
  }

  #register(check: Check): void {
    const registered = (): void => {
      if (this.#current !== check) return;
      this.#registered = true;
      const polledUs = this.#time.now();
      this.#ask(check, () => this.#confirm(check, polledUs));
    };
    check.link.ask((process) => {
      process.registered = true;
    }, registered);
  }

  #ask(check: Check, told: (present: boolean) => void): void {
    check.link.ask(
      (process) => process.registered,
      (present) => {
        if (this.#current === check) told(present);
      },
    );
  }

  #confirm(check: Check, polledUs: Micros): void {
    this.#confirmedOn.add(check.link);
    this.#tell(true, polledUs);
    this.#current = undefined;
    check.done();
    this.#go();
  }
}
