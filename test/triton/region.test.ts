import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadMemoryMap } from '../../src/triton/memory-map.js';
import { createRegion } from '../../src/triton/region.js';
import { regionNames, removeLeftovers } from '../../src/triton/region-names.js';

const fileOf = (name: string): string => `/dev/shm/${name}`;
const { next: newName, witness } = regionNames();

describe.each(['mapped', 'written through its file'])('a region, %s,', (how) => {
  const memoryMap = async () => (how === 'mapped' ? loadMemoryMap() : undefined);

  test('shows what was flushed to whoever opens it, and leaves nothing', async () => {
    const name = newName();
    const region = createRegion(name, 10_000, await memoryMap());
    onTestFinished(() => rmSync(fileOf(name), { force: true }));
    expect(region.bytes.length).toBe(10_000);
    region.bytes.set([1, 2, 3], 9000);
    region.flush(10_000);
    const seen = readFileSync(fileOf(name));
    expect(seen.length).toBe(10_000);
    expect([...seen.subarray(8999, 9004)]).toEqual([0, 1, 2, 3, 0]);
    region.release();
    expect(existsSync(fileOf(name))).toBe(false);
    region.bytes.set([7], 9000); // whoever still holds the view does no harm
  });

  test('is never another one that exists', async () => {
    const name = newName();
    const first = createRegion(name, 100, await memoryMap());
    onTestFinished(() => first.release());
    expect(() => createRegion(name, 100, undefined)).toThrow(/EEXIST/);
    expect(existsSync(fileOf(name))).toBe(true);
  });
});

test('what cannot be mapped leaves nothing', () => {
  const name = newName();
  const refusing = {
    map: (): never => {
      throw new Error('mmap failed');
    },
  };
  expect(() => createRegion(name, 100, refusing)).toThrow('mmap failed');
  expect(existsSync(fileOf(name))).toBe(false);
});

describe('leftovers', () => {
  function leave(name: string): string {
    writeFileSync(fileOf(name), '');
    onTestFinished(() => rmSync(fileOf(name), { force: true }));
    return name;
  }

  async function sleeper(): Promise<ChildProcess> {
    const child = spawn('sleep', ['60'], { stdio: 'ignore' });
    await once(child, 'spawn');
    onTestFinished(() => void child.kill());
    return child;
  }

  const namespace = /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '';
  const startOf = (pid: number): string => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[19] ?? '';

  test('of a dead process are removed, those of living ones and other files are not', async () => {
    const { pid = 0 } = await sleeper();
    const dead = leave(`vig-${namespace}-4194305-77-0badcafe-1`); // beyond the largest PID
    const deadWitness = leave(`vig-${namespace}-4194305-77-0badcafe-witness`);
    const reused = leave(`vig-${namespace}-${pid}-1-0badcafe-1`); // this PID belongs to another process now
    const living = leave(`vig-${namespace}-${pid}-${startOf(pid)}-0badcafe-1`);
    const otherContainer = leave('vig-1-4194305-77-0badcafe-1');
    const foreign = leave('vig-notes');
    const own = leave(newName());
    const removed = removeLeftovers();
    expect(removed).toEqual(expect.arrayContaining([dead, deadWitness, reused]));
    for (const name of [living, otherContainer, foreign, own]) expect(existsSync(fileOf(name)), name).toBe(true);
    for (const name of [dead, reused]) expect(existsSync(fileOf(name)), name).toBe(false);
  });

  test('names differ within a process and between two makers of names', () => {
    const names = [newName(), newName(), witness, regionNames().next(), regionNames().witness];
    expect(new Set(names).size).toBe(names.length);
  });
});
