/** Reads small pieces of a large file in order, few of them from the disk. */
import type { FileHandle } from 'node:fs/promises';

const WINDOW_BYTES = 1 << 18;

export class FileWindow {
  readonly size: number;
  readonly #handle: FileHandle;
  #window: Uint8Array = new Uint8Array(0);
  #start = 0;

  constructor(handle: FileHandle, size: number) {
    this.#handle = handle;
    this.size = size;
  }

  /** The bytes there, fewer where the file ends. They are overwritten by the next call. */
  async read(offset: number, length: number): Promise<Uint8Array> {
    const from = offset - this.#start;
    if (from < 0 || from + length > this.#window.byteLength) {
      this.#window = await readAt(this.#handle, offset, Math.max(length, Math.min(WINDOW_BYTES, this.size - offset)));
      this.#start = offset;
      return this.#window.subarray(0, length);
    }
    return this.#window.subarray(from, from + length);
  }
}

/** @returns a buffer of its own, shorter where the file ends. */
export async function readAt(handle: FileHandle, offset: number, length: number): Promise<Uint8Array> {
  const buffer = Buffer.allocUnsafeSlow(Math.max(0, length));
  let filled = 0;
  while (filled < buffer.byteLength) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.byteLength - filled, offset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return new Uint8Array(buffer.buffer, 0, filled); // a plain one: views of it cost less
}
