/** One file of text, written in chunks. */
import { closeSync, constants, fstatSync, openSync, statSync, writeSync } from 'node:fs';
import { isAt } from '../files/file-lock.js';
import { cannotBeWritten } from './trace-error.js';
import type { TraceOutput } from './trace-writer.js';

/** Written at once: a write for each line would cost more than the line. */
const CHUNK_CHARACTERS = 65_536;
/** Whatever becomes of the file meanwhile, what is written goes behind what is there. */
const ANEW = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_APPEND;

/** Who writes into a pipe waits for its reader, and hears nothing meanwhile. */
function refusePipe(file: string): void {
  const there = statSync(file, { throwIfNoEntry: false });
  if (there?.isFIFO() || there?.isSocket()) throw new Error('it is a pipe; name a file, and read it while it grows (tail -f)');
}

export class PlainFile implements TraceOutput {
  readonly #file: string;
  #descriptor: number | undefined;
  #bytes = 0;
  #chunk = '';

  /** Begins it anew. @throws {TraceError} unreadable, when it cannot be made. */
  constructor(file: string, head: string) {
    this.#file = file;
    this.#orRefuse(() => {
      refusePipe(file);
      this.#descriptor = openSync(file, ANEW, 0o644);
    });
    this.#append(head);
  }

  /** What is in the file by now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether another file may take its place; not so a device. */
  get isFile(): boolean {
    return this.#descriptor !== undefined && fstatSync(this.#descriptor).isFile();
  }

  /** Whether its name still leads to it. */
  get isInPlace(): boolean {
    return this.#descriptor !== undefined && isAt(this.#descriptor, this.#file);
  }

  /** @throws {TraceError} unreadable, when the file cannot be written; it is closed then, and takes no more. */
  write(line: string): void {
    if (this.#descriptor === undefined) return;
    this.#chunk += line;
    if (this.#chunk.length >= CHUNK_CHARACTERS) this.flush();
  }

  /** Puts what was told so far into the file. @throws {TraceError} as `write` does. */
  flush(): void {
    const chunk = this.#chunk;
    this.#chunk = '';
    if (chunk !== '') this.#append(chunk);
  }

  /** @throws {TraceError} as `write` does. */
  close(): void {
    this.flush();
    this.#end();
  }

  #append(text: string): void {
    this.#orRefuse(() => {
      if (this.#descriptor === undefined) return;
      const bytes = Buffer.from(text);
      for (let done = 0; done < bytes.length; ) done += writeSync(this.#descriptor, bytes, done);
      this.#bytes += bytes.length;
    });
  }

  #orRefuse(use: () => void): void {
    try {
      use();
    } catch (error) {
      this.#end();
      throw cannotBeWritten(this.#file, error);
    }
  }

  #end(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}
