/** Progress of something long, for somebody who watches: silent when it is over soon or nobody does. */
const SHOWN_AFTER_MS = 1000;
const WIDTH = 30;

export class ProgressBar {
  readonly #stream: NodeJS.WriteStream;
  readonly #startMs = performance.now();
  #shown = false;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  show(done: number, of: number): void {
    if (!this.#stream.isTTY || performance.now() - this.#startMs < SHOWN_AFTER_MS) return;
    const filled = Math.round((WIDTH * done) / of);
    this.#shown = true;
    this.#stream.write(`\r[${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}] ${done}/${of}`);
  }

  /** Leaves the line as it was. */
  clear(): void {
    if (this.#shown) this.#stream.write(`\r${' '.repeat(WIDTH + 24)}\r`);
    this.#shown = false;
  }
}
