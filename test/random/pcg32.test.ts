import { expect, test } from 'vitest';
import { Pcg32 } from '../../src/random/pcg32.js';

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

test('whole numbers below a bound are drawn without bias: what would repeat the low values more often is drawn again', () => {
  const draws = (bound: number) => {
    const generator = new Pcg32(7n, 1n);
    return Array.from({ length: 1000 }, () => generator.below(bound));
  };
  expect(Math.max(...draws(10))).toBe(9);
  expect(Math.min(...draws(10))).toBe(0);
  // Just above half of the range: nearly every second draw is refused, and what is left is used as it is.
  const bound = 2 ** 31 + 1;
  const plain = new Pcg32(7n, 1n);
  const kept = Array.from({ length: 3000 }, () => plain.next()).filter((draw) => draw >= 2 ** 32 % bound);
  expect(draws(bound)).toEqual(kept.slice(0, 1000).map((draw) => draw % bound));
});
