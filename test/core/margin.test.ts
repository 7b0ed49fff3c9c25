import { describe, expect, test } from 'vitest';
import { RuntimeEstimate } from '../../src/core/estimates.js';
import { MarginRule } from '../../src/core/margin.js';
import { Bench, ms } from './bench.js';

const LEARNING = { marginPercent: 110, adapt: true, ceilingPercent: 300 };
const NOW = ms(0);

interface ProfileShort {
  readonly p50: number;
  readonly p99: number;
  readonly unverified?: boolean;
}

function estimate(profile?: ProfileShort, learning: Partial<typeof LEARNING> = {}, share?: number): RuntimeEstimate {
  const rule = new MarginRule({ ...LEARNING, ...learning });
  if (share !== undefined) rule.allow([share]);
  if (profile === undefined) return new RuntimeEstimate({}, rule);
  const { p50, p99, unverified = false } = profile;
  return new RuntimeEstimate({ profile: { p50Us: ms(p50), p95Us: ms(p99), p99Us: ms(p99), unverified } }, rule);
}

function observe(one: RuntimeEstimate, count: number, runtime: number, occupancy = 0): void {
  for (let i = 0; i < count; i += 1) one.observe(occupancy, ms(runtime), NOW);
}

describe('planned runtime', () => {
  test('p99 of the profile times the margin, 40 points more while that is not verified here', () => {
    expect(estimate({ p50: 5, p99: 10 }).plannedUs(0, NOW)).toBe(11_000);
    expect(estimate({ p50: 5, p99: 10, unverified: true }).plannedUs(0, NOW)).toBe(15_000);
  });

  test('enough observations stand for the verification', () => {
    const one = estimate({ p50: 5, p99: 10, unverified: true });
    observe(one, 15, 5);
    expect(one.plannedUs(0, NOW)).toBe(15_000);
    observe(one, 1, 5);
    expect(one.plannedUs(0, NOW)).toBe(11_000);
  });

  test('the larger of profile p99 and observed p95', () => {
    const one = estimate({ p50: 5, p99: 10 }, { adapt: false });
    observe(one, 61, 8);
    observe(one, 3, 90);
    expect(one.plannedUs(0, NOW)).toBe(11_000);
    observe(one, 1, 40);
    expect(one.plannedUs(0, NOW)).toBe(44_000);
  });

  test('without a profile the longest run, and from 16 on the observed p95 with the margin', () => {
    const one = estimate(undefined, { adapt: false });
    expect(one.plannedUs(0, NOW)).toBe(0);
    observe(one, 1, 30);
    observe(one, 14, 10);
    expect(one.plannedUs(0, NOW)).toBe(30_000);
    observe(one, 16, 10);
    expect(one.plannedUs(0, NOW)).toBe(11_000);
  });

  test('each occupancy by itself; an unmeasured one takes the highest measured', () => {
    const one = estimate({ p50: 5, p99: 10 }, { adapt: false });
    observe(one, 16, 20, 0);
    observe(one, 16, 30, 2);
    expect([0, 1, 2, 3].map((occupancy) => one.plannedUs(occupancy, NOW))).toEqual([22_000, 33_000, 33_000, 33_000]);
  });
});

describe('the margin learns', () => {
  /** Its percentage, as the plan shows it for a profile of 10 ms; 64 runs in time keep the observed p95 below that. */
  const percentAfter = (runs: readonly number[], learning: Partial<typeof LEARNING> = {}, share?: number): number => {
    const one = estimate({ p50: 10, p99: 10 }, learning, share);
    observe(one, 64, 9);
    for (const runtime of runs) observe(one, 1, runtime);
    return one.plannedUs(0, NOW) / 100;
  };
  const LONG = 12;

  test('9.9 points up for a run that outlasts the plan, 0.1 down for one that does not: the target is one in a hundred', () => {
    expect(percentAfter([LONG])).toBeCloseTo(119.9);
    expect(percentAfter([LONG, 9, 9, 9])).toBeCloseTo(119.6);
  });

  test('toward the smallest share that a miss budget of its streams allows', () => {
    const one = new Bench({
      models: { m: { variants: { only: { p50: 10 } } } },
      streams: {
        a: { model: 'm', queue: { policy: 'fifo' } },
        b: {
          model: 'm',
          contract: { consumerPeriodUs: ms(100), missBudget: { maxMisses: 1, windowCycles: 1000, maxConsecutive: 1 } },
        },
      },
      learning: { marginPercent: 110, adapt: true },
    });
    for (let i = 0; i < 66; i += 1) {
      one.arrive(i * 100, 'a');
      one.complete(i * 100 + (i === 64 ? LONG : 10), i + 1);
    }
    // 110 + 10 * 0.999
    expect(one.dispatchOf(66)?.why.plannedUs).toBe(11_999);
  });

  test('never below where it starts, never above its ceiling', () => {
    expect(percentAfter(Array.from({ length: 50 }, () => 9))).toBeCloseTo(110);
    expect(percentAfter([LONG, LONG], { ceilingPercent: 115 })).toBeCloseTo(115);
  });

  test('not at all when adapt is off', () => {
    expect(percentAfter([LONG, LONG], { adapt: false })).toBeCloseTo(110);
  });

  test.each([{ marginPercent: 99 }, { marginPercent: 120, ceilingPercent: 110 }])('%o is refused', (learning) => {
    expect(() => new Bench({ streams: { s: {} }, learning })).toThrow(expect.objectContaining({ code: 'out_of_range' }));
  });
});
