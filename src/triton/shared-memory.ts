/** System shared memory between this process and a server: making regions, and telling the server about them. */
import { status } from '@grpc/grpc-js';
import type { Connection } from './connection.js';
import { loadMemoryMap, type MemoryMap } from './memory-map.js';
import { createRegion, type Region } from './region.js';
import { leftoversAmong, type RegionNames, regionNames, removeLeftovers } from './region-names.js';
import { statusOf, TritonError, textOf } from './triton-error.js';

/** What a model says of its inputs must not fill the memory of the machine. */
const MAX_REGION_BYTES = 1024 * 1024 * 1024;

/** A page: less is not mapped. */
const WITNESS_BYTES = 4096;

const REGISTER_TIMEOUT_MS = 5000;
const UNREGISTER_TIMEOUT_MS = 1000;
const STATUS_TIMEOUT_MS = 2000;

export interface OpenedSharedMemory {
  readonly memory: SharedMemory;
  /** Files of dead predecessors that were removed. */
  readonly leftovers: readonly string[];
  /** Why tensors are written through the file, where they are. */
  readonly unmapped?: string;
}

export class SharedMemory {
  readonly #names: RegionNames;
  readonly #memoryMap: MemoryMap | undefined;

  private constructor(names: RegionNames, memoryMap: MemoryMap | undefined) {
    this.#names = names;
    this.#memoryMap = memoryMap;
  }

  /** @throws {Error} where the system has no /dev/shm */
  static async open(): Promise<OpenedSharedMemory> {
    const leftovers = removeLeftovers();
    const names = regionNames();
    try {
      return { memory: new SharedMemory(names, await loadMemoryMap()), leftovers };
    } catch (error) {
      return { memory: new SharedMemory(names, undefined), leftovers, unmapped: textOf(error) };
    }
  }

  /** @throws {TritonError} `shared_memory`, with the remedy where it is known */
  create(byteLength: number): Region {
    return this.#create(this.#names.next(), byteLength);
  }

  /** The region whose registration stands for the process of the server. @throws {TritonError} `shared_memory` */
  createWitness(): Region {
    return this.#create(this.#names.witness, WITNESS_BYTES);
  }

  #create(name: string, byteLength: number): Region {
    if (byteLength > MAX_REGION_BYTES) {
      throw new TritonError('shared_memory', `no region of ${byteLength} bytes: at most ${MAX_REGION_BYTES} are made for one call`);
    }
    try {
      return createRegion(name, byteLength, this.#memoryMap);
    } catch (error) {
      const full = error instanceof Error && 'code' in error && error.code === 'ENOSPC';
      const remedy = full ? ': /dev/shm is full, enlarge it (in a container: --shm-size)' : `: ${textOf(error)}`;
      throw new TritonError('shared_memory', `no region of ${byteLength} bytes${remedy}`, error);
    }
  }

  /** @throws {TritonError} when the server cannot map it; a registration that is there already is ours, since names are unique */
  async register(connection: Connection, region: Region): Promise<void> {
    const request = { name: region.name, key: keyOf(region), offset: 0, byte_size: region.bytes.length };
    try {
      await connection.control((service) => service.SystemSharedMemoryRegister, request, REGISTER_TIMEOUT_MS);
    } catch (error) {
      if (statusOf(error) !== status.ALREADY_EXISTS) throw error;
    }
  }

  /** @throws {TritonError} when the server does not answer that */
  async isRegistered(connection: Connection, region: Region): Promise<boolean> {
    const { regions } = await connection.control((service) => service.SystemSharedMemoryStatus, { name: '' }, STATUS_TIMEOUT_MS);
    return Object.values(regions).some(({ name, key }) => name === region.name && key === keyOf(region));
  }

  /**
   * Makes the server forget what processes like this one left there that have ended: it holds their memory else. It refuses for what a
   * call still reads. Never rejects. @returns the names it was asked to forget
   */
  async forgetLeftovers(connection: Connection): Promise<readonly string[]> {
    try {
      const { regions } = await connection.control((service) => service.SystemSharedMemoryStatus, { name: '' }, STATUS_TIMEOUT_MS);
      const leftovers = leftoversAmong(Object.keys(regions));
      for (const name of leftovers) await this.#unregister(connection, name);
      return leftovers;
    } catch {
      return []; // a server without shared memory, or none any more
    }
  }

  /** Never rejects: a server that cannot be asked keeps the registration until it ends. */
  async unregister(connection: Connection | undefined, region: Region): Promise<void> {
    if (connection !== undefined) await this.#unregister(connection, region.name);
  }

  /** @param name never empty, which would unregister the regions of every client */
  async #unregister(connection: Connection, name: string): Promise<void> {
    await connection.control((service) => service.SystemSharedMemoryUnregister, { name }, UNREGISTER_TIMEOUT_MS).catch(() => undefined);
  }
}

/** What shm_open takes. */
function keyOf(region: Region): string {
  return `/${region.name}`;
}
