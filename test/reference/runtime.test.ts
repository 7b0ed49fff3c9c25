import { expect, test } from 'vitest';
import { runtimeSource } from '../../src/reference/runtime.js';

test('a fixed runtime is that', () => {
  const next = runtimeSource({ kind: 'fixed', fixedMs: 12.5 });
  expect([next(), next()]).toEqual([12.5, 12.5]);
});

test('a log-normal runtime has the percentiles it declares', () => {
  const next = runtimeSource({ kind: 'log_normal', p50Ms: 10, p99Ms: 16, seed: 7 });
  const draws = Array.from({ length: 20_000 }, next).sort((a, b) => a - b);
  expect(draws[10_000]).toBeCloseTo(10, 0);
  expect(draws[19_800]).toBeGreaterThan(15.5);
  expect(draws[19_800]).toBeLessThan(16.5);
});

test('it stays between half of p50 and three times p99', () => {
  const next = runtimeSource({ kind: 'log_normal', p50Ms: 1, p99Ms: 1000, seed: 7 });
  const draws = Array.from({ length: 5000 }, next);
  expect(Math.min(...draws)).toBe(0.5);
  expect(Math.max(...draws)).toBe(3000);
});

test('one seed gives one sequence, another seed another', () => {
  const sequence = (seed: number) => {
    const next = runtimeSource({ kind: 'log_normal', p50Ms: 10, p99Ms: 16, seed });
    return Array.from({ length: 10 }, next);
  };
  expect(sequence(7)).toEqual(sequence(7));
  expect(sequence(7)).not.toEqual(sequence(8));
});

test('equal percentiles give a constant', () => {
  const next = runtimeSource({ kind: 'log_normal', p50Ms: 10, p99Ms: 10, seed: 1 });
  expect([next(), next()]).toEqual([10, 10]);
});
