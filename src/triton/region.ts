/** One POSIX shared-memory region: what tensors are written to and the server reads from. */
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { MemoryMap } from './memory-map.js';

/** Where Linux keeps what shm_open makes. */
export const SHARED_MEMORY_FOLDER = '/dev/shm';

export interface Region {
  /** Unique among all processes: the name at the server, and its key behind a slash. */
  readonly name: string;
  /** Write tensors here, then `flush`. */
  readonly bytes: Uint8Array;
  /** Makes the first `byteLength` bytes visible to the server. */
  flush(byteLength: number): void;
  /** Unlinks it and gives the memory back. What the server has mapped stays valid for the server. */
  release(): void;
}

const ZEROS_BYTES = 1024 * 1024;

/**
 * Makes a region; its memory is present afterwards, so that a full /dev/shm shows here and never as a signal at the first write.
 * @param memoryMap absent: written through the file, which costs one more copy
 * @throws {Error} ENOSPC when /dev/shm is full, EEXIST, or what mmap says
 */
export function createRegion(name: string, byteLength: number, memoryMap: MemoryMap | undefined): Region {
  const file = join(SHARED_MEMORY_FOLDER, name);
  const fd = openSync(file, 'wx+', 0o600);
  try {
    fillWithZeros(fd, byteLength);
    const region = memoryMap === undefined ? fileRegion(name, fd, byteLength) : mappedRegion(name, fd, byteLength, memoryMap);
    return {
      ...region,
      release: () => {
        rmSync(file, { force: true });
        region.release();
      },
    };
  } catch (error) {
    closeSync(fd);
    rmSync(file, { force: true });
    throw error;
  }
}

function mappedRegion(name: string, fd: number, byteLength: number, memoryMap: MemoryMap): Region {
  const mapping = memoryMap.map(fd, byteLength);
  closeSync(fd); // the mapping holds the memory
  return { name, bytes: mapping.bytes, flush: () => {}, release: () => mapping.release() };
}

function fileRegion(name: string, fd: number, byteLength: number): Region {
  const bytes = new Uint8Array(byteLength);
  return {
    name,
    bytes,
    flush: (length) => {
      for (let written = 0; written < length; ) written += writeSync(fd, bytes, written, length - written, written);
    },
    release: () => closeSync(fd),
  };
}

function fillWithZeros(fd: number, byteLength: number): void {
  const zeros = new Uint8Array(Math.min(byteLength, ZEROS_BYTES));
  for (let written = 0; written < byteLength; ) written += writeSync(fd, zeros, 0, Math.min(zeros.length, byteLength - written), written);
}
