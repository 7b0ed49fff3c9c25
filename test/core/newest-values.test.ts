import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NewestValues } from '../../src/core/newest-values.js';

const CAPACITY = 8;

test('percentiles are those of the newest values alone, by nearest rank', () => {
  const few = fc.integer({ min: 0, max: 9 }); // equal ones, too; and no -0, which is one of them
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          few,
          fc.double({ noNaN: true }).map((value) => value + 0),
        ),
        { minLength: 1, maxLength: 40 },
      ),
      (values) => {
        const newest = new NewestValues(CAPACITY);
        for (const value of values) newest.push(value);
        const kept = values.slice(-CAPACITY);
        expect(newest.values).toEqual(kept);
        const sorted = kept.toSorted((a, b) => a - b);
        for (const percent of [0, 1, 50, 90, 95, 100]) {
          const rank = Math.max(Math.ceil((kept.length * percent) / 100), 1);
          expect(newest.percentile(percent)).toBe(sorted[rank - 1]);
        }
      },
    ),
  );
});

test('there is no percentile of nothing', () => {
  expect(new NewestValues(CAPACITY).percentile(50)).toBeUndefined();
});
