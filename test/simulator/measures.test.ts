import { describe, expect, it } from 'vitest';
import {
  ageOfInformation,
  consumerUncovered,
  type Delivery,
  longestGapNs,
  percentile,
  phaseFreeUncovered,
  windowUncovered,
} from '../../src/simulator/measures.js';

const at = (...pairs: readonly (readonly [at: number, capture: number])[]): Delivery[] =>
  pairs.map(([atNs, captureNs]) => ({ atNs, captureNs }));
const terms = (runNs: number, periodNs: number, maxAgeNs: number, consumerPhaseNs = 0) => ({
  runNs,
  periodNs,
  maxAgeNs,
  consumerPeriodNs: periodNs,
  consumerPhaseNs,
});

describe('window coverage', () => {
  it('counts the windows with a fresh result, once each, and rounds what is missing up', () => {
    const deliveries = at([5, 0], [9, 5], [25, 20], [31, 0]);
    expect(windowUncovered(deliveries, terms(40, 10, 10))).toBe(500);
    expect(windowUncovered(at([5, 0]), terms(30, 10, 10))).toBe(667);
  });

  it('takes an age of exactly max age as fresh', () => {
    expect(windowUncovered(at([5, 0]), terms(10, 10, 5))).toBe(0);
    expect(windowUncovered(at([6, 0]), terms(10, 10, 5))).toBe(1000);
  });

  it('leaves out what comes after the run, and the piece behind the last whole window', () => {
    expect(windowUncovered(at([5, 0], [26, 25]), terms(25, 10, 10))).toBe(500);
  });
});

describe('consumer coverage', () => {
  it('judges the newest result at the end of each cycle', () => {
    expect(consumerUncovered(at([10, 0], [250, 190]), terms(300, 100, 100))).toBe(667);
  });

  it('counts cycles, not deliveries', () => {
    const early = at([5, 0], [15, 10], [25, 20], [35, 30], [45, 40]);
    expect(consumerUncovered(early, terms(300, 100, 50))).toBe(1000);
  });

  it('does not let an older capture that comes later hide a newer one', () => {
    expect(consumerUncovered(at([8, 7], [9, 0]), terms(10, 10, 5))).toBe(0);
  });

  it('follows the phase of the consumer', () => {
    expect(consumerUncovered(at([12, 9]), terms(20, 10, 5))).toBe(1000);
    expect(consumerUncovered(at([12, 9]), terms(20, 10, 5, 3))).toBe(0);
  });
});

describe('phase-free coverage', () => {
  it('is the time without a fresh delivery in the last period', () => {
    expect(phaseFreeUncovered(at([10, 5], [15, 10], [40, 35]), terms(100, 10, 10))).toBe(750);
  });

  it('is the same wherever periods start', () => {
    const shifted = (by: number) => at(...[20, 50, 90].map((t) => [t + by, t + by - 5] as const));
    expect(phaseFreeUncovered(shifted(3), terms(200, 20, 20))).toBe(phaseFreeUncovered(shifted(11), terms(200, 20, 20)));
  });
});

describe('the longest gap', () => {
  it('is closed only by results that are fresh', () => {
    expect(longestGapNs(at([50, 0], [100, 50]), terms(150, 50, 10))).toBe(150);
  });

  it('runs from the end of one usable result to the next', () => {
    expect(longestGapNs(at([10, 5], [40, 38]), terms(60, 10, 10))).toBe(25);
  });
});

describe('age of information', () => {
  it('grows from the start while nothing comes', () => {
    expect(ageOfInformation([], 100)).toEqual({ meanNs: 50, peakNs: 100 });
  });

  it('falls to the age of each newer result, and not for an older one', () => {
    expect(ageOfInformation(at([10, 6], [12, 2]), 20)).toEqual({ meanNs: (10 * 5 + 10 * 9) / 20, peakNs: 14 });
  });
});

it('takes percentiles by nearest rank', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => index + 1);
  expect([50, 95, 99].map((percent) => percentile(hundred, percent))).toEqual([50, 95, 99]);
  expect(percentile([7], 50)).toBe(7);
  expect(percentile([], 50)).toBeUndefined();
});
