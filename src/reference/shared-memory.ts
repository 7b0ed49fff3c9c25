/** System shared memory as clients register it: files in /dev/shm, read and written where a request points. */
import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { RpcFailure } from './rpc-failure.js';

const FOLDER = '/dev/shm';
const PAGE_BYTES = 4096;
const MAX_REGIONS = 1024;

/** A part of a region that a request points to. */
export interface RegionSlice {
  readonly region: SharedRegion;
  readonly offset: number;
  readonly byteSize: number;
}

export class SharedRegion {
  readonly name: string;
  readonly key: string;
  readonly offset: number;
  readonly byteSize: number;
  /** Calls that point to it and have not ended. */
  uses = 0;
  readonly #file: number;

  constructor(name: string, key: string, offset: number, byteSize: number) {
    this.name = name;
    this.key = key;
    this.offset = offset;
    this.byteSize = byteSize;
    this.#file = openKey(key);
    try {
      const { size } = fstatSync(this.#file);
      // Mapped by the real server: not an empty range, and from the start of a page.
      if (byteSize < 1 || offset % PAGE_BYTES !== 0 || offset + byteSize > size) {
        throw new RpcFailure(
          'INVALID_ARGUMENT',
          `failed to register shared memory region '${name}': ${byteSize} bytes from ${offset} of ${size}`,
        );
      }
    } catch (error) {
      this.close();
      throw error;
    }
  }

  read(slice: RegionSlice): Buffer {
    const bytes = Buffer.allocUnsafe(slice.byteSize);
    const count = readSync(this.#file, bytes, 0, slice.byteSize, this.offset + slice.offset);
    if (count < slice.byteSize) throw new RpcFailure('INTERNAL', `shared memory '${this.key}' was shortened after its registration`);
    return bytes;
  }

  write(offset: number, bytes: Uint8Array): void {
    writeSync(this.#file, bytes, 0, bytes.byteLength, this.offset + offset);
  }

  close(): void {
    closeSync(this.#file);
  }
}

export class SharedMemory {
  readonly #regions = new Map<string, SharedRegion>();

  register(name: string, key: string, offset: number, byteSize: number): void {
    if (this.#regions.has(name)) throw new RpcFailure('ALREADY_EXISTS', `shared memory region '${name}' already in manager`);
    if (this.#regions.size >= MAX_REGIONS)
      throw new RpcFailure('RESOURCE_EXHAUSTED', `${MAX_REGIONS} shared memory regions are registered`);
    // Triton 2.51 cannot map a key twice either: its descriptor is closed by then.
    const holder = this.list().find((region) => region.key === key);
    if (holder !== undefined) throw new RpcFailure('INTERNAL', `Invalid shared memory region: '${key}' is registered as '${holder.name}'`);
    this.#regions.set(name, new SharedRegion(name, key, offset, byteSize));
  }

  /** Ends the registration; an unknown name is no error. @throws {RpcFailure} while a call points to the region. */
  unregister(name: string): void {
    const region = this.#regions.get(name);
    if (region === undefined) return;
    if (region.uses > 0) throw new RpcFailure('INTERNAL', `Cannot unregister shared memory region '${name}', it is currently in use.`);
    region.close();
    this.#regions.delete(name);
  }

  /** Every region of every client; those in use stay, and are named in the failure. */
  unregisterAll(): void {
    const busy = this.list().filter((region) => region.uses > 0);
    for (const region of this.list()) if (region.uses === 0) this.unregister(region.name);
    if (busy.length > 0) {
      throw new RpcFailure(
        'INTERNAL',
        `Failed to unregister the following system shared memory regions: ${busy.map(({ name }) => name).join(', ')}`,
      );
    }
  }

  list(): SharedRegion[] {
    return [...this.#regions.values()];
  }

  find(name: string): SharedRegion | undefined {
    return this.#regions.get(name);
  }

  /** @throws {RpcFailure} when there is no such region, or the part is not inside it. */
  slice(name: string, offset: number, byteSize: number): RegionSlice {
    const region = this.#regions.get(name);
    if (region === undefined) throw new RpcFailure('NOT_FOUND', `Unable to find shared memory region: '${name}'`);
    if (!(offset >= 0 && byteSize >= 0 && offset + byteSize <= region.byteSize)) {
      throw new RpcFailure('INVALID_ARGUMENT', `Invalid offset + byte size for shared memory region: '${name}'`);
    }
    return { region, offset, byteSize };
  }

  /** Closes all files, in use or not. */
  close(): void {
    for (const region of this.#regions.values()) region.close();
    this.#regions.clear();
  }
}

/** As shm_open does: a name in one folder, no link, an object that exists. */
function openKey(key: string): number {
  const name = key.startsWith('/') ? key.slice(1) : key;
  const refused = new RpcFailure('INTERNAL', `Unable to open shared memory region: '${key}'`);
  if (!/^[^/\0]{1,255}$/.test(name) || name === '.' || name === '..') throw refused;
  let file: number;
  try {
    file = openSync(`${FOLDER}/${name}`, constants.O_RDWR | constants.O_NOFOLLOW);
  } catch {
    throw refused;
  }
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw refused;
}
