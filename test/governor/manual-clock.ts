import { CLOCK_ORIGIN_US, type Micros, micros } from '../../src/core/units.js';
import type { Clock } from '../../src/governor/ports.js';

interface Timer {
  readonly at: number;
  readonly task: () => void;
}

/** A clock that stands until the test moves it. */
export class ManualClock implements Clock {
  #now: number = CLOCK_ORIGIN_US;
  readonly #timers = new Set<Timer>();

  now(): Micros {
    return micros(this.#now);
  }

  schedule(at: Micros, task: () => void): () => void {
    const timer = { at, task };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  get pending(): number {
    return this.#timers.size;
  }

  /** Moves to `ms` after the origin, running what falls due on the way, in order. */
  moveTo(ms: number): void {
    const target = CLOCK_ORIGIN_US + ms * 1000;
    for (;;) {
      const due = [...this.#timers].filter((timer) => timer.at <= target).sort((a, b) => a.at - b.at)[0];
      if (due === undefined) break;
      this.#timers.delete(due);
      this.#now = Math.max(this.#now, due.at);
      due.task();
    }
    this.#now = target;
  }
}
