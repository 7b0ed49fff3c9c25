/** The files of a running node (parts.ts): a part that is full is set aside and compressed; the oldest goes. */
import { renameSync, rmSync } from 'node:fs';
import { type CompressPart, compressPart } from './compress-part.js';
import { type PartNames, partNames, removeSetAside } from './parts.js';
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
  /** The first line of a part, counted from 0. */
  readonly head: (part: number) => string;
  /** Told once when it cannot be written any more; what comes after that is not kept. */
  readonly failed: (error: unknown) => void;
  readonly compress?: CompressPart;
}

export class RotatingFile implements TraceOutput {
  readonly #options: RotatingFileOptions;
  readonly #end = new AbortController();
  #newest: PlainFile | undefined;
  /** Set aside so far. */
  #setAside = 0;
  #compressing: Promise<void> | undefined;

  /** @throws {TraceError} unreadable, when the file cannot be made. */
  constructor(options: RotatingFileOptions) {
    this.#options = options;
    const { file } = options;
    try {
      removeSetAside(file);
    } catch (error) {
      throw new TraceError('unreadable', `${file}: parts of a former trace cannot be removed: ${String(error)}`, { cause: error });
    }
    this.#newest = this.#begin();
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
      if (newest.bytes >= this.#options.maxBytes) this.#rotate(newest);
    } catch (error) {
      this.#fail(error);
    }
  }

  #begin(): PlainFile {
    return new PlainFile(this.#options.file, this.#options.head(this.#setAside));
  }

  #rotate(newest: PlainFile): void {
    const { file, maxBytes, parts } = this.#options;
    if (this.#compressing !== undefined) {
      if (newest.bytes < MOST_OVERDUE * maxBytes) return;
      newest.close();
      throw new TraceError('unreadable', `${file}: after ${MOST_OVERDUE} times the size of a part the one before is still not compressed`);
    }
    newest.close();
    this.#setAside += 1;
    const names = partNames(file, this.#setAside);
    if (parts > 1) renameSync(file, names.plain);
    const tooOld = this.#setAside - parts + 1;
    if (tooOld > 0) rmSync(partNames(file, tooOld).compressed, { force: true });
    this.#newest = this.#begin();
    if (parts > 1) this.#compressing = this.#compress(names);
  }

  async #compress(names: PartNames): Promise<void> {
    const { compress = compressPart } = this.#options;
    try {
      await compress(names, this.#end.signal);
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
