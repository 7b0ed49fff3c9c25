import { CLOCK_ORIGIN_US, type Micros, micros } from '../core/units.js';
import type { Clock } from './ports.js';

/** The longest delay a Node.js timer takes: with a longer one it would fire at once. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

/** For a timer that asks again when it fires: it may fire early by a fraction of a millisecond, or be shorter than what was asked. */
export function timerDelayMs(at: Micros, now: Micros): number {
  return Math.min(Math.max(Math.ceil((at - now) / 1000), 0), LONGEST_DELAY_MS);
}

/** Core time from the machine's monotonic clock: an NTP step changes nothing (design.md 4). */
export class SteadyClock implements Clock {
  readonly #startMs = performance.now();

  now(): Micros {
    return micros(CLOCK_ORIGIN_US + Math.floor((performance.now() - this.#startMs) * 1000));
  }

  schedule(at: Micros, task: () => void): () => void {
    let timer: NodeJS.Timeout;
    const arm = (): void => {
      timer = setTimeout(fire, timerDelayMs(at, this.now()));
    };
    const fire = (): void => (this.now() < at ? arm() : task());
    arm();
    return () => clearTimeout(timer);
  }
}
