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

/** Nothing is sent over these: the memory below stands for the server. */
interface Wire {
  state: Connection['state'];
  openCalls: number;
}
const wire = (): Wire & Connection => ({ state: 'ready', openCalls: 0 }) as Wire & Connection;

/** The connection to the process before is lost with it. */
function restart(...connections: readonly Wire[]): void {
  world.process = new Process();
  for (const lost of connections) Object.assign(lost, { state: 'closed', openCalls: 0 });
}

class World {
  process = new Process();
  /** Connections that lead to another process. */
  readonly elsewhere = new Map<Connection, Process>();
  readonly silent = new Set<unknown>();
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
      isRegistered: async (over) => {
        this.#answer();
        if (this.silent.has(over)) throw new TritonError('no_answer', 'deadline');
        return (this.elsewhere.get(over) ?? this.process).regions.has(this.#region.name);
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
let first: Wire & Connection;

beforeEach(async () => {
  world = new World();
  first = wire();
  await world.witness.check(first);
});

describe('the boot witness', () => {
  test('is registered at the first server, which nothing says of restarts', () => {
    expect(world.said).toEqual(['registered', 'present']);
    expect(world.witness.isConfirmedOn(first)).toBe(true);
  });

  test('is found again over the next connection to the same process, which is confirmed only then', async () => {
    const second = wire();
    expect(world.witness.isConfirmedOn(second)).toBe(false);
    await world.witness.check(second);
    expect(world.said.slice(2)).toEqual(['present']);
    expect(world.witness.isConfirmedOn(second)).toBe(true);
  });

  test('is missing in the next process, which is told before that one gets it', async () => {
    restart(first);
    const second = wire();
    await world.witness.check(second);
    expect(world.said.slice(2)).toEqual(['missing', 'registered', 'present']);
    expect([first, second].map((one) => world.witness.isConfirmedOn(one))).toEqual([false, true]);
  });

  test('is told as missing once for each restart', async () => {
    let before = [first];
    for (let restarts = 0; restarts < 2; restarts += 1) {
      restart(...before);
      before = [wire(), wire()];
      for (const next of before) await world.witness.check(next);
    }
    expect(world.said.filter((what) => what === 'missing')).toHaveLength(2);
  });

  test.each([
    ['can be called', { state: 'ready', openCalls: 0 }],
    ['can be called, found after another one', { state: 'ready', openCalls: 0 }, wire()],
    ['was replaced, and runs a call', { state: 'retired', openCalls: 1 }],
    ['takes no more calls, and runs one', { state: 'closed', openCalls: 1 }],
  ] as const)(
    'is not missing because another process answers, while the connection before %s',
    async (_, standing, another?: Connection) => {
      if (another !== undefined) await world.witness.check(another);
      const said = world.said.length;
      Object.assign(first, standing);
      const second = wire();
      world.elsewhere.set(second, new Process());
      await expect(world.witness.check(second)).rejects.toMatchObject({ code: 'another_process' });
      expect(world.said.slice(said)).toEqual([]);
      expect([first, second].map((one) => world.witness.isConfirmedOn(one))).toEqual([true, false]);

      await world.witness.check(wire());
      expect(world.said.slice(said)).toEqual(['present']);
    },
  );

  test('proves nothing any more when a second connection shows that it vanished while the first one stands', async () => {
    world.process.regions.clear();
    const second = wire();
    await world.witness.check(second);
    expect(world.said.slice(2)).toEqual([]);
    expect([first, second].map((one) => world.witness.isConfirmedOn(one))).toEqual([false, false]);
    expect(world.log.join()).toContain('unregisters the regions of others');
  });

  test('is not missing because another process answers, while the one before hangs', async () => {
    world.silent.add(first);
    const second = wire();
    world.elsewhere.set(second, new Process());
    await expect(world.witness.check(second)).rejects.toMatchObject({ code: 'another_process' });
    expect(world.said.slice(2)).toEqual([]);
  });

  test('is missing once the calls of the process before have ended', async () => {
    restart(first);
    first.openCalls = 1;
    const second = wire();
    await expect(world.witness.check(second)).rejects.toMatchObject({ code: 'another_process' });
    first.openCalls = 0;
    await world.witness.check(second);
    expect(world.said.slice(2)).toEqual(['missing', 'registered', 'present']);
  });

  test('says nothing about a server that does not answer, and is asked for again', async () => {
    restart(first);
    world.process.failure = new TritonError('no_answer', 'deadline');
    const second = wire();
    await expect(world.witness.check(second)).rejects.toMatchObject({ code: 'no_answer' });
    expect(world.said.slice(2)).toEqual([]);
    world.process.failure = undefined;
    await world.witness.check(second);
    expect(world.said.slice(2)).toEqual(['missing', 'registered', 'present']);
  });

  test('proves nothing any more when it vanishes while a connection stands', async () => {
    world.process.regions.clear();
    await world.witness.check(first);
    restart(first);
    await world.witness.check(wire());
    expect(world.said.slice(2)).toEqual([]);
    expect(world.witness.isConfirmedOn(first)).toBe(false);
    expect(world.log.join()).toContain('unregisters the regions of others');
  });

  test('proves nothing at a server that does not list what it has just taken', async () => {
    world = new World();
    world.process.regions.add = () => world.process.regions;
    for (let times = 0; times < 3; times += 1) await world.witness.check(wire());
    expect(world.said).toEqual(['registered']);
    expect(world.log.join()).toContain('has just taken');
  });

  test('is done without where the server takes no shared memory, which is said once', async () => {
    world = new World();
    world.process.failure = new TritonError('refused', 'INTERNAL: unable to open shared memory region');
    await world.witness.check(first);
    await world.witness.check(wire());
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
