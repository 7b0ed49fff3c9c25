/** The machine's time, but for what is skipped: time in which nothing could have happened. */
import { CLOCK_ORIGIN_US, type Micros, micros } from '../../core/units.js';
import { timerDelayMs } from '../../governor/clock.js';
import type { Clock } from '../../governor/ports.js';

interface Appointment {
  readonly at: Micros;
  readonly task: () => void;
}

export class LiveClock implements Clock {
  readonly #startMs = performance.now();
  #skippedUs = 0;
  /** In order; those of one instant in the order in which they were asked for. */
  readonly #appointments: Appointment[] = [];
  #timer: NodeJS.Timeout | undefined;

  now(): Micros {
    return micros(CLOCK_ORIGIN_US + this.#skippedUs + Math.floor((performance.now() - this.#startMs) * 1000));
  }

  schedule(at: Micros, task: () => void): () => void {
    const appointment = { at, task };
    let place = this.#appointments.length;
    while (place > 0 && (this.#appointments[place - 1] as Appointment).at > at) place -= 1;
    this.#appointments.splice(place, 0, appointment);
    if (place === 0) this.#arm();
    return () => {
      const there = this.#appointments.indexOf(appointment);
      if (there !== -1) this.#appointments.splice(there, 1);
    };
  }

  /** Resolves once it is so late. */
  until(at: Micros): Promise<void> {
    return new Promise((resolve) => this.schedule(at, resolve));
  }

  /** Goes to the next appointment, and keeps it, or to an instant before that. */
  skip(to: Micros): void {
    const at = Math.min(to, this.#appointments[0]?.at ?? to);
    this.#skippedUs += Math.max(0, at - this.now());
    this.#keep();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#appointments.length = 0;
  }

  #arm(): void {
    clearTimeout(this.#timer);
    const [first] = this.#appointments;
    if (first === undefined) return;
    this.#timer = setTimeout(() => this.#keep(), timerDelayMs(first.at, this.now()));
  }

  #keep(): void {
    for (let first = this.#appointments[0]; first !== undefined && first.at <= this.now(); first = this.#appointments[0]) {
      this.#appointments.shift();
      first.task();
    }
    this.#arm();
  }
}
