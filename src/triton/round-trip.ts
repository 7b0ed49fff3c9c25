/** What a call costs beyond the execution: measured on calls that execute nothing. */
import { type Micros, micros } from '../core/units.js';

const WINDOW = 64;
/** Fewer measurements say nothing about a 90th percentile. */
const MIN_SAMPLES = 8;

export class RoundTripWindow {
  readonly #samplesUs: number[] = [];
  #next = 0;

  add(us: number): void {
    this.#samplesUs[this.#next] = us;
    this.#next = (this.#next + 1) % WINDOW;
  }

  /** 90th percentile of the last 64; undefined before there are enough. */
  p90(): Micros | undefined {
    if (this.#samplesUs.length < MIN_SAMPLES) return undefined;
    const sorted = [...this.#samplesUs].sort((a, b) => a - b);
    const value = sorted[Math.ceil(sorted.length * 0.9) - 1];
    return value === undefined ? undefined : micros(Math.round(value));
  }
}
