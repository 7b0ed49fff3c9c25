import { describe, expect, test } from 'vitest';
import type { Contract } from '../../src/core/configuration.js';
import { Coverage } from '../../src/core/coverage.js';
import { MissMonitor } from '../../src/core/miss-budget.js';
import { millis } from '../../src/core/units.js';
import { Bench } from './bench.js';

interface Judged {
  readonly coverage: Coverage;
  /** One letter a cycle that was judged. */
  readonly cycles: () => string;
}

function coverage(period: number, maxAge: number, more: { phase?: number; requireNew?: boolean } = {}): Judged {
  let cycles = '';
  const terms = {
    periodUs: millis(period),
    maxAgeUs: millis(maxAge),
    ...(more.phase === undefined ? {} : { phaseUs: millis(more.phase) }),
    requireNew: more.requireNew === true,
  };
  const sink = (covered: number, missed: number) => {
    cycles += 'c'.repeat(covered) + 'm'.repeat(missed);
  };
  return { coverage: new Coverage(terms, sink), cycles: () => cycles };
}

describe('a cycle is covered', () => {
  test.each([
    [66, 'c'],
    [66.001, 'm'],
  ])('when the newest capture is at most max age before its end: a tick at %s', (tick, expected) => {
    const { coverage: judge, cycles } = coverage(tick, 66);
    judge.start(millis(0));
    judge.delivered(millis(0), millis(50));
    judge.judge(millis(tick), true);
    expect(cycles()).toBe(expected);
  });

  test('by age from capture, not from completion: capture 0, done 50, tick 70, max age 66', () => {
    const { coverage: judge, cycles } = coverage(70, 66);
    judge.start(millis(0));
    judge.delivered(millis(0), millis(50));
    judge.judge(millis(70), true);
    expect(cycles()).toBe('m');
  });

  test('by what came until its end, that instant included', () => {
    const { coverage: judge, cycles } = coverage(100, 100);
    judge.start(millis(0));
    judge.judge(millis(100), false);
    judge.delivered(millis(90), millis(100));
    judge.judge(millis(100), true);
    judge.judge(millis(200), true);
    expect(cycles()).toBe('cm');
  });

  test('once for a result, where each cycle needs a new one', () => {
    const { coverage: judge, cycles } = coverage(10, 100, { requireNew: true });
    judge.start(millis(0));
    judge.delivered(millis(1), millis(5));
    judge.judge(millis(40), false);
    judge.delivered(millis(1), millis(41)); // not newer
    judge.judge(millis(50), true);
    judge.delivered(millis(45), millis(55));
    judge.judge(millis(60), true);
    expect(cycles()).toBe('cmmmmc');
  });

  test('on the clock of the contract, from the cycle that holds the start', () => {
    const { coverage: judge, cycles } = coverage(10, 12, { phase: 3 });
    judge.start(millis(18)); // 13 … 23
    judge.delivered(millis(12), millis(20));
    judge.judge(millis(22.999), true);
    expect(cycles()).toBe('');
    judge.judge(millis(23), true);
    expect(cycles()).toBe('c');
    judge.judge(millis(33), true);
    expect(cycles()).toBe('cm');
  });

  test('and nothing counts while nothing is served', () => {
    const { coverage: judge, cycles } = coverage(10, 100);
    judge.start(millis(0));
    judge.stop(millis(25));
    judge.judge(millis(500), true);
    judge.start(millis(500));
    judge.judge(millis(510), true);
    expect(cycles()).toBe('mmm');
  });
});

describe('the miss budget', () => {
  test('breaks with the miss that is one too many, and is kept again when misses leave the window', () => {
    const monitor = new MissMonitor({ maxMisses: 2, windowCycles: 4, maxConsecutive: 2 });
    expect(monitor.add(1, true)).toBe(false);
    expect(monitor.add(1, false)).toBe(false);
    expect(monitor.add(1, true)).toBe(false);
    expect(monitor.add(1, true)).toBe(true);
    expect(monitor).toMatchObject({ misses: 3, inRow: 2, violated: true });
    expect(monitor.add(1, false)).toBe(false);
    expect(monitor).toMatchObject({ misses: 2, violated: false });
  });

  test('breaks with a row that is too long, for as long as the row lies in the window', () => {
    const monitor = new MissMonitor({ maxMisses: 3, windowCycles: 4, maxConsecutive: 1 });
    monitor.add(1, true);
    expect(monitor.add(1, true)).toBe(true);
    monitor.add(3, false);
    expect(monitor.violated).toBe(true);
    monitor.add(1, false);
    expect(monitor.violated).toBe(false);
  });

  test('counts any number of cycles in constant time', () => {
    const monitor = new MissMonitor({ maxMisses: 1, windowCycles: 1024, maxConsecutive: 1 });
    expect(monitor.add(1e15, true)).toBe(true);
    expect(monitor.misses).toBe(1024);
  });
});

const BUDGET: Partial<Contract> = {
  consumerPeriodUs: millis(100),
  phaseUs: millis(0),
  version: 4,
  missBudget: { maxMisses: 2, windowCycles: 10, maxConsecutive: 2 },
};

