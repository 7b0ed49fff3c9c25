import { pino } from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import { micros } from '../../src/core/units.js';
import { BootWitness } from '../../src/triton/boot-witness.js';
import type { Connection } from '../../src/triton/connection.js';
import type { Region } from '../../src/triton/region.js';
import { TritonError } from '../../src/triton/triton-error.js';

/** What one server process knows. */
class Process {
  readonly regions = new Set<string>();
  failure: TritonError | undefined;
}

/** Connections are told apart by what they are, and nothing is sent over these: the memory below stands for the server. */
const connection = (): Connection => ({}) as Connection;

class World {
  process = new Process();
  readonly said: string[] = [];
  readonly log: string[] = [];
  readonly calls: string[] = [];
  readonly #region: Region = {
    name: 'vig-witness',
    bytes: new Uint8Array(8),
    flush: () => {},
    release: () => void this.calls.push('released'),
  };
  readonly witness = new BootWitness({
    memory: {
      createWitness: () => this.#region,
      register: async () => {
        this.#answer();
        this.process.regions.add(this.#region.name);
        this.said.push('registered');
      },
      isRegistered: async () => {
        this.#answer();
        return this.process.regions.has(this.#region.name);
      },
      unregister: async () => void this.process.regions.delete(this.#region.name),
    },
    now: () => micros(0),
    tell: (present) => void this.said.push(present ? 'present' : 'missing'),
    log: pino({}, { write: (line: string) => void this.log.push(line) }),
  });

  #answer(): void {
    if (this.process.failure !== undefined) throw this.process.failure;
  }
}

let world: World;
let first: Connection;

beforeEach(async () => {
  world = new World();
  first = connection();
  await world.witness.check(first);
});

describe('the boot witness', () => {
  test('is registered at the first server, which nothing says of restarts', () => {
    expect(world.said).toEqual(['registered', 'present']);
    expect(world.witness.isConfirmedOn(first)).toBe(true);
  });

  test('is found again over the next connection to the same process, which is confirmed only then', async () => {
    const second = connection();
    expect(world.witness.isConfirmedOn(second)).toBe(false);
    await world.witness.check(second);
    expect(world.said.slice(2)).toEqual(['present']);
    expect(world.witness.isConfirmedOn(second)).toBe(true);
  });

  test('is missing in the next process, which is told before that one gets it', async () => {
    world.process = new Process();
    await world.witness.check(connection());
    expect(world.said.slice(2)).toEqual(['missing', 'registered', 'present']);
  });

  test('is not held by the process before, whose connection may not be known to be lost', async () => {
    world.process = new Process();
    await world.witness.check(connection());
    expect(world.witness.isConfirmedOn(first)).toBe(false);
  });

  test('is told as missing once for each restart', async () => {
    for (let restarts = 0; restarts < 2; restarts += 1) {
      world.process = new Process();
      await world.witness.check(connection());
      await world.witness.check(connection());
    }
    expect(world.said.filter((what) => what === 'missing')).toHaveLength(2);
  });

  test('says nothing about a server that does not answer, and is asked for again', async () => {
    world.process = new Process();
    world.process.failure = new TritonError('no_answer', 'deadline');
    const second = connection();
    await expect(world.witness.check(second)).rejects.toMatchObject({ code: 'no_answer' });
    expect(world.said.slice(2)).toEqual([]);
    world.process.failure = undefined;
    await world.witness.check(second);
    expect(world.said.slice(2)).toEqual(['missing', 'registered', 'present']);
  });

  test('proves nothing any more when it vanishes while a connection stands', async () => {
    world.process.regions.clear();
    await world.witness.check(first);
    world.process = new Process();
    await world.witness.check(connection());
    expect(world.said.slice(2)).toEqual([]);
    expect(world.witness.isConfirmedOn(first)).toBe(false);
    expect(world.log.join()).toContain('unregisters the regions of others');
  });

  test('proves nothing at a server that does not list what it has just taken', async () => {
    world = new World();
    world.process.regions.add = () => world.process.regions;
    for (let times = 0; times < 3; times += 1) await world.witness.check(connection());
    expect(world.said).toEqual(['registered']);
    expect(world.log.join()).toContain('has just taken');
  });

  test('is done without where the server takes no shared memory, which is said once', async () => {
    world = new World();
    world.process.failure = new TritonError('refused', 'INTERNAL: unable to open shared memory region');
    await world.witness.check(first);
    await world.witness.check(connection());
    expect(world.said).toEqual([]);
    expect(world.witness.isConfirmedOn(first)).toBe(false);
    expect(world.log.filter((line) => line.includes('by its counters alone'))).toHaveLength(1);
  });

  test('is given back at the end, at the server too', async () => {
    await world.witness.close(first);
    expect(world.process.regions.size).toBe(0);
    expect(world.calls).toEqual(['released']);
    await world.witness.check(first);
    expect(world.said).toEqual(['registered', 'present']);
  });
});
