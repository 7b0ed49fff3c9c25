/** Compressed parts of bags. */
import { createReadStream, createWriteStream } from 'node:fs';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import zstd from '@foxglove/wasm-zstd';
import { Decompress, decompress as decompressSlowly } from 'fzstd';
import { WriteError } from '../../files/write-error.js';
import { decompressLz4 } from './lz4.js';

const ZSTD_MAGIC = [0x28, 0xb5, 0x2f, 0xfd];
const READ_BYTES = 1 << 20;
/** What one message or chunk can be at most: a size beyond it is a damaged one. */
export const MAX_PART_BYTES = 1 << 30;

/** To be awaited once before a message is decompressed. */
export const decompressorsReady: Promise<unknown> = zstd.isLoaded;

/** @param at where the data begin */
export function isZstd(bytes: Uint8Array, at = 0): boolean {
  return bytes[at] === ZSTD_MAGIC[0] && ZSTD_MAGIC.every((byte, index) => bytes[at + index] === byte);
}

/** @throws {Error} when the bytes are damaged, or too many. */
export function decompressZstd(bytes: Uint8Array): Uint8Array {
  const size = zstdContentSize(bytes);
  if (size === undefined) return decompressSlowly(bytes);
  checkSize(size);
  return zstd.decompress(bytes, size);
}

/** By the names that MCAP has for them. @throws {Error} when the bytes are damaged, too many, or the compression is unknown. */
export async function decompressChunk(compression: string, bytes: Uint8Array, size: number): Promise<Uint8Array> {
  checkSize(size);
  switch (compression) {
    case '':
      return sized(bytes, size);
    case 'zstd':
      return sized(zstd.decompress(bytes, size), size);
    case 'lz4':
      return decompressLz4(bytes, size);
    default:
      throw new Error(`the compression '${compression}' is unknown; known are zstd and lz4`);
  }
}

/**
 * A whole file, as a stream.
 * @throws {WriteError} when the target cannot be written. @throws {Error} when the source is damaged or cut off; what came before stands in
 * the target.
 */
export async function decompressFile(source: string, target: string): Promise<void> {
  const inflate = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      guarded(done, () => stream.push(chunk));
    },
    flush(done) {
      guarded(done, () => stream.push(new Uint8Array(0), true));
    },
  });
  const stream = new Decompress((data) => inflate.push(Buffer.from(data)));
  try {
    await pipeline(createReadStream(source, { highWaterMark: READ_BYTES }), inflate, createWriteStream(target));
  } catch (error) {
    throw isOfTarget(error, target) ? new WriteError(target, error) : error;
  }
}

function isOfTarget(error: unknown, target: string): boolean {
  const { syscall, path } = error as NodeJS.ErrnoException;
  return syscall === 'write' || path === target;
}

function guarded(done: (error?: Error) => void, work: () => void): void {
  try {
    work();
  } catch (error) {
    done(error instanceof Error ? error : new Error(String(error)));
    return;
  }
  done();
}

function sized(bytes: Uint8Array, size: number): Uint8Array {
  if (bytes.byteLength !== size) throw new Error(`${bytes.byteLength} bytes came out where ${size} were promised`);
  return bytes;
}

function checkSize(size: number): void {
  if (!(size <= MAX_PART_BYTES)) throw new Error(`it says that it has ${size} bytes, more than ${MAX_PART_BYTES}`);
}

/** The size that the frame header tells; undefined where it does not. */
function zstdContentSize(bytes: Uint8Array): number | undefined {
  const view = viewOf(bytes);
  const descriptor = bytes[4] ?? 0;
  const single = (descriptor & 0x20) !== 0;
  const sizeFlag = descriptor >> 6;
  const at = 5 + (single ? 0 : 1) + ([0, 1, 2, 4][descriptor & 3] ?? 0);
  if (sizeFlag === 0 && !single) return undefined;
  if (at + 2 ** sizeFlag > bytes.byteLength) throw new Error('the frame is cut off');
  switch (sizeFlag) {
    case 0:
      return view.getUint8(at);
    case 1:
      return view.getUint16(at, true) + 256;
    case 2:
      return view.getUint32(at, true);
    default:
      return Number(view.getBigUint64(at, true));
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
