/** The lines of one part, plain or compressed, as they are needed: a long one is never held whole. */
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { TraceError } from './trace-error.js';

export interface Line {
  readonly text: string;
  /** File and line. */
  readonly place: string;
  /** No line feed follows, as where a node was killed. */
  readonly isOpen: boolean;
}

const GZIP_MAGIC = [0x1f, 0x8b] as const;
/** No line of a trace comes near. */
const LONGEST_LINE = 2 ** 26;

/**
 * @param read told now and then how many bytes of the file were read.
 * @throws {TraceError} unreadable; malformed, when a compressed one is damaged.
 */
export async function* linesOf(file: string, read?: (bytes: number) => void): AsyncGenerator<Line> {
  let rest = '';
  let number = 0;
  for await (const text of textOf(file, read)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      number += 1;
      yield { text: line, place: `${file}:${number}`, isOpen: false };
    }
    if (rest.length > LONGEST_LINE) throw new TraceError('malformed', `${file}: a line has no end; is it a trace that vig wrote?`);
  }
  if (rest !== '') yield { text: rest, place: `${file}:${number + 1}`, isOpen: true };
}

async function* textOf(file: string, read: (bytes: number) => void = () => {}): AsyncGenerator<string> {
  try {
    const isCompressed = await startsWithMagic(file);
    const plain = createReadStream(file);
    for await (const text of decoded(plain, isCompressed)) {
      read(plain.bytesRead);
      yield text;
    }
  } catch (error) {
    throw asTraceError(file, error);
  }
}

function decoded(plain: Readable, isCompressed: boolean): AsyncIterable<string> {
  const stream: Readable = isCompressed ? pipeline(plain, createGunzip(), () => {}) : plain; // who reads it hears of a failure
  return stream.setEncoding('utf8');
}

/** What it is shows in its first bytes: a trace may also be compressed by hand. */
async function startsWithMagic(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const { buffer } = await handle.read(new Uint8Array(GZIP_MAGIC.length));
    return GZIP_MAGIC.every((byte, index) => buffer[index] === byte);
  } finally {
    await handle.close();
  }
}

function asTraceError(file: string, error: unknown): TraceError {
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return new TraceError('unreadable', `${file}: there is no such file`, { cause: error });
  if (code.startsWith('Z_'))
    return new TraceError('malformed', `${file}: it is damaged and cannot be decompressed: ${message}`, { cause: error });
  return new TraceError('unreadable', `${file} cannot be read: ${message}`, { cause: error });
}
