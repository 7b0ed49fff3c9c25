/** One file of text, written in chunks. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { TraceError } from './trace-error.js';
import type { TraceOutput } from './trace-writer.js';

/** Written at once: a write for each line would cost more than the line. */
const CHUNK_CHARACTERS = 65_536;

export class PlainFile implements TraceOutput {
  readonly #file: string;
  #descriptor: number | undefined;
  #bytes = 0;
  #chunk = '';

  /** Begins it anew. @throws {TraceError} unreadable, when it cannot be made. */
  constructor(file: string, head: string) {
    this.#file = file;
    this.#orRefuse(() => {
      this.#descriptor = openSync(file, 'w', 0o644);
    });
    this.#append(head);
  }

  /** What is in the file by now. */
  get bytes(): number {
    return this.#bytes;
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
      throw new TraceError('unreadable', `${this.#file} cannot be written: ${String(error)}`, { cause: error });
    }
  }

  #end(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}
