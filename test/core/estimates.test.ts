import { describe, expect, test } from 'vitest';
import { RuntimeEstimate } from '../../src/core/estimates.js';
import { MarginRule } from '../../src/core/margin.js';
import { Bench, ms } from './bench.js';

const START = ms(0);
const FIXED = { marginPercent: 100, adapt: false, ceilingPercent: 300 };

/** With a profile in which every run takes so long, or with none. */
function estimateOf(profile?: number, rule = new MarginRule(FIXED)): RuntimeEstimate {
  if (profile === undefined) return new RuntimeEstimate({}, rule);
  return new RuntimeEstimate({ profile: { p50Us: ms(profile), p95Us: ms(profile), p99Us: ms(profile) } }, rule);
}

function observe(estimate: RuntimeEstimate, occupancy: number, ...runtimes: number[]): void {
  for (const runtime of runtimes) estimate.observe(occupancy, ms(runtime), START);
}

const times = (count: number, runtime: number): number[] => Array.from({ length: count }, () => runtime);

describe('optimistic runtime', () => {
  test('the profile until 16 observations, 0 without a profile', () => {
    const profiled = estimateOf(10);
    const bare = estimateOf();
    observe(profiled, 0, ...times(15, 30));
    observe(bare, 0, ...times(15, 30));
    expect([profiled.optimisticUs(0), bare.optimisticUs(0)]).toEqual([10_000, 0]);
    observe(profiled, 0, 30);
    observe(bare, 0, 30);
    expect([profiled.optimisticUs(0), bare.optimisticUs(0)]).toEqual([30_000, 30_000]);
  });

  test('never below the profile', () => {
    const estimate = estimateOf(10);
    observe(estimate, 0, ...times(64, 1));
    expect(estimate.optimisticUs(0)).toBe(10_000);
  });

  test('the median of the newest 64', () => {
    const estimate = estimateOf();
    observe(estimate, 0, ...times(40, 90), ...Array.from({ length: 64 }, (_, i) => ((i * 37) % 64) + 1));
    expect(estimate.optimisticUs(0)).toBe(32_000);
    observe(estimate, 0, ...times(32, 100));
    const rest = Array.from({ length: 64 }, (_, i) => ((i * 37) % 64) + 1).slice(32);
    const sorted = [...rest, ...times(32, 100)].sort((a, b) => a - b);
    expect(estimate.optimisticUs(0)).toBe((sorted[31] ?? 0) * 1000);
  });

  test('each occupancy by itself; an unmeasured one takes the highest measured', () => {
    const estimate = estimateOf();
    observe(estimate, 0, ...times(16, 10));
    observe(estimate, 2, ...times(16, 30));
    observe(estimate, 1, ...times(15, 99));
    expect([0, 1, 2, 3].map((occupancy) => estimate.optimisticUs(occupancy))).toEqual([10_000, 30_000, 30_000, 30_000]);
  });
});

/** 16 calls that answer as told, then one more, whose predicted numbers show what was learned. */
function learnedFrom(call: (bench: Bench, at: number, id: number) => void): number | undefined {
  const bench = new Bench({ models: { s: 1 }, streams: { s: {} } });
  for (let i = 0; i < 16; i += 1) {
    bench.arrive(i * 100, 's');
    call(bench, i * 100, i + 1);
  }
  bench.arrive(1600, 's');
  return bench.dispatchOf(17)?.why.optimisticUs;
}

