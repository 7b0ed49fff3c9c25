/** The files of a running node (parts.ts): a part that is full is set aside and compressed; the oldest goes. Those of former runs are parts as well. */
import { renameSync } from 'node:fs';
import { messageOf } from '../governor/error-message.js';
import { type CompressPart, compressPart } from './compress-part.js';
import { keepFormerRun, keepNewest } from './former-run.js';
import { type PartNames, partNames, partThatIsThere } from './parts.js';
import { PlainFile } from './plain-file.js';
import { TraceError } from './trace-error.js';
import type { TraceOutput } from './trace-writer.js';

/** While a part is compressed the next one goes on growing, up to so many times its size: a bound that only a disk that hangs comes to. */
const MOST_OVERDUE = 4;

export interface RotatingFileOptions {
  readonly file: string;
  readonly maxBytes: number;
  /** Parts that are kept, the newest included. */
  readonly parts: number;
  /** The first line of a part, counted from 0; `first` is the number that part 0 is set aside under. */
  readonly head: (part: number, first: number) => string;
  /** Told once when it cannot be written any more; what comes after that is not kept. */
  readonly failed: (error: unknown) => void;
  readonly compress?: CompressPart;
}

export class RotatingFile implements TraceOutput {
  readonly #options: RotatingFileOptions;
  readonly #end = new AbortController();
  /** The newest part of the run before, where there is one. */
  readonly former: string | undefined;
  readonly #first: number;
  #newest: PlainFile | undefined;
  /** The number of the newest that was set aside. */
  #setAside: number;
  #compressing: Promise<void> | undefined;

  /** @throws {TraceError} unreadable, when the file cannot be made, or what is there is no trace. */
  constructor(options: RotatingFileOptions) {
    this.#options = options;
    const { file, parts } = options;
    const { newest, plain } = orRefuse(file, () => {
      const former = keepFormerRun(file);
      keepNewest(file, Math.max(parts - 1, 1)); // even of one part that is kept the former one stays until it is full
      return former;
    });
    this.former = newest === 0 ? undefined : partThatIsThere(file, newest);
    this.#setAside = newest;
    this.#first = newest + 1;
    this.#newest = this.#begin();
    if (plain.length > 0) this.#compressing = this.#compress(plain);
  }

  write(line: string): void {
    this.#use((newest) => newest.write(line));
  }

  /** Puts what was told so far into the file. */
  flush(): void {
    this.#use((newest) => newest.flush());
  }

  /** A part that is being compressed stays plain: its text is whole, and nobody waits for it. */
  async close(): Promise<void> {
    const newest = this.#newest;
    this.#newest = undefined;
    this.#end.abort();
    try {
      newest?.close();
    } catch (error) {
      this.#options.failed(error);
    }
    await this.#compressing;
  }

  #use(use: (newest: PlainFile) => void): void {
    const newest = this.#newest;
    if (newest === undefined) return;
    try {
      use(newest);
      if (newest.bytes >= this.#options.maxBytes && newest.isFile) this.#rotate(newest);
    } catch (error) {
      this.#fail(error);
    }
  }

  #begin(): PlainFile {
    return new PlainFile(this.#options.file, this.#options.head(this.#setAside + 1 - this.#first, this.#first));
  }

  #rotate(newest: PlainFile): void {
    const { file, maxBytes, parts } = this.#options;
    if (this.#compressing !== undefined) {
      if (newest.bytes < MOST_OVERDUE * maxBytes) return;
      newest.close();
      throw new TraceError('unreadable', `${file}: after ${MOST_OVERDUE} times the size of a part the one before is still not compressed`);
    }
    if (!newest.isInPlace) throw new TraceError('unreadable', `${file}: it was moved, or something else took its place`);
    newest.close();
    this.#setAside += 1;
    const names = partNames(file, this.#setAside);
    const inTheWay = partThatIsThere(file, this.#setAside);
    if (inTheWay !== undefined) throw new TraceError('unreadable', `${inTheWay}: is in the way of the next part`);
    if (parts > 1) renameSync(file, names.plain);
    keepNewest(file, parts - 1);
    this.#newest = this.#begin();
    if (parts > 1) this.#compressing = this.#compress([names]);
  }

  async #compress(parts: readonly PartNames[]): Promise<void> {
    const { compress = compressPart } = this.#options;
    try {
      for (const names of parts) await compress(names, this.#end.signal);
    } catch (error) {
      if (!this.#end.signal.aborted) this.#fail(error);
    } finally {
      this.#compressing = undefined;
    }
  }

  #fail(error: unknown): void {
    const newest = this.#newest;
    this.#newest = undefined;
    this.#end.abort();
    try {
      newest?.close();
    } catch {} // it is told already
    this.#options.failed(error);
  }
}

/** @throws {TraceError} unreadable. */
function orRefuse<T>(file: string, use: () => T): T {
  try {
    return use();
  } catch (error) {
    if (error instanceof TraceError) throw error;
    throw new TraceError('unreadable', `${file}: a former trace cannot be set aside: ${messageOf(error)}`, { cause: error });
  }
}
