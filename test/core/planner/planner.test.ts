import { expect, test } from 'vitest';
import { DEFAULT_LEARNING } from '../../../src/core/configuration.js';
import { RuntimeEstimate } from '../../../src/core/estimates.js';
import { MarginRule } from '../../../src/core/margin.js';
import { RuntimeBelief } from '../../../src/core/planner/belief.js';
import { startsNow } from '../../../src/core/planner/ratio-rule.js';
import { deliver, nothingHeld, type WorthTerms, worthOf } from '../../../src/core/planner/worth.js';
import { ms } from '../bench.js';

const PLAIN: WorthTerms = { weight: 1, periodUs: 33_000, phaseUs: undefined, droppable: true };
const CLOCKED: WorthTerms = { ...PLAIN, phaseUs: 0 };

test('a late result is worth nothing, and one that follows another at once nearly nothing', () => {
  const held = nothingHeld();
  expect(worthOf(PLAIN, held, 70_000, 66_000)).toBe(0);
  deliver(PLAIN, held, 20_000, 66_000);
  expect(worthOf(PLAIN, held, 21_000, 66_000)).toBeCloseTo(1 / 33);
  expect(worthOf(PLAIN, held, 53_000, 99_000)).toBeCloseTo(1.3);
});

test('with a clock, the cycle it falls in and the instants it serves count', () => {
  const held = nothingHeld();
  deliver(CLOCKED, held, 20_000, 66_000);
  // Same cycle, same instants served: the spacing alone.
  expect(worthOf(CLOCKED, held, 30_000, 66_000)).toBeCloseTo((0.3 * 10) / 33);
  // The next cycle, and one more instant (99 ms) with a usable result.
  expect(worthOf(CLOCKED, held, 34_000, 99_000)).toBeCloseTo(1 + (0.3 * 14) / 33 + 1);
});

test('one stream alone: a frame with little time left gives way to the next one, a fresh frame never does', () => {
  const belief = new RuntimeBelief(
    new RuntimeEstimate({ profile: { p50Us: ms(30), p95Us: ms(40), p99Us: ms(45) } }, new MarginRule(DEFAULT_LEARNING)),
    0,
  );
  belief.refresh();
  expect(startsNow(belief, 28_000, 63_000, 2_000)).toBe(false);
  expect(startsNow(belief, 63_000, 63_000, 33_000)).toBe(true);
  expect(belief.within(30_000)).toBeCloseTo(0.5);
  expect(belief.within(45_000)).toBeCloseTo(0.99, 3);
});
