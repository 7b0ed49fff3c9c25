import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { MissBudget } from '../../src/core/miss-budget.js';
import { MissMonitor } from '../../src/core/miss-budget.js';
import { millis } from '../../src/core/units.js';
import { Bench, type StreamShort } from './bench.js';

const BUDGET: MissBudget = { maxMisses: 1, windowCycles: 10, maxConsecutive: 1 };
const CYCLE_MS = 100;

/** Its deadline is the latest: by deadline alone it goes last. */
function watched(missBudget: MissBudget, more: StreamShort = {}): StreamShort {
  const contract = { consumerPeriodUs: millis(CYCLE_MS), phaseUs: millis(0), missBudget };
  return { deadline: 400, maxAge: 150, contract, ...more };
}

/** Serves from 0 on; the hog takes the slot at 105, and everything else waits for it. */
function bench(missBudget: MissBudget, streams: Record<string, StreamShort> = {}): Bench {
  const world = new Bench({
    streams: { hog: { class: 'protected', queue: { policy: 'never_drop' } }, s: watched(missBudget), other: { deadline: 300 }, ...streams },
  });
  world.plain(0, 'resume');
  return world;
}

describe('a stream that must not miss the cycle that runs', () => {
  test.each([
    [true, 's'],
    [false, 'other'],
  ])('goes before the earlier deadline of its class where the contract asks for it: %s', (mandatoryCycles, first) => {
    const world = bench({ ...BUDGET, mandatoryCycles });
    world.tick(100); // the first cycle is missed: one more breaks the budget
    world.arrive(105, 'hog');
    world.arrive(106, 's');
    world.arrive(106, 'other');
    world.complete(115, 1);
    const dispatch = world.last.find((action) => action.type === 'dispatch');
    expect(dispatch?.stream).toBe(first);
    expect(dispatch?.why.mandatory).toBe(mandatoryCycles ? true : undefined);
  });

  test('waits its turn while the budget allows another miss', () => {
    const world = bench({ ...BUDGET, maxMisses: 2, maxConsecutive: 2, mandatoryCycles: true });
    world.tick(100);
    world.arrive(105, 'hog');
    world.arrive(106, 's');
    world.arrive(106, 'other');
    expect(world.complete(115, 1)).toContain('dispatch 3');
  });

  test('waits its turn once the cycle that runs has its result', () => {
    const world = bench({ ...BUDGET, mandatoryCycles: true });
    world.tick(100);
    world.arrive(105, 's');
    world.complete(115, 1);
    world.arrive(116, 'hog');
    world.arrive(117, 's');
    world.arrive(117, 'other');
    expect(world.complete(126, 2)).toContain('dispatch 4');
  });

  test('goes no further than its class', () => {
    const world = bench({ ...BUDGET, mandatoryCycles: true }, { above: { class: 'high', deadline: 900 } });
    world.tick(100);
    world.arrive(105, 'hog');
    world.arrive(106, 's');
    world.arrive(106, 'above');
    expect(world.complete(115, 1)).toContain('dispatch 3');
  });

  test('two of them keep to the deadline', () => {
    const budget = { ...BUDGET, mandatoryCycles: true };
    const world = bench(budget, { t: watched(budget, { deadline: 350 }) });
    world.tick(100);
    world.arrive(105, 'hog');
    world.arrive(106, 's');
    world.arrive(106, 't');
    expect(world.complete(115, 1)).toContain('dispatch 3');
  });

  test('waits its turn again when a miss leaves the window', () => {
    const world = bench({ maxMisses: 1, windowCycles: 2, maxConsecutive: 1, mandatoryCycles: true });
    world.tick(100);
    world.arrive(105, 's');
    world.complete(115, 1);
    world.tick(200); // covered: the missed cycle is the next to leave the window of two
    world.tick(270); // the result is too old for the cycle that runs, and missing that is allowed again
    world.arrive(270, 'hog');
    world.arrive(271, 's');
    world.arrive(271, 'other');
    expect(world.complete(280, 2)).toContain('dispatch 4');
  });
});

