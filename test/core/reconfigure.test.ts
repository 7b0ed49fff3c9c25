import { describe, expect, test } from 'vitest';
import type { Contract } from '../../src/core/configuration.js';
import { MarginRule } from '../../src/core/margin.js';
import { millis } from '../../src/core/units.js';
import { Bench, type Setting } from './bench.js';

const SETTING: Setting = {
  models: { s: 10, other: 10 },
  streams: { s: { class: 'high', queue: { policy: 'fifo' }, maxAge: 100, deadline: 50 }, other: { queue: { policy: 'fifo' } } },
};

/** The contract of `s` with other values. */
function change(bench: Bench, atMs: number, contract: Partial<Contract>, stream = 's'): string[] {
  const configured = bench.configuration.streams.find((one) => one.name === stream)?.contract;
  const before: Contract = configured ?? { deadlineUs: millis(1), maxAgeUs: millis(1) };
  return bench.send(atMs, { type: 'reconfigure', contracts: [{ stream, contract: { ...before, ...contract } }] });
}

describe('a change of contract', () => {
  test('keeps what waits: same requests, same order, judged by the new terms', () => {
    const bench = new Bench(SETTING);
    bench.arrive(0, 'other');
    for (const at of [1, 2, 3]) bench.arrive(at, 's');
    expect(change(bench, 4, { maxAgeUs: millis(200) })).toEqual([]);
    expect(bench.stream('s')).toMatchObject({ received: 3, waiting: 3 });
    expect(bench.tick(150)).toEqual([]); // 149 old: stale by the old terms
    expect(bench.complete(150, 1)).toContain('dispatch 2');
    expect(bench.complete(160, 2)).toEqual(['end 2 delivered/delivered', 'dispatch 3']);
  });

  test('ends at once what the new terms cannot keep', () => {
    const bench = new Bench(SETTING);
    bench.arrive(0, 'other');
    bench.arrive(1, 's');
    bench.arrive(5, 's');
    expect(change(bench, 16, { maxAgeUs: millis(24) })).toEqual(['end 2 stale/predicted_stale']);
  });

  test('judges what is in flight by the terms in force when it ends', () => {
    const bench = new Bench(SETTING);
    bench.arrive(0, 's');
    change(bench, 1, { maxAgeUs: millis(20), deadlineUs: millis(5) });
    bench.complete(15, 1);
    bench.arrive(30, 's');
    change(bench, 31, { maxAgeUs: millis(10) });
    bench.complete(41, 2);
    expect([1, 2].map((id) => [bench.outcomeOf(id)?.state, bench.outcomeOf(id)?.deadlineMissed])).toEqual([
      ['delivered', true],
      ['obsolete', false],
    ]);
  });

  test('keeps what was learned', () => {
    const bench = new Bench(SETTING);
    for (let id = 1; id <= 16; id += 1) {
      bench.arrive(id * 100, 's');
      bench.complete(id * 100 + 30, id);
    }
    change(bench, 1700, { maxAgeUs: millis(90) });
    bench.arrive(1800, 's');
    expect(bench.dispatchOf(17)?.why.optimisticUs).toBe(millis(30));
  });

  test('brings and takes variants', () => {
    const bench = new Bench({
      models: { s: { variants: { large: { quality: 1, p50: 10 }, small: { quality: 0.5, p50: 5 } } } },
      streams: { s: {} },
    });
    const run = (at: number, id: number) => {
      bench.arrive(at, 's');
      bench.complete(at + 10, id);
      return bench.dispatchOf(id)?.variant;
    };
    expect(run(0, 1)).toBe('large');
    change(bench, 20, { approvedVariants: ['small'] });
    expect(run(30, 2)).toBe('small');
    change(bench, 50, {});
    expect(run(140, 3)).toBe('large'); // the small one dwells for 100
  });

  test('gives and takes a floor', () => {
    const bench = new Bench({ ...SETTING, streams: { ...SETTING.streams, s: { ...SETTING.streams['s'], class: 'normal' } } });
    const minRuntime = { budgetUs: millis(100), windowUs: millis(1000), guarantee: 'spare' } as const;
    change(bench, 0, { minRuntime });
    bench.arrive(1, 'other');
    bench.arrive(2, 'other', { capture: 1 });
    bench.arrive(3, 's');
    expect(bench.complete(11, 1)).toContain('dispatch 3');
    bench.arrive(12, 's');
    bench.arrive(13, 'other', { capture: 1 });
    change(bench, 14, {});
    expect(bench.complete(21, 3)).toContain('dispatch 4'); // by its deadline, no longer by its floor
  });

  test('begins a changed miss budget anew, and leaves an untouched one alone', () => {
    const budget: Partial<Contract> = {
      consumerPeriodUs: millis(100),
      phaseUs: millis(0),
      missBudget: { maxMisses: 5, windowCycles: 10, maxConsecutive: 5 },
    };
    const bench = new Bench(SETTING);
    bench.arrive(0, 's');
    expect(bench.stream('s')?.weaklyHardMisses).toBeUndefined();
    change(bench, 10, budget);
    bench.tick(300);
    expect(bench.stream('s')?.weaklyHardMisses).toBe(3);
    change(bench, 301, { ...budget, periodUs: millis(33) });
    expect(bench.stream('s')?.weaklyHardMisses).toBe(3);
    change(bench, 302, { ...budget, version: 2 });
    expect(bench.stream('s')?.weaklyHardMisses).toBe(0);
    bench.tick(400);
    expect(bench.stream('s')?.weaklyHardMisses).toBe(1);
    change(bench, 401, {});
    expect(bench.stream('s')?.weaklyHardMisses).toBeUndefined();
  });

  test('takes away the forecast with the period', () => {
    const setting: Setting = {
      models: { s: 5, other: 60 },
      streams: { s: { class: 'protected', period: 50, deadline: 20 }, other: {} },
    };
    for (const [contract, started] of [
      [{ periodUs: millis(50) }, false],
      [{}, true],
    ] as const) {
      const bench = new Bench(setting);
      bench.arrive(0, 's');
      bench.complete(5, 1);
      const { periodUs: _, ...plain } = bench.configuration.streams[0]?.contract ?? { deadlineUs: millis(1), maxAgeUs: millis(1) };
      bench.send(6, { type: 'reconfigure', contracts: [{ stream: 's', contract: { ...plain, ...contract } }] });
      expect(bench.arrive(20, 'other').includes('dispatch 2')).toBe(started);
    }
  });

  test('is refused as a whole, and changes nothing then', () => {
    const bench = new Bench(SETTING);
    const good: Contract = { deadlineUs: millis(1), maxAgeUs: millis(1) };
    const refused = [
      { stream: 'nobody', contract: good },
      { stream: 'other', contract: { ...good, approvedVariants: ['gold'] } },
      { stream: 'other', contract: { ...good, missBudget: { maxMisses: 2, windowCycles: 2, maxConsecutive: 1 } } },
    ];
    for (const wrong of refused) {
      expect(() => bench.send(0, { type: 'reconfigure', contracts: [{ stream: 's', contract: good }, wrong] })).toThrow();
    }
    expect(bench.arrive(0, 's')).toEqual(['dispatch 1']); // a max age of 1 would never fit
  });
});

