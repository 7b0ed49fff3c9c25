/** A part that was set aside, in a tenth of its bytes. */
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { PartNames } from './parts.js';

/** Beyond it bytes hardly get fewer, and time doubles (adr/0017). */
const LEVEL = 7;

export type CompressPart = (names: PartNames, signal: AbortSignal) => Promise<void>;

/** Piece by piece, on the threads of zlib. The plain part goes when the compressed one is whole and on the disk. */
export const compressPart: CompressPart = async ({ plain, compressed, half }, signal) => {
  const input = createReadStream(plain);
  const output = createWriteStream(half, { flush: true });
  try {
    await pipeline(input, createGzip({ level: LEVEL }), output, { signal });
  } catch (error) {
    await Promise.all([closed(input), closed(output)]); // one that is still being opened would be made after it was removed
    await rm(half, { force: true });
    throw error;
  }
  await rename(half, compressed);
  await rm(plain);
};

async function closed(stream: NodeJS.EventEmitter & { readonly closed: boolean }): Promise<void> {
  if (!stream.closed) await new Promise<void>((resolve) => stream.once('close', resolve));
}
