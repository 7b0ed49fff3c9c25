/** Errors that nobody foresaw: the first asks for an orderly end, so that every open request has its outcome; the next does not wait. */
import type { Logger } from 'pino';
import { Twice } from './twice.js';

export class CrashWatch {
  readonly #errors = new Twice();
  readonly first = this.#errors.first;
  readonly second = this.#errors.second;
  readonly #heard: (error: Error) => void;

  constructor(log: Logger) {
    this.#heard = (err) => {
      const { times } = this.#errors;
      if (times >= 2) return; // it is ending already
      log.fatal({ err }, times === 0 ? 'unexpected error, the node ends' : 'one more unexpected error, the node ends at once');
      this.#errors.happened();
    };
    process.on('uncaughtException', this.#heard); // rejections that nobody handles come here too
  }

  get happened(): boolean {
    return this.#errors.times > 0;
  }

  stop(): void {
    process.off('uncaughtException', this.#heard);
  }
}
