import { describe, expect, it } from 'vitest';
import type { ClockFacts } from '../../src/telemetry/ros-clock.js';
import { type StampFacts, stampHint } from '../../src/telemetry/stamp-offset.js';

const S = 1_000_000;
const TODAY_NS = 1_790_000_000_000_000_000n;

/** Stamps that are so old, give or take; negative: in the future. */
function stamps(ageS: number, { spreadS = 0.02, rosNowNs = TODAY_NS, offsetUs = 0 } = {}): StampFacts {
  const stampNs = rosNowNs - BigInt(Math.round(ageS * S)) * 1000n;
  return { minAgeUs: ageS * S, maxAgeUs: (ageS + spreadS) * S, stampNs, rosNowNs, offsetUs };
}

const clock = (change: Partial<ClockFacts> = {}): ClockFacts => ({
  rosNowNs: 1_600_000_000_000_000_000n,
  machineNs: TODAY_NS,
  publishers: 1,
  standsForUs: undefined,
  pace: 1,
  messages: 100,
  jumps: 0,
  ...change,
});

describe('stamps of another clock', () => {
  it.each([
    [-37, /37\.0 s in the future: the stamps are probably TAI/],
    [-36.98, /TAI/],
    [37.03, /the clock of this machine is probably TAI/],
    [-18, /GPS time/],
    [3600 * 2 + 0.05, /2 h old: local time was taken for UTC/],
    [-3600 * 5.5, /5\.5 h in the future: local time/],
    [3600 * 24 * 400, /400 days old: a bag that is played without simulated time.*--clock.*use_sim_time/],
    [3600 * 7.3, /7 h old: a bag/],
    [5.2, /constantly 5\.20 s old on arrival: .*another machine.*stamp_offset_ms: 5200/],
    [-0.4, /constantly 0\.40 s in the future: .*another machine.*stamp_offset_ms: -400/],
  ])('%d s: named for what it likely is', (ageS, hint) => {
    expect(stampHint(stamps(ageS), undefined)).toMatch(hint);
    expect(stampHint(stamps(ageS), undefined)).toMatch(/docs\/runbook\.md#stamps-of-another-clock/);
  });

  it('are known as time since boot, or simulated time, by what they count from', () => {
    const since = { ...stamps(0), minAgeUs: 1.79e15, maxAgeUs: 1.79e15, stampNs: 5_000_000_000_000n };
    expect(stampHint(since, undefined)).toMatch(/count from a start \(5000 s\): time since boot, or simulated time.*use_sim_time/);
  });

  it('are not guessed at when ages wander, or are those of a slow transport', () => {
    expect(stampHint(stamps(5, { spreadS: 2 }), undefined)).toBeUndefined();
    expect(stampHint(stamps(0.03), undefined)).toBeUndefined();
    expect(stampHint(stamps(0.3, { spreadS: 0.2 }), undefined)).toBeUndefined();
  });

  it('contain the offset that is configured already', () => {
    expect(stampHint(stamps(5, { offsetUs: 2 * S }), undefined)).toMatch(/stamp_offset_ms: 7000 /);
  });

  describe('under use_sim_time', () => {
    it('are told when their publisher follows the time of the day', () => {
      const rosNowNs = 1_600_000_000_000_000_000n;
      const future = { ...stamps(0), minAgeUs: -1.9e14, maxAgeUs: -1.9e14, stampNs: TODAY_NS, rosNowNs };
      expect(stampHint(future, clock())).toMatch(/set use_sim_time for their publisher/);
      expect(stampHint({ ...future, stampNs: rosNowNs - 10_000_000_000_000n, minAgeUs: 1e10, maxAgeUs: 1e10 }, clock())).toMatch(
        /of another bag or run than \/clock/,
      );
    });

    it.each([0, 0.2, 0.31])('are told when they run ahead of a clock that comes too seldom (spread %d s)', (spreadS) => {
      const rosNowNs = 1_600_000_000_000_000_000n;
      for (const aheadS of [0.055, 0.26]) {
        const hint = stampHint(stamps(-aheadS, { rosNowNs, spreadS }), clock());
        expect(hint).toMatch(/^up to 0\.\d\d s ahead of \/clock.*raise --clock HZ of the player.*or future_tolerance_ms/);
        expect(hint).not.toMatch(/chrony/);
      }
    });

    it('are not told to synchronise clocks, wherever they lie', () => {
      const rosNowNs = 1_600_000_000_000_000_000n;
      for (const ageS of [-5.2, 5.2]) {
        const hint = stampHint(stamps(ageS, { rosNowNs }), clock());
        expect(hint).toMatch(/of another clock than \/clock is; set stamp_offset_ms: -?5200 /);
        expect(hint).not.toMatch(/chrony/);
      }
      expect(stampHint(stamps(-0.01, { rosNowNs }), clock())).toBeUndefined();
      expect(stampHint(stamps(-0.2, { rosNowNs, spreadS: 8 }), clock())).toBeUndefined();
    });

    it('are told when they go on while the clock stands', () => {
      const ahead = stamps(-4, { rosNowNs: 1_600_000_000_000_000_000n });
      expect(stampHint(ahead, clock({ standsForUs: 4 * S }))).toMatch(/\/clock has been standing for 4\.00 s.*paused, or has ended/);
    });
  });
});
