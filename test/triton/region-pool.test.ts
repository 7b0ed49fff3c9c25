import { beforeEach, describe, expect, test } from 'vitest';
import type { Region } from '../../src/triton/region.js';
import { RegionPool } from '../../src/triton/region-pool.js';

const LIMIT = 5;

/** A server that knows regions by name, and memory that is counted. */
class FakeWorld {
  readonly registered = new Set<string>();
  readonly alive = new Set<string>();
  refuses = false;
  full = false;
  #count = 0;

  create(byteLength: number): Region {
    if (this.full) throw new Error('no space');
    this.#count += 1;
    const name = `r${this.#count}`;
    this.alive.add(name);
    return { name, bytes: new Uint8Array(byteLength), flush: () => {}, release: () => void this.alive.delete(name) };
  }

  async register(region: Region): Promise<void> {
    if (this.refuses) throw new Error('cannot map');
    this.registered.add(region.name);
  }

  async unregister(region: Region): Promise<void> {
    this.registered.delete(region.name);
  }
}

let world: FakeWorld;
let pool: RegionPool;

beforeEach(async () => {
  world = new FakeWorld();
  pool = new RegionPool(world, LIMIT);
  await pool.connected();
});

describe('a region', () => {
  test('carries one call at a time', async () => {
    await pool.reserve('m', 100, 2);
    const [first, second, third] = [pool.take('m', 100), pool.take('m', 50), pool.take('m', 1)];
    expect(first?.region.name).not.toBe(second?.region.name);
    expect(third).toBeUndefined();
    first?.end(true);
    expect(pool.take('m', 100)?.region).toBe(first?.region);
  });

  test('is never used again after an end that is not proven', async () => {
    await pool.reserve('m', 100, 1);
    pool.take('m', 100)?.end(false);
    expect(pool.take('m', 100)).toBeUndefined();
    expect(pool.counts()).toEqual({ free: 0, inUse: 0, quarantined: 1 });
    await pool.reserve('m', 100, 1);
    expect(pool.take('m', 100)?.region.name).toBe('r2');
    await pool.connected();
    expect(pool.counts().quarantined).toBe(1);
  });

  test('in quarantine counts until the process that mapped it has ended; its memory is given back then, and it is not used again', async () => {
    await pool.reserve('m', 100, LIMIT);
    const names = Array.from({ length: LIMIT }, () => pool.take('m', 100)).map((lease, index) => {
      lease?.end(index === 0);
      return lease?.region.name;
    });
    await expect(pool.reserve('m', 100, 2)).rejects.toThrow(/5 shared-memory regions/);
    pool.serverEnded();
    expect(pool.counts()).toEqual({ free: 1, inUse: 0, quarantined: 0 });
    expect([...world.alive]).toEqual([names[0]]);
    await pool.reserve('m', 100, 2);
    expect(pool.take('m', 100)?.region.name).toBe(names[0]);
    expect(names).not.toContain(pool.take('m', 100)?.region.name);
  });

  test('whose call has ended is not freed by a second end', async () => {
    await pool.reserve('m', 100, 1);
    const lease = pool.take('m', 100);
    lease?.end(false);
    lease?.end(true);
    expect(pool.counts()).toEqual({ free: 0, inUse: 0, quarantined: 1 });
  });

  test('belongs to one group and is large enough', async () => {
    await pool.reserve('m', 100, 1);
    expect(pool.take('other', 100)).toBeUndefined();
    expect(pool.take('m', 101)).toBeUndefined();
    expect(pool.take('m', 100)).toBeDefined();
  });

  test('that is too small gives way to a larger one', async () => {
    await pool.reserve('m', 100, 2);
    await pool.reserve('m', 200, 2);
    expect([...world.alive]).toEqual(['r3', 'r4']);
    expect([...world.registered]).toEqual(['r3', 'r4']);
  });
});

describe('a connection', () => {
  test('that is lost takes the regions out of use until the next one knows them', async () => {
    await pool.reserve('m', 100, 2);
    const running = pool.take('m', 100);
    pool.disconnected();
    expect(pool.take('m', 100)).toBeUndefined();
    running?.end(false);
    world.registered.clear(); // another server
    await pool.connected();
    expect([...world.registered]).toEqual(['r2']);
    expect(pool.take('m', 100)?.region.name).toBe('r2');
  });

  test('that is replaced while a call runs gets its region when that has ended', async () => {
    await pool.reserve('m', 100, 1);
    const running = pool.take('m', 100);
    await pool.connected();
    expect(pool.take('m', 100)).toBeUndefined();
    running?.end(true);
    expect(pool.take('m', 100)).toBeDefined();
  });

  test('whose server cannot map regions leaves them unused', async () => {
    world.refuses = true;
    await expect(pool.reserve('m', 100, 1)).rejects.toThrow('cannot map');
    expect(pool.take('m', 100)).toBeUndefined();
    world.refuses = false;
    await pool.reserve('m', 100, 1);
    expect(pool.take('m', 100)?.region.name).toBe('r1');
  });

  test('whose server forgot a region registers it again', async () => {
    await pool.reserve('m', 100, 1);
    world.registered.clear();
    await pool.forgotten('r1');
    expect([...world.registered]).toEqual(['r1']);
    expect(pool.take('m', 100)).toBeDefined();
  });
});

describe('the pool', () => {
  test('has a limit, quarantined regions included', async () => {
    for (let index = 0; index < LIMIT; index += 1) {
      await pool.reserve('m', 100, 1);
      pool.take('m', 100)?.end(false);
    }
    await expect(pool.reserve('m', 100, 1)).rejects.toThrow('5 shared-memory regions');
    expect(world.alive.size).toBe(LIMIT);
  });

  test('says when there is no memory', async () => {
    world.full = true;
    await expect(pool.reserve('m', 100, 1)).rejects.toThrow('no space');
  });

  test('gives everything back when closed, and leaves the server what calls may still be reading', async () => {
    await pool.reserve('m', 100, 3);
    pool.take('m', 100)?.end(false);
    pool.take('m', 100);
    await pool.close();
    expect(world.alive.size).toBe(0);
    expect([...world.registered]).toEqual(['r1', 'r2']);
    await expect(pool.reserve('m', 100, 1)).rejects.toThrow('closed');
  });
});