describe('a budget is exhausted when one more miss', () => {
  test('would be one too many in the window, the oldest cycle left out', () => {
    const monitor = new MissMonitor({ maxMisses: 1, windowCycles: 3, maxConsecutive: 1 });
    expect(monitor.exhausted).toBe(false);
    monitor.add(1, true);
    monitor.add(1, false);
    expect(monitor.exhausted).toBe(true);
    monitor.add(1, false);
    expect(monitor.exhausted).toBe(false);
  });

  test('would make a row too long', () => {
    const monitor = new MissMonitor({ maxMisses: 3, windowCycles: 9, maxConsecutive: 2 });
    monitor.add(2, true);
    expect(monitor.exhausted).toBe(true);
    monitor.add(1, false);
    expect(monitor.exhausted).toBe(false);
  });

  test('always is, where none is allowed', () => {
    expect(new MissMonitor({ maxMisses: 0, windowCycles: 3, maxConsecutive: 0 }).exhausted).toBe(true);
  });

  test('exactly when that miss breaks it', () => {
    const budget = fc
      .record({ windowCycles: fc.integer({ min: 1, max: 6 }), m: fc.nat(5), l: fc.nat(5) })
      .map(({ windowCycles, m, l }) => ({ windowCycles, maxMisses: m % windowCycles, maxConsecutive: l % ((m % windowCycles) + 1) }));
    fc.assert(
      fc.property(budget, fc.array(fc.boolean(), { maxLength: 30 }), (of, cycles) => {
        const monitor = new MissMonitor(of);
        for (const missed of cycles) {
          const { exhausted, violated } = monitor;
          const broke = monitor.add(1, missed);
          if (missed && !violated) expect(broke).toBe(exhausted);
        }
      }),
    );
  });
});

interface Happening {
  readonly kind: 'arrive' | 'complete' | 'tick';
  readonly pick: number;
  readonly afterMs: number;
}

const HAPPENINGS = fc.array(
  fc.record({
    kind: fc.constantFrom<Happening['kind']>('arrive', 'arrive', 'complete', 'tick'),
    pick: fc.nat(9),
    afterMs: fc.integer({ min: 0, max: 40 }),
  }),
  { minLength: 20, maxLength: 120 },
);
const NAMES = ['a', 'b', 'c'];

/** Who was sent and how requests ended. */
function decisions(contract: StreamShort, happenings: readonly Happening[]): string[] {
  const world = new Bench({ streams: { a: contract, b: { deadline: 200 }, c: { deadline: 100, maxAge: 200 } } });
  world.plain(0, 'resume');
  const running = new Set<number>();
  let at = 0;
  let arrived = 0;
  const told: string[] = [];
  for (const { kind, pick, afterMs } of happenings) {
    at += afterMs;
    if (kind === 'arrive') {
      arrived += 1;
      told.push(...world.arrive(at, NAMES[pick % NAMES.length] as string));
    } else if (kind === 'complete') {
      const [id = arrived + 1] = running;
      running.delete(id);
      told.push(...world.complete(at, id));
    } else told.push(...world.tick(at));
    for (const action of world.last) if (action.type === 'dispatch') running.add(action.request);
  }
  return told.filter((line) => !line.startsWith('violation'));
}

test('switched off, a miss budget changes no decision; switched on, it does', () => {
  const without: StreamShort = { deadline: 400, maxAge: 150 };
  fc.assert(
    fc.property(HAPPENINGS, (happenings) => {
      expect(decisions(watched({ ...BUDGET, mandatoryCycles: false }), happenings)).toEqual(decisions(without, happenings));
    }),
  );
  const changes = (happenings: Happening[]) =>
    decisions(watched({ ...BUDGET, mandatoryCycles: true }), happenings).join() !== decisions(without, happenings).join();
  expect(fc.sample(HAPPENINGS, { numRuns: 50, seed: 1 }).filter(changes).length).toBeGreaterThan(0);
});
