import { describe, expect, it } from 'vitest';
import { millis } from '../../src/core/units.js';
import { FreshnessMonitor } from '../../src/telemetry/freshness-monitor.js';

function cyclic(period: number, maxAge: number): FreshnessMonitor {
  const maxAgeUs = millis(maxAge);
  return new FreshnessMonitor({ maxAgeUs, cycles: { periodUs: millis(period), maxAgeUs } });
}

describe('consumer coverage', () => {
  it('judges each period at its end by what had been delivered until then', () => {
    const monitor = cyclic(100, 100);
    monitor.arrived(millis(0));
    monitor.delivered(millis(0), millis(10)); // fresh until 100: covers the tick at 100
    monitor.delivered(millis(190), millis(250)); // fresh until 290: the tick at 300 is not covered
    expect(monitor.coveragePermille(millis(301))).toBe(333);
  });

  it('counts a result that comes on the tick itself', () => {
    const monitor = cyclic(100, 100);
    monitor.arrived(millis(0));
    monitor.delivered(millis(60), millis(100));
    expect(monitor.coveragePermille(millis(101))).toBe(1000);
  });

  it('counts periods, not deliveries', () => {
    const monitor = cyclic(100, 50);
    monitor.arrived(millis(0));
    for (const at of [5, 15, 25, 35, 45]) monitor.delivered(millis(at - 5), millis(at));
    expect(monitor.coveragePermille(millis(301))).toBe(0);
  });

  it('knows nothing before the first period has ended, or without a period', () => {
    const monitor = cyclic(100, 100);
    monitor.arrived(millis(0));
    expect(monitor.coveragePermille(millis(100))).toBeUndefined();
    const aperiodic = new FreshnessMonitor({ maxAgeUs: millis(100) });
    aperiodic.arrived(millis(0));
    expect(aperiodic.coveragePermille(millis(5000))).toBeUndefined();
  });

  it('falls while the stream is silent', () => {
    const monitor = cyclic(100, 100);
    monitor.arrived(millis(0));
    monitor.delivered(millis(0), millis(10));
    expect(monitor.coveragePermille(millis(101))).toBe(1000);
    expect(monitor.coveragePermille(millis(1001))).toBe(100);
  });
});

describe('longest gap', () => {
  it('is not closed by results that were stale on delivery', () => {
    const monitor = new FreshnessMonitor({ maxAgeUs: millis(10) });
    monitor.arrived(millis(0));
    monitor.delivered(millis(0), millis(50));
    monitor.delivered(millis(50), millis(100));
    expect(monitor.longestGapUs(millis(150))).toBe(millis(150));
  });

  it('counts from the end of freshness to the next fresh result', () => {
    const monitor = new FreshnessMonitor({ maxAgeUs: millis(100) });
    monitor.arrived(millis(0));
    monitor.delivered(millis(0), millis(20)); // gap 20, fresh until 100
    monitor.delivered(millis(150), millis(170)); // gap 70
    expect(monitor.longestGapUs(millis(180))).toBe(millis(70));
  });

  it('is unknown before the first message', () => {
    expect(new FreshnessMonitor({ maxAgeUs: millis(1) }).longestGapUs(millis(5))).toBeUndefined();
  });
});
