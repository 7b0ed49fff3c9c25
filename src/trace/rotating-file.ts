/** A file that is set aside when it is full: FILE is the newest part, FILE.1 the one before, and so on; the oldest goes. */
import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { TraceError } from './trace-error.js';
import type { TraceOutput } from './trace-writer.js';

/** Written at once: a write for each line would cost more than the line. */
const CHUNK_CHARACTERS = 65_536;

export interface RotatingFileOptions {
  readonly file: string;
  readonly maxBytes: number;
  /** Parts that are kept, the newest included. */
  readonly parts: number;
  /** The first line of a part. */
  readonly head: (part: number) => string;
  /** Told once when it cannot be written any more; what comes after that is not kept. */
  readonly failed: (error: unknown) => void;
}

export class RotatingFile implements TraceOutput {
  readonly #options: RotatingFileOptions;
  #descriptor: number | undefined;
  #part = 0;
  #bytes = 0;
  #chunk = '';

  /** @throws {TraceError} unreadable, when the file cannot be made. */
  constructor(options: RotatingFileOptions) {
    this.#options = options;
    for (let part = 1; part < options.parts; part += 1) rmSync(`${options.file}.${part}`, { force: true });
    try {
      this.#open();
    } catch (error) {
      throw new TraceError('unreadable', `${options.file} cannot be written: ${String(error)}`, { cause: error });
    }
  }

  write(line: string): void {
    if (this.#descriptor === undefined) return;
    this.#chunk += line;
    if (this.#chunk.length >= CHUNK_CHARACTERS) this.flush();
  }

  /** Puts what was told so far into the file. */
  flush(): void {
    if (this.#descriptor === undefined || this.#chunk === '') return;
    const chunk = Buffer.from(this.#chunk);
    this.#chunk = '';
    try {
      this.#append(chunk);
      if (this.#bytes >= this.#options.maxBytes) this.#rotate();
    } catch (error) {
      this.#end();
      this.#options.failed(error);
    }
  }

  close(): void {
    this.flush();
    this.#end();
  }

  #open(): void {
    this.#descriptor = openSync(this.#options.file, 'w', 0o644);
    this.#bytes = 0;
    this.#append(Buffer.from(this.#options.head(this.#part)));
    this.#part += 1;
  }

  #append(bytes: Uint8Array): void {
    if (this.#descriptor === undefined) return;
    for (let done = 0; done < bytes.length; ) done += writeSync(this.#descriptor, bytes, done);
    this.#bytes += bytes.length;
  }

  #rotate(): void {
    const { file, parts } = this.#options;
    this.#end();
    for (let part = parts - 1; part >= 1; part -= 1) {
      const from = part === 1 ? file : `${file}.${part - 1}`;
      rmSync(`${file}.${part}`, { force: true });
      renameIfThere(from, `${file}.${part}`);
    }
    this.#open();
  }

  #end(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

function renameIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}
