/** SIGINT and SIGTERM: the first asks for an orderly end, the second for the end. */
import { Twice } from './twice.js';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

export class StopSignals {
  readonly #signals = new Twice();
  readonly first = this.#signals.first;
  readonly second = this.#signals.second;
  readonly #heard = () => this.#signals.happened();

  constructor() {
    for (const signal of SIGNALS) process.on(signal, this.#heard);
  }

  /** Signals act as without this again. */
  stop(): void {
    for (const signal of SIGNALS) process.off(signal, this.#heard);
  }
}
