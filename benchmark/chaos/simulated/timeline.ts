/** Virtual time in microseconds, and the clock of the core on it. */
import { CLOCK_ORIGIN_US, type Micros, micros } from '../../../src/core/units.js';
import type { Clock } from '../../../src/governor/ports.js';
import { VirtualTime } from '../../../src/simulator/virtual-time.js';

const NS_PER_US = 1000;

export class Timeline implements Clock {
  readonly #time = new VirtualTime();

  /** Since the start. */
  get us(): number {
    return this.#time.nowNs / NS_PER_US;
  }

  now(): Micros {
    return micros(CLOCK_ORIGIN_US + this.us);
  }

  schedule(at: Micros, task: () => void): () => void {
    return this.at(at - CLOCK_ORIGIN_US, task);
  }

  at(us: number, task: () => void): () => void {
    const appointment = this.#time.schedule(us * NS_PER_US, task);
    return () => {
      appointment.task = undefined;
    };
  }

  after(us: number, task: () => void): () => void {
    return this.at(this.us + us, task);
  }

  /** Keeps all appointments until then, and stands there. */
  runUntil(us: number): void {
    while (this.#time.nextNs <= us * NS_PER_US) this.#time.keepNext();
    this.#time.moveTo(us * NS_PER_US);
  }
}
