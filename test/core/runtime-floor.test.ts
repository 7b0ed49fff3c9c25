import { describe, expect, test } from 'vitest';
import type { Guarantee } from '../../src/core/configuration.js';
import { millis } from '../../src/core/units.js';
import { Bench, type Setting } from './bench.js';

/** A floor of 100 ms in any 1000; its model takes 60. */
function setting(guarantee: Guarantee | undefined, more: Partial<Setting> = {}): Setting {
  const minRuntime = { budgetUs: millis(100), windowUs: millis(1000), guarantee: guarantee ?? 'spare' };
  return {
    models: { floor: 60, camera: 5, plain: 10 },
    streams: {
      floor: {
        class: 'best_effort',
        queue: { policy: 'fifo' },
        maxAge: 5000,
        contract: guarantee === undefined ? {} : { minRuntime },
      },
      plain: { class: 'normal', queue: { policy: 'fifo' }, maxAge: 5000 },
      camera: { class: 'protected', period: 33, deadline: 20, maxAge: 66 },
    },
    ...more,
  };
}

/** Frames of several streams wait behind a running one; the slot comes free at 1. @returns which is taken. */
function race(bench: Bench, ...streams: string[]): string {
  const [running] = bench.arrive(0, 'plain');
  for (const stream of streams) bench.arrive(0.5, stream);
  const taken = bench.complete(1, Number(running?.split(' ')[1])).find((line) => line.startsWith('dispatch'));
  const dispatched = bench.dispatchOf(Number(taken?.split(' ')[1]));
  return dispatched?.stream ?? 'nothing';
}

describe('below its floor a stream goes', () => {
  test('before others that are not guarded, when the floor is spare', () => {
    expect(race(new Bench(setting(undefined)), 'floor', 'plain')).toBe('plain');
    expect(race(new Bench(setting('spare')), 'floor', 'plain')).toBe('floor');
  });

  test('after guarded ones, when it is spare', () => {
    expect(race(new Bench(setting('spare')), 'floor', 'camera')).toBe('camera');
  });

  test('before everything, when it is firm', () => {
    expect(race(new Bench(setting('firm')), 'floor', 'camera')).toBe('floor');
  });

  test.each([
    ['spare', []],
    ['firm', ['dispatch 2']],
  ] as const)('%s: against a guarded frame that is expected', (guarantee, started) => {
    const bench = new Bench(setting(guarantee));
    bench.arrive(0, 'camera');
    bench.complete(5, 1);
    expect(bench.arrive(10, 'floor').filter((line) => line.startsWith('dispatch'))).toEqual(started);
  });
});

describe('the floor', () => {
  test('is met by the runtime of the window, running calls included, and due again when that has passed', () => {
    const bench = new Bench(setting('firm'));
    bench.arrive(0, 'camera');
    bench.complete(5, 1);
    expect(bench.arrive(10, 'floor')).toEqual(['dispatch 2']); // 60 planned
    bench.arrive(11, 'floor');
    bench.arrive(12, 'floor');
    bench.arrive(13, 'floor');
    bench.arrive(69, 'camera');
    expect(bench.complete(70, 2)).toContain('dispatch 3'); // 60 of 100: before the camera
    expect(bench.complete(130, 3)).toContain('dispatch 6'); // 120 of 100: the camera
    expect(bench.stream('floor')?.waiting).toBe(2);
  });

  test('wakes for what waits when the window has passed', () => {
    const bench = new Bench(setting('firm', { models: { floor: 101, camera: 5, plain: 10 } }));
    bench.arrive(0, 'floor');
    bench.complete(101, 1);
    bench.arrive(990, 'camera');
    bench.complete(995, 2);
    bench.arrive(996, 'floor');
    expect(bench.stream('floor')?.waiting).toBe(1);
    const lines: string[] = [];
    for (let at = bench.wakeMs; at !== undefined && at < 1200 && lines.length === 0; at = bench.wakeMs) {
      lines.push(...bench.tick(at).filter((line) => line.startsWith('dispatch')));
    }
    expect(lines).toEqual(['dispatch 3']);
  });

  test('counts a call that failed: it took the slot', () => {
    const bench = new Bench(setting('spare', { models: { floor: 101, camera: 5, plain: 10 } }));
    bench.arrive(0, 'floor');
    bench.complete(101, 1, 'failed');
    expect(bench.arrive(102, 'plain')).toEqual(['dispatch 2']);
    bench.arrive(103, 'floor');
    bench.arrive(103, 'plain');
    expect(bench.complete(112, 2)).toContain('dispatch 4');
  });

  test('opens the door at every overload level only when it is firm', () => {
    for (const guarantee of ['spare', 'firm'] as const) {
      const bench = new Bench(setting(guarantee, { overload: true, models: { floor: 60, camera: 67, plain: 10 } }));
      for (let at = 0; at <= 800; at += 100) bench.arrive(at, 'camera');
      expect(bench.backend()?.overloadLevel).toBe(4);
      expect(bench.arrive(801, 'floor')).toEqual([guarantee === 'firm' ? 'dispatch 10' : 'end 10 infeasible/protected_only']);
    }
  });
});