test('the strictest miss budget of its streams sets how often a plan may be outlasted', () => {
  const rule = new MarginRule({ marginPercent: 100, adapt: true, ceilingPercent: 300 });
  expect(rule.after(200, true)).toBeCloseTo(209.9);
  rule.allow([0.5, 0.2]);
  expect(rule.after(200, true)).toBeCloseTo(208);
  expect(rule.after(200, false)).toBeCloseTo(198);
  rule.allow([]);
  expect(rule.after(200, false)).toBeCloseTo(199.9);
});

test('a model learns by the miss budgets of its streams', () => {
  const missBudget = { maxMisses: 5, windowCycles: 10, maxConsecutive: 5 };
  const percents = [{}, { consumerPeriodUs: millis(100), missBudget }].map((contract) => {
    const bench = new Bench({ models: { s: 10 }, streams: { s: { contract } }, learning: { adapt: true } });
    for (let id = 1; id <= 17; id += 1) {
      bench.arrive(id * 100, 's');
      bench.complete(id * 100 + (id === 17 ? 60 : 30), id);
    }
    bench.arrive(2000, 's');
    return Math.round((bench.dispatchOf(18)?.why.plannedUs ?? 0) / 300);
  });
  expect(percents[0]).toBeGreaterThan(percents[1] ?? 0);
});
