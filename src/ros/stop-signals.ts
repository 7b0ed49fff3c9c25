/** SIGINT and SIGTERM: the first asks for an orderly end, the second for the end. */

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

export class StopSignals {
  readonly first: Promise<void>;
  readonly second: Promise<void>;
  readonly #heard: () => void;

  constructor() {
    let heardFirst: () => void = () => {};
    let heardSecond: () => void = () => {};
    this.first = new Promise((resolve) => {
      heardFirst = resolve;
    });
    this.second = new Promise((resolve) => {
      heardSecond = resolve;
    });
    let count = 0;
    this.#heard = () => {
      count += 1;
      if (count === 1) heardFirst();
      else heardSecond();
    };
    for (const signal of SIGNALS) process.on(signal, this.#heard);
  }

  /** Signals act as without this again. */
  stop(): void {
    for (const signal of SIGNALS) process.off(signal, this.#heard);
  }
}
