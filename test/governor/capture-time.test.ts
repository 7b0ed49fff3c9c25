import { describe, expect, it } from 'vitest';
import { CLOCK_ORIGIN_US, micros } from '../../src/core/units.js';
import { readCapture, type StampPolicy } from '../../src/governor/capture-time.js';

const HEADER: StampPolicy = { source: 'header', offsetUs: 0, futureToleranceUs: 50_000 };
const NOW = micros(CLOCK_ORIGIN_US + 1_000_000);
const ROS_NOW_NS = 1_700_000_000_000_000_000n;

const read = (ageUs: number, policy: Partial<StampPolicy> = {}) =>
  readCapture({ ...HEADER, ...policy }, { stampNs: ROS_NOW_NS - BigInt(ageUs) * 1000n, rosNowNs: ROS_NOW_NS, now: NOW });

describe('capture time', () => {
  it('places the capture on the core clock by its age at reception', () => {
    expect(read(7000)).toEqual({ valid: true, capture: NOW - 7000, ageUs: 7000, stampNs: ROS_NOW_NS - 7_000_000n });
  });

  it('refuses a zero stamp', () => {
    const reading = readCapture(HEADER, { stampNs: 0n, rosNowNs: ROS_NOW_NS, now: NOW });
    expect(reading).toMatchObject({ valid: false, cause: 'stamp_zero' });
  });

  it('takes a stamp in the future up to the tolerance for one of now, and tells its age as it is', () => {
    expect(read(-50_000)).toMatchObject({ valid: true, ageUs: -50_000, capture: NOW });
  });

  it('refuses a stamp beyond the tolerance, with its age', () => {
    expect(read(-50_001)).toMatchObject({ valid: false, cause: 'stamp_future', ageUs: -50_001 });
  });

  it('places what is older than one hour one hour back, does not reset it, and still tells its age', () => {
    expect(read(7_200_000_000)).toMatchObject({ valid: true, ageUs: 7_200_000_000, capture: 1_000_000 });
  });

  it('adds the offset to the stamp', () => {
    expect(read(37_000_000, { offsetUs: 36_990_000 })).toMatchObject({ valid: true, ageUs: 10_000 });
    expect(read(-37_000_000, { offsetUs: -37_005_000 })).toMatchObject({ valid: true, ageUs: 5000 });
  });

  it('takes the reception where the message has no stamp, and tells receptions apart', () => {
    const at = (now: number) => readCapture({ ...HEADER, source: 'receive' }, { stampNs: 0n, rosNowNs: ROS_NOW_NS, now: micros(now) });
    expect(at(NOW)).toMatchObject({ valid: true, capture: NOW, ageUs: 0 });
    expect(at(NOW)).not.toEqual(at(NOW + 1));
  });
});