describe('what trains', () => {
  test('an answer does', () => {
    expect(learnedFrom((bench, at, id) => bench.complete(at + 20, id))).toBe(20_000);
  });

  test.each(['failed', 'not_counted', 'not_started'] as const)('%s does not', (end) => {
    expect(learnedFrom((bench, at, id) => bench.complete(at + 20, id, end))).toBe(1_000);
  });

  test('an answer after the time-out does not', () => {
    const call = (bench: Bench, at: number, id: number) => {
      bench.timeout(at + 10, id);
      bench.complete(at + 20, id);
    };
    expect(learnedFrom(call)).toBe(1_000);
  });

  test('the runtime of a call sent ahead counts from the end of the one before it', () => {
    const bench = new Bench({
      backend: { pipeliningDepth: 1 },
      models: { m: 10 },
      streams: { a: { model: 'm', queue: { policy: 'fifo' } } },
    });
    // A chain in which every call but the first waits 2 ms at the server, and then runs for 13.
    bench.arrive(0, 'a');
    for (let i = 0; i < 17; i += 1) {
      bench.arrive(i * 13 + 11, 'a');
      bench.complete(i * 13 + 13, i + 1);
    }
    bench.complete(18 * 13, 18);
    bench.arrive(1000, 'a');
    expect(bench.dispatchOf(2)?.why.follows).toBe(1);
    expect(bench.dispatchOf(19)?.why.optimisticUs).toBe(13_000);
  });

  test('a call that overtook the one it was sent behind tells nothing', () => {
    const bench = new Bench({ backend: { pipeliningDepth: 1 }, models: { m: 10 }, streams: { a: { model: 'm' } } });
    for (let i = 0; i < 16; i += 1) {
      bench.arrive(i * 100, 'a');
      bench.arrive(i * 100 + 9, 'a');
      bench.complete(i * 100 + 50, 2 * i + 2);
      bench.complete(i * 100 + 10 + 41, 2 * i + 1, 'failed');
    }
    bench.arrive(1600, 'a');
    expect(bench.dispatchOf(33)?.why.optimisticUs).toBe(10_000);
  });

  test('occupancy is the calls running at the start, and each has its own runtimes', () => {
    const bench = new Bench({
      backend: { slots: 2 },
      models: { s: 1, long: 1 },
      streams: { long: { queue: { policy: 'never_drop' } }, s: {} },
    });
    const run = (from: number, runtime: number): void => {
      for (let at = from; at < from + 1600; at += 100) {
        bench.arrive(at, 's');
        bench.complete(at + runtime, bench.last.find((action) => action.type === 'dispatch')?.request ?? 0);
      }
    };
    bench.arrive(0, 'long');
    run(0, 9);
    bench.complete(2000, 1);
    run(2000, 7);
    bench.arrive(4000, 's');
    expect(bench.last).toMatchObject([{ why: { optimisticUs: 7_000 } }]);
    bench.arrive(4001, 'long');
    bench.complete(4002, 34);
    bench.arrive(4003, 's');
    expect(bench.last).toMatchObject([{ why: { optimisticUs: 9_000 } }]);
  });

  test('a call sent ahead is one of those that run when it starts, not when it was sent', () => {
    const bench = new Bench({
      backend: { slots: 2, pipeliningDepth: 1 },
      models: { m: { instances: 1, variants: { only: { p50: 10 } } }, x: 5 },
      streams: { m: { queue: { policy: 'fifo' } }, x: {} },
    });
    const dispatched = (): number => bench.last.find((action) => action.type === 'dispatch')?.request ?? 0;
    const arrive = (at: number, stream: string): number => {
      bench.arrive(at, stream);
      return dispatched();
    };
    for (let at = 0; at < 4000; at += 100) {
      const neighbour = arrive(at, 'x');
      bench.complete(at + 50, arrive(at, 'm'));
      bench.complete(at + 50, neighbour);
    }
    // Alone nothing is measured yet, so the call in front counts 50 ms; the neighbour ends before the one behind it starts.
    for (let at = 4000; at < 5600; at += 100) {
      const first = arrive(at, 'm');
      const neighbour = arrive(at, 'x');
      const ahead = arrive(at + 49, 'm');
      bench.complete(at + 50, neighbour);
      bench.complete(at + 51, first, 'failed');
      bench.complete(at + 81, ahead);
    }
    expect(arrive(6000, 'm')).toBeGreaterThan(0);
    expect(bench.last).toMatchObject([{ why: { optimisticUs: 30_000 } }]);
    expect(arrive(6029, 'm')).toBeGreaterThan(0);
    expect(bench.last).toMatchObject([{ why: { optimisticUs: 30_000, startUs: 6_030_000 } }]);
  });
});
