import { expect, test } from 'vitest';
import { Pcg32 } from '../../src/reference/pcg32.js';
import { runtimeSource } from '../../src/reference/runtime.js';

test('the generator gives the sequence that its authors published', () => {
  const generator = new Pcg32(42n, 54n);
  const draws = Array.from({ length: 6 }, () => generator.next());
  expect(draws).toEqual([0xa15c02b7, 0x7b47f409, 0xba1d3330, 0x83d2f293, 0xbfa4784b, 0xcbed606e]);
});

test('uniform draws lie in [0, 1) and use two draws', () => {
  const generator = new Pcg32(1n, 1n);
  const same = new Pcg32(1n, 1n);
  const value = generator.uniform();
  expect(value).toBe((same.next() * 2 ** 21 + (same.next() >>> 11)) / 2 ** 53);
  const draws = Array.from({ length: 1000 }, () => generator.uniform());
  expect(draws.every((draw) => draw >= 0 && draw < 1)).toBe(true);
});

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