describe('a stream with a miss budget', () => {
  function bench(contract: Partial<Contract> = BUDGET): Bench {
    return new Bench({ streams: { s: { maxAge: 150, contract } } });
  }

  /** Lets the core wake until nothing is asked for before `untilMs`. */
  function idle(world: Bench, untilMs: number): [number, string][] {
    const said: [number, string][] = [];
    for (let at = world.wakeMs; at !== undefined && at <= untilMs; ) {
      for (const line of world.tick(at)) said.push([at, line]);
      const next = world.wakeMs;
      if (next === at) break;
      at = next;
    }
    return said;
  }

  test('that falls silent goes on missing, and says so when the budget breaks, once', () => {
    const world = bench();
    world.arrive(0, 's');
    world.complete(10, 1);
    expect(world.stream('s')).toMatchObject({ weaklyHardMisses: 0, weaklyHardViolated: false });
    expect(idle(world, 2000)).toEqual([[400, 'violation s']]); // 100 is covered; 200, 300 and 400 are missed
    expect(world.stream('s')).toMatchObject({ weaklyHardMisses: 10, weaklyHardViolated: true });
    expect(world.actions.find((action) => action.type === 'violation')).toMatchObject({
      why: { misses: 3, inRow: 3, contractVersion: 4 },
    });
  });

  test('counts cycles, whatever is refused', () => {
    const world = bench();
    world.ready(0, 's_only', false);
    for (let at = 0; at < 300; at += 33) expect(world.arrive(at, 's')).toContain(`end ${at / 33 + 1} infeasible/no_variant_ready`);
    world.tick(300);
    expect(world.stream('s')).toMatchObject({ weaklyHardMisses: 3, weaklyHardViolated: true });
  });

  test('takes a result that comes at the end of the cycle', () => {
    const world = bench();
    world.arrive(90, 's');
    world.complete(100, 1);
    world.tick(100);
    expect(world.stream('s')?.weaklyHardMisses).toBe(0);
  });

  test('without a clock counts from its first arrival', () => {
    const { phaseUs: _, ...anchored } = BUDGET;
    const world = bench(anchored);
    world.tick(1000);
    world.arrive(1030, 's', { capture: 900 });
    world.complete(1040, 1);
    world.tick(1129);
    expect(world.stream('s')?.weaklyHardMisses).toBe(0);
    world.tick(1130);
    expect(world.stream('s')?.weaklyHardMisses).toBe(1);
  });

  test('is not judged while the node does not serve; with a clock it is from the moment the node serves', () => {
    const world = bench();
    world.plain(0, 'drain');
    world.arrive(10, 's');
    world.tick(1000);
    world.plain(1050, 'resume');
    world.tick(1100);
    expect(world.stream('s')?.weaklyHardMisses).toBe(1);
  });

  test('has no misses to tell without a budget', () => {
    const world = bench({});
    world.arrive(0, 's');
    expect(world.stream('s')).toMatchObject({ weaklyHardMisses: undefined, weaklyHardViolated: false });
    expect(world.tick(5000)).toEqual([]);
  });
});

describe('at the boundary of the consumer', () => {
  const contract: Partial<Contract> = { consumerPeriodUs: millis(50), phaseUs: millis(0), deliveryBoundary: 'consumer' };

  test.each([
    [40, 'delivered'], // taken at 50, 60 ms old
    [50, 'delivered'],
    [50.001, 'obsolete'], // taken at 100, 110 ms old
  ])('a result of a capture at -10 that comes at %s is %s under a max age of 65', (at, state) => {
    const bench = new Bench({ streams: { s: { maxAge: 65, contract } } });
    bench.arrive(0, 's', { capture: -10 });
    bench.complete(at, 1);
    expect(bench.outcomeOf(1)?.state).toBe(state);
  });

  test('what would miss the last useful tick is not started, and ends as soon as that is certain', () => {
    const bench = new Bench({ streams: { s: { maxAge: 65, contract }, busy: {} } });
    bench.arrive(0, 'busy');
    bench.arrive(1, 's', { capture: -10 });
    expect(bench.wakeMs).toBe(40.001); // 50 less the runtime of 10
    expect(bench.tick(40)).toEqual([]);
    expect(bench.tick(40.001)).toEqual(['end 2 stale/predicted_stale']);
  });
});

describe('a contract is refused', () => {
  test.each<[string, Partial<Contract>, RegExp]>([
    [
      'M >= K',
      { consumerPeriodUs: millis(10), missBudget: { maxMisses: 10, windowCycles: 10, maxConsecutive: 1 } },
      /max_misses: 10 of 10/,
    ],
    [
      'L > M',
      { consumerPeriodUs: millis(10), missBudget: { maxMisses: 2, windowCycles: 10, maxConsecutive: 3 } },
      /max_consecutive: 3 in a row/,
    ],
    [
      'a window without end',
      { consumerPeriodUs: millis(10), missBudget: { maxMisses: 2, windowCycles: 1025, maxConsecutive: 1 } },
      /1025 cycles/,
    ],
    ['a budget without cycles', { missBudget: { maxMisses: 2, windowCycles: 10, maxConsecutive: 1 } }, /consumer_period_ms/],
    ['a boundary without cycles', { deliveryBoundary: 'consumer' }, /consumer_period_ms/],
    ['every_event of a queue that skips', { deliverySemantics: 'every_event' }, /every_event must not skip/],
    ['stateful_sequence of a queue that skips', { deliverySemantics: 'stateful_sequence' }, /stateful_sequence must not skip/],
    ['a floor above its window', { minRuntime: { budgetUs: millis(11), windowUs: millis(10), guarantee: 'spare' } }, /11 of 10 ms/],
  ])('%s', (_, contract, text) => {
    expect(() => new Bench({ streams: { s: { contract } } })).toThrow(text);
  });

  test('a floor of a guarded stream', () => {
    const contract: Partial<Contract> = { minRuntime: { budgetUs: millis(1), windowUs: millis(10), guarantee: 'firm' } };
    expect(() => new Bench({ streams: { s: { class: 'high', contract } } })).toThrow(/class high/);
  });
});
