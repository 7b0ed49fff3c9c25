/**
 * The shared-memory regions of one backend. A region carries one call at a time and is written again only after that call's end is
 * proven; after an end of unknown fate it is never written again, since the server may still be reading it. Its memory is kept, and counts,
 * as long as the server may hold it: until that process has ended.
 */
import type { Region } from './region.js';

/** What the pool needs of the world. */
export interface RegionPorts {
  /** @throws {Error} when there is no memory for it */
  create(byteLength: number): Region;
  /** Makes the region known to the server that is connected now. Rejects when the server cannot map it. */
  register(region: Region): Promise<void>;
  /** Makes the server forget it. Never rejects. */
  unregister(region: Region): Promise<void>;
}

interface Entry {
  readonly region: Region;
  readonly group: string;
  /** making: not yet known to the server, or forgotten by it. */
  state: 'making' | 'free' | 'in_use' | 'quarantined';
  /** Counts connections: registrations do not outlive a server. */
  registeredIn: number | undefined;
}

/** A region in use by one call. */
export interface Lease {
  readonly region: Region;
  /** @param proven whether the end of the call is: only then the region is used again */
  end(proven: boolean): void;
}

export interface RegionCounts {
  readonly free: number;
  readonly inUse: number;
  readonly quarantined: number;
}

export class RegionPool {
  readonly #ports: RegionPorts;
  readonly #limit: number;
  readonly #entries = new Set<Entry>();
  #connection = 0;
  #connected = false;
  #closed = false;

  /** @param limit regions at most, quarantined ones included */
  constructor(ports: RegionPorts, limit: number) {
    this.#ports = ports;
    this.#limit = limit;
  }

  /**
   * Makes `count` regions of at least `byteLength` bytes ready for one group of calls, and gives back smaller ones that are free.
   * @throws {Error} when the limit is reached, memory is short, or the server cannot map a region
   */
  async reserve(group: string, byteLength: number, count: number): Promise<void> {
    const usable = this.#of(group).filter((entry) => entry.state !== 'quarantined');
    const fitting = usable.filter((entry) => entry.region.bytes.length >= byteLength);
    await Promise.all(usable.filter((entry) => !fitting.includes(entry) && entry.state === 'free').map((entry) => this.#discard(entry)));
    const made: Entry[] = [];
    for (let missing = count - fitting.length; missing > 0; missing -= 1) made.push(this.#make(group, byteLength));
    await Promise.all([...fitting, ...made].map((entry) => this.#register(entry)));
  }

  /** A region for one call, or undefined when none is free, large enough and known to the server. */
  take(group: string, byteLength: number): Lease | undefined {
    for (const entry of this.#entries) {
      if (entry.group !== group || entry.state !== 'free' || entry.region.bytes.length < byteLength) continue;
      entry.state = 'in_use';
      return { region: entry.region, end: (proven) => this.#end(entry, proven) };
    }
    return undefined;
  }

  /** A new connection: its server may be a new one, so every region is made known to it. Rejects when it cannot map one. */
  async connected(): Promise<void> {
    this.#connection += 1;
    this.#connected = true;
    for (const entry of this.#entries) if (entry.state === 'free') entry.state = 'making';
    await Promise.all([...this.#entries].map((entry) => this.#register(entry)));
  }

  /** The connection is gone: no region is handed out until the next one. */
  disconnected(): void {
    this.#connected = false;
    for (const entry of this.#entries) if (entry.state === 'free') entry.state = 'making';
  }

  /** The process that had mapped the quarantined ones has ended: their memory is given back, and their names are not used again. */
  serverEnded(): void {
    for (const entry of this.#entries) {
      if (entry.state !== 'quarantined') continue;
      this.#entries.delete(entry);
      entry.region.release();
    }
  }

  /** The server has lost a registration. */
  async forgotten(name: string): Promise<void> {
    for (const entry of this.#entries) {
      if (entry.region.name !== name) continue;
      entry.registeredIn = undefined;
      if (entry.state === 'free') entry.state = 'making';
      await this.#register(entry);
    }
  }

  counts(): RegionCounts {
    const count = (state: Entry['state']): number => [...this.#entries].filter((entry) => entry.state === state).length;
    return { free: count('free'), inUse: count('in_use'), quarantined: count('quarantined') };
  }

  /** Gives all memory back. The server is told of those that no call can be reading. */
  async close(): Promise<void> {
    this.#closed = true;
    const entries = [...this.#entries];
    this.#entries.clear();
    await Promise.all(
      entries.map((entry) => (this.#isKnown(entry) && entry.state === 'free' ? this.#ports.unregister(entry.region) : undefined)),
    );
    for (const entry of entries) entry.region.release();
  }

  #of(group: string): Entry[] {
    return [...this.#entries].filter((entry) => entry.group === group);
  }

  #make(group: string, byteLength: number): Entry {
    if (this.#closed) throw new Error('the shared memory of this backend is closed');
    if (this.#entries.size >= this.#limit) throw new Error(`${this.#limit} shared-memory regions are in use already`);
    const entry: Entry = { region: this.#ports.create(byteLength), group, state: 'making', registeredIn: undefined };
    this.#entries.add(entry);
    return entry;
  }

  #isKnown(entry: Entry): boolean {
    return this.#connected && entry.registeredIn === this.#connection;
  }

  async #register(entry: Entry): Promise<void> {
    if (!this.#connected || entry.state === 'quarantined' || this.#isKnown(entry)) return;
    const connection = this.#connection;
    await this.#ports.register(entry.region);
    if (connection !== this.#connection) return; // the next connection has registered it, or will
    entry.registeredIn = connection;
    if (entry.state === 'making' && this.#connected) entry.state = 'free';
  }

  #end(entry: Entry, proven: boolean): void {
    if (entry.state !== 'in_use') return;
    if (!proven) entry.state = 'quarantined';
    else entry.state = this.#isKnown(entry) ? 'free' : 'making';
    if (entry.state === 'making' && !this.#closed) void this.#register(entry).catch(() => undefined); // it stays unused
  }

  async #discard(entry: Entry): Promise<void> {
    this.#entries.delete(entry);
    if (this.#isKnown(entry)) await this.#ports.unregister(entry.region);
    entry.region.release();
  }
}
