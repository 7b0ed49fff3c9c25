import { describe, expect, it } from 'vitest';
import type { Size } from '../../src/demo/demo-parameters.js';
import { profileOf, sizedModel, sizeFor } from '../../src/demo/sizing.js';

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

describe('sizedModel', () => {
  const machine = (factors: readonly number[]) => {
    const sizes: Size[] = [];
    const measure = (size: Size) => {
      sizes.push(size);
      const factor = factors[sizes.length - 1] ?? 1;
      return Promise.resolve([(factor * 20 * size.width * size.height) / (MEASURED.width * MEASURED.height)]);
    };
    return { sizes, measure };
  };

  it('is measured at the size that it chose', async () => {
    const { sizes, measure } = machine([2, 2]);
    const { input, profile } = await sizedModel(20, MEASURED, measure);
    expect(input).toEqual(sizeFor(20, MEASURED, 40));
    expect(sizes).toEqual([MEASURED, input]);
    expect(profile.p50Us).toBeLessThan(28_000);
  });

  it('chooses anew when the machine was quicker at first than it is', async () => {
    const { sizes, measure } = machine([0.5]);
    const { input, profile } = await sizedModel(20, MEASURED, measure);
    expect(sizes.length).toBe(3);
    expect(input).toEqual(MEASURED);
    expect(profile.p50Us).toBe(20_000);
  });

  it('ends on a machine that is too slow for any size, and on one that gets slower and slower', async () => {
    const slow = await sizedModel(20, MEASURED, machine([1000, 1000, 1000, 1000, 1000, 1000]).measure);
    expect(slow.input).toEqual({ width: 128, height: 96 });
    const { sizes, measure } = machine([1, 2, 4, 8, 16, 32, 64]);
    await sizedModel(20, MEASURED, measure);
    expect(sizes.length).toBeLessThanOrEqual(5);
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
