/** Core time on virtual time. */
import { type Micros, micros } from '../core/units.js';
import type { Clock } from '../governor/ports.js';
import type { VirtualTime } from './virtual-time.js';

const NS_PER_US = 1000;

export class VirtualClock implements Clock {
  readonly #time: VirtualTime;
  readonly #originUs: Micros;

  /** @param originUs core time at instant zero of virtual time. */
  constructor(time: VirtualTime, originUs: Micros = micros(0)) {
    this.#time = time;
    this.#originUs = originUs;
  }

  now(): Micros {
    return (this.#originUs + toMicros(this.#time.nowNs)) as Micros;
  }

  schedule(at: Micros, task: () => void): () => void {
    const appointment = this.#time.schedule((at - this.#originUs) * NS_PER_US, task);
    return () => {
      appointment.task = undefined;
    };
  }
}

/** Whole microseconds, rounded down. */
export function toMicros(ns: number): Micros {
  return Math.floor(ns / NS_PER_US) as Micros;
}
