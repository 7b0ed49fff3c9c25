import { describe, expect, it } from 'vitest';
import { percentile, shown, spreadOf } from '../../benchmark/statistics.js';

describe('percentile', () => {
  it('is the nearest rank of the sorted values', () => {
    const values = [5, 1, 4, 2, 3, 10, 9, 8, 7, 6];
    expect([0, 0.1, 0.5, 0.91, 0.99, 1].map((share) => percentile(values, share))).toEqual([1, 1, 5, 10, 10, 10]);
  });

  it('sorts by number, not by text', () => {
    expect(percentile([9, 10, 100], 0.5)).toBe(10);
  });

  it('refuses to make a figure out of nothing', () => {
    expect(() => percentile([], 0.5)).toThrow('no value was measured');
  });
});

it('shows the median of the repeats between the lowest and the highest, and one repeat alone', () => {
  expect(shown(spreadOf([3, 1, 2]))).toBe('2.00 (1.00 – 3.00)');
  expect(shown(spreadOf([1.25]), 1)).toBe('1.3');
});
