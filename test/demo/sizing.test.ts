import { describe, expect, it } from 'vitest';
import { profileOf, sizeFor } from '../../src/demo/sizing.js';

const MEASURED = { width: 320, height: 256 };

describe('sizeFor', () => {
  it('keeps the size that takes the wanted time', () => {
    expect(sizeFor(20, MEASURED, 20)).toEqual(MEASURED);
  });

  it.each([4, 10, 20, 40, 80])('comes near the wanted time on a machine that takes %d ms', (measuredMs) => {
    const { width, height } = sizeFor(20, MEASURED, measuredMs);
    const expectedMs = (measuredMs * width * height) / (MEASURED.width * MEASURED.height);
    expect(expectedMs).toBeGreaterThan(14);
    expect(expectedMs).toBeLessThan(26);
    expect([width % 32, height % 32]).toEqual([0, 0]);
  });

  it('goes no further than its smallest and largest size', () => {
    expect(sizeFor(20, MEASURED, 10_000)).toEqual({ width: 128, height: 96 });
    expect(sizeFor(20, MEASURED, 0.001)).toEqual({ width: 640, height: 480 });
  });
});

describe('profileOf', () => {
  it('gives percentiles in whole microseconds, in order', () => {
    expect(profileOf([3, 1, 2, 20.5])).toEqual({ p50Us: 2000, p95Us: 20_500, p99Us: 20_500 });
  });

  it('never says that a call takes no time', () => {
    expect(profileOf([0]).p50Us).toBe(1);
  });
});
