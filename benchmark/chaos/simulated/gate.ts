/** Warms a model up before it is used, as src/service/model-gate.ts does. */
import type { CallEnd } from '../../../src/governor/ports.js';
import type { Timeline } from './timeline.js';

const RETRY_US = 1_000_000;

export interface GateOptions {
  readonly time: Timeline;
  readonly warmUps: number;
  /** One call outside all counts. */
  readonly warmUp: (ended: (end: CallEnd) => void) => void;
  readonly use: (ready: boolean) => void;
}

export class SimulatedGate {
  readonly #options: GateOptions;
  #generation = 0;
  #serverReady = false;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  serverSays(ready: boolean): void {
    if (ready && this.#serverReady) return;
    this.#generation += 1;
    this.#serverReady = ready;
    this.#options.use(false);
    if (ready) this.#open(this.#generation);
  }

  #open(generation: number): void {
    if (generation !== this.#generation) return;
    const failed = (): void => void this.#options.time.after(RETRY_US, () => this.#open(generation));
    this.#warmUp(generation, this.#options.warmUps, failed);
  }

  /** Calls that were begun go on when the server changes; what they say counts no more. */
  #warmUp(generation: number, left: number, failed: () => void): void {
    if (left === 0) {
      if (generation === this.#generation) this.#options.use(true);
      return;
    }
    this.#options.warmUp(({ result }) => (result === 'ok' ? this.#warmUp(generation, left - 1, failed) : failed()));
  }
}
