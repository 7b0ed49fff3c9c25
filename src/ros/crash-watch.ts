/** Errors that nobody foresaw: the first asks for an orderly end, so that every open request has its outcome; the next does not wait. */
import type { Logger } from 'pino';

export class CrashWatch {
  readonly first: Promise<void>;
  readonly second: Promise<void>;
  readonly #heard: (error: Error) => void;
  #count = 0;

  constructor(log: Logger) {
    let heardFirst: () => void = () => {};
    let heardSecond: () => void = () => {};
    this.first = new Promise((resolve) => {
      heardFirst = resolve;
    });
    this.second = new Promise((resolve) => {
      heardSecond = resolve;
    });
    this.#heard = (err) => {
      this.#count += 1;
      if (this.#count > 2) return; // it is ending already
      log.fatal({ err }, this.#count === 1 ? 'unexpected error, the node ends' : 'one more unexpected error, the node ends at once');
      if (this.#count === 1) heardFirst();
      else heardSecond();
    };
    process.on('uncaughtException', this.#heard); // rejections that nobody handles come here too
  }

  get happened(): boolean {
    return this.#count > 0;
  }

  stop(): void {
    process.off('uncaughtException', this.#heard);
  }
}
