import { describe, expect, it } from 'vitest';
import { CLOCK_ORIGIN_US, micros } from '../../src/core/units.js';
import { type ClockStep, SimulatedTime } from '../../src/governor/simulated-time.js';
import { Pcg32 } from '../../src/random/pcg32.js';
import { clockAt, type Wandering, wanderingClock } from '../support/wandering-clock.js';

const START_MS = 1_700_000_000_000;
const ms = (value: number): number => value * 1000;
const ns = (rosMs: number): bigint => BigInt(Math.round(rosMs * 1000)) * 1000n;

/** A clock whose messages come as asked; times in ms, core time from its origin. */
class World {
  readonly time = new SimulatedTime();

  tick(rosMs: number, atMs: number): ClockStep {
    return this.time.tick(ns(START_MS + rosMs), ms(atMs));
  }

  /** Messages of a clock that runs regularly. */
  run({ from, until, every, rate = 1, rosAt }: { from: number; until: number; every: number; rate?: number; rosAt: number }): void {
    for (let atMs = from; atMs <= until; atMs += every) this.tick(rosAt + (atMs - from) * rate, atMs);
  }

  nowMs(atMs: number): number {
    return (this.time.now(ms(atMs)) - CLOCK_ORIGIN_US) / 1000;
  }

  rosMs(atMs: number): number {
    return Number(((this.time.rosNowNs(ms(atMs)) ?? 0n) - ns(START_MS)) / 1000n) / 1000;
  }

  workMs(atMs: number): number {
    return this.time.work(ms(atMs)) / 1000;
  }
}

describe('simulated time', () => {
  it('stands at the origin until the first message, and starts there', () => {
    const world = new World();
    expect([world.nowMs(0), world.nowMs(500), world.time.rosNowNs(ms(500)), world.time.rosEpochUs]).toEqual([0, 0, undefined, undefined]);
    expect(world.tick(0, 1000)).toBe('started');
    expect([world.nowMs(1000), world.nowMs(5000), world.rosMs(5000)]).toEqual([0, 0, 0]);
    expect(world.time.rosEpochUs).toBe(CLOCK_ORIGIN_US - ms(START_MS));
  });

  it.each([0.1, 1, 2, 20])('goes on between two messages at the rate of the clock: %d', (rate) => {
    const world = new World();
    world.run({ from: 0, until: 1000, every: 25, rate, rosAt: 0 });
    expect(world.nowMs(1010)).toBeCloseTo(1010 * rate, 1);
    expect(world.rosMs(1010)).toBeCloseTo(1010 * rate, 1);
    expect(world.time.pace).toBeCloseTo(rate, 6);
  });

  it('never runs past the next message that is expected', () => {
    const world = new World();
    world.run({ from: 0, until: 1000, every: 25, rosAt: 0 });
    expect(world.nowMs(1025)).toBeCloseTo(1025, 1);
    expect(world.nowMs(60_000)).toBeLessThanOrEqual(1025);
    expect(world.time.standsForUs(ms(61_000))).toBe(ms(60_000));
  });

  it.each([
    ['with no message', () => {}],
    ['with the same message again and again', (world: World) => world.run({ from: 1025, until: 60_975, every: 25, rate: 0, rosAt: 2000 })],
  ])('gains nothing by a pause %s', (_, pause) => {
    const world = new World();
    world.run({ from: 0, until: 1000, every: 25, rate: 2, rosAt: 0 });
    pause(world);
    expect(world.nowMs(60_999)).toBeLessThanOrEqual(2050);
    world.run({ from: 61_000, until: 61_500, every: 25, rate: 2, rosAt: 2010 });
    expect(world.nowMs(61_510)).toBeCloseTo(3030, 1);
    expect(world.time.pace).toBeCloseTo(2, 1);
  });

  it('measures what runs by the pace of the clock while it stands', () => {
    const world = new World();
    world.run({ from: 0, until: 1000, every: 25, rate: 2, rosAt: 0 });
    const before = world.workMs(1000);
    expect(world.workMs(1100) - before).toBeCloseTo(200, 1);
    expect(world.nowMs(1100)).toBeLessThanOrEqual(2050);
  });

  it('follows another rate, and takes a leap for no rate', () => {
    const world = new World();
    world.run({ from: 0, until: 1000, every: 25, rosAt: 0 });
    world.run({ from: 1025, until: 2500, every: 25, rate: 10, rosAt: 1025 });
    expect(world.time.pace).toBeCloseTo(10, 1);
    const before = world.workMs(2500);
    expect(world.tick(500_000, 2525)).toBe('went_on');
    expect(world.nowMs(2525)).toBe(500_000);
    expect(world.time.pace).toBeCloseTo(10, 1);
    expect(world.workMs(2525) - before).toBeCloseTo(250, 0);
  });

  describe.each([0.1, 1, 10])('of a clock at the rate %d', (rate) => {
    /** The furthest that the pace was from the rate after the first message, as a factor. */
    function furthest(world: World, from: number, until: number, rosAt: number): number {
      let most = 1;
      for (let atMs = from; atMs <= until; atMs += 25) {
        world.tick(rosAt + (atMs - from) * rate, atMs);
        // Until a rate is known it is 1.
        if (world.time.pace !== 1) most = Math.max(most, world.time.pace / rate, rate / world.time.pace);
      }
      expect(world.time.pace).toBeCloseTo(rate, 6);
      return most;
    }

    it.each([10, 40, 80, 100, 500, 1670])('is not misled by a first message that is %d ms late', (lateMs) => {
      const world = new World();
      world.tick(0, 0);
      expect(furthest(world, 20, 2000, (lateMs + 20) * rate)).toBeLessThan(1.2);
    });

    it.each([
      ['leap', 500, 25],
      ['pause', 25, 3000],
    ])('takes a %s among the first messages for no rate', (_, stepMs, tookMs) => {
      for (const before of [0, 1, 2, 3]) {
        const world = new World();
        world.run({ from: 0, until: before * 25, every: 25, rate, rosAt: 0 });
        const atMs = before * 25 + tookMs;
        expect(furthest(world, atMs, atMs + 2000, (before * 25 + stepMs) * rate)).toBeLessThan(1.2);
      }
    });

    it('is not misled by the first message after a stretch, either', () => {
      const world = new World();
      world.run({ from: 0, until: 1000, every: 25, rate, rosAt: 0 });
      world.tick(1025 * rate, 1325);
      expect(furthest(world, 1350, 3000, 1350 * rate)).toBeLessThan(1.2);
    });
  });

  it('follows a clock that comes once a second, and its other rate', () => {
    const world = new World();
    world.run({ from: 0, until: 5000, every: 1000, rosAt: 0 });
    expect(world.nowMs(5400)).toBeCloseTo(5400, 1);
    world.run({ from: 6000, until: 10_000, every: 1000, rate: 4, rosAt: 6000 });
    expect(world.time.pace).toBeCloseTo(4, 6);
  });

  it('goes on from where it was when the clock jumps back, and tells', () => {
    const world = new World();
    world.run({ from: 0, until: 1000, every: 25, rosAt: 5000 });
    const epoch = world.time.rosEpochUs as number;
    expect(world.nowMs(1010)).toBeCloseTo(1010, 1);
    expect(world.tick(5000, 1025)).toBe('jumped');
    expect(world.nowMs(1025)).toBeCloseTo(1025, 1);
    expect(world.rosMs(1025)).toBe(5000);
    expect((world.time.rosEpochUs as number) - epoch).toBeCloseTo(ms(1025), -2);
    expect(world.tick(5025, 1050)).toBe('went_on');
    expect(world.rosMs(1060)).toBeCloseTo(5035, 1);
    expect(world.nowMs(1060)).toBeCloseTo(1060, 1);
  });

  it('stands, and does not jump, for a message that is late by less than the threshold', () => {
    const world = new World();
    world.run({ from: 0, until: 1000, every: 25, rosAt: 0 });
    expect(world.nowMs(1010)).toBeCloseTo(1010, 1);
    expect(world.tick(920, 1010)).toBe('went_on');
    expect(world.nowMs(1090)).toBeCloseTo(1010, 1);
    expect(world.tick(1095, 1095)).toBe('went_on');
    expect(world.nowMs(1095)).toBe(1095);
  });

  it('notices a clock that runs backwards slowly', () => {
    const world = new World();
    world.run({ from: 0, until: 1000, every: 25, rosAt: 0 });
    const steps = Array.from({ length: 10 }, (_, i) => world.tick(1000 - 20 * (i + 1), 1000 + 25 * (i + 1)));
    expect(steps).toContain('jumped');
  });

  it('takes more than an hour ahead for another time', () => {
    const world = new World();
    world.tick(0, 0);
    expect(world.tick(3_600_000, 25)).toBe('went_on');
    expect(world.nowMs(25)).toBe(3_600_000);
    expect(world.tick(7_200_100, 50)).toBe('jumped');
    expect([world.nowMs(50), world.rosMs(50)]).toEqual([3_600_000, 7_200_100]);
  });

  it('puts in order what happens while it stands', () => {
    const world = new World();
    world.tick(0, 0);
    const read = [world.time.now(10), world.time.orderedNow(10), world.time.now(20), world.time.orderedNow(20), world.time.orderedNow(30)];
    expect(read.map((at) => at - CLOCK_ORIGIN_US)).toEqual([0, 1, 1, 2, 3]);
  });

  it('says when an instant comes, and that one beyond the next message is not known', () => {
    const world = new World();
    const at = (value: number) => micros(CLOCK_ORIGIN_US + ms(value));
    expect(world.time.whenUs(at(1), 0)).toBeUndefined();
    world.run({ from: 0, until: 1000, every: 25, rate: 2, rosAt: 0 });
    expect(world.time.whenUs(at(1990), ms(1000))).toBe(ms(1000));
    const when = world.time.whenUs(at(2020), ms(1000)) as number;
    expect(when).toBeGreaterThan(ms(1009));
    expect(when).toBeLessThan(ms(1011));
    expect(world.time.now(when)).toBeGreaterThanOrEqual(at(2020));
    expect(world.time.whenUs(at(2051), ms(1000))).toBeUndefined();
  });
});

const LASTS_US = 8_000_000;

interface Told {
  /** The newest message. */
  lastUs: number | undefined;
  readonly periodUs: number;
}

/** Plays a clock into simulated time: messages at a rate, late by some, some lost; looks at random instants between them. */
function play(seed: number, clock: Wandering, look: (time: SimulatedTime, steadyUs: number, told: Told) => void): ClockStep[] {
  const random = new Pcg32(BigInt(seed), 1n);
  const time = new SimulatedTime();
  const told: Told = { lastUs: undefined, periodUs: [2000, 10_000, 25_000, 100_000, 1_000_000][random.below(5)] as number };
  const latestUs = random.below(8000);
  const steps: ClockStep[] = [];
  let steadyUs = 0;
  for (let sentUs = 0; sentUs < LASTS_US; sentUs += told.periodUs) {
    for (let looks = random.below(3); looks > 0; looks -= 1) {
      steadyUs = Math.max(steadyUs, sentUs - random.below(told.periodUs));
      look(time, steadyUs, told);
    }
    if (random.below(10) === 0) continue;
    const shownUs = clockAt(clock, sentUs);
    if (shownUs <= 0) continue;
    steadyUs = Math.max(steadyUs, sentUs + random.below(latestUs + 1));
    steps.push(time.tick(BigInt(shownUs) * 1000n, steadyUs));
    told.lastUs = shownUs;
    look(time, steadyUs, told);
  }
  return steps;
}

/** As `expect`, for what is looked at very often. */
function hold(holds: boolean, what: () => unknown): void {
  if (!holds) throw new Error(JSON.stringify(what()));
}

const SEEDS = Array.from({ length: 60 }, (_, seed) => seed);

describe('simulated time of a clock that drifts, wobbles, steps, freezes, pauses and changes its rate', () => {
  it.each(SEEDS)('never goes back, is a number, and keeps its order (seed %d)', (seed) => {
    let [core, work, ordered] = [0, 0, 0];
    const steps = play(seed, wanderingClock(seed, LASTS_US), (time, steadyUs) => {
      const reading = { core: time.now(steadyUs), work: time.work(steadyUs), pace: time.pace, epoch: time.rosEpochUs ?? 0 };
      hold(reading.core >= core && reading.core >= ordered && reading.work >= work, () => ({ reading, core, ordered, work }));
      hold([reading.core, reading.work, reading.epoch].every(Number.isSafeInteger), () => reading);
      hold(reading.pace > 0 && Number.isFinite(reading.pace), () => reading);
      [core, work] = [reading.core, reading.work];
      if (steadyUs % 3 > 0) return;
      ordered = time.orderedNow(steadyUs);
      hold(ordered > core && time.now(steadyUs) === ordered, () => ({ ordered, core }));
    });
    expect(steps.filter((step) => step === 'started').length).toBeLessThanOrEqual(1);
  });

  it.each(SEEDS)('shows ROS time from the last message to the next one, held where the clock fell back a little (seed %d)', (seed) => {
    play(seed, wanderingClock(seed, LASTS_US), (time, steadyUs, { lastUs, periodUs }) => {
      const ros = time.rosNowNs(steadyUs);
      if (ros === undefined || lastUs === undefined) return;
      const aheadUs = Number(ros / 1000n) - lastUs;
      // Ten times is the fastest that it runs; some messages in a row may be lost.
      hold(aheadUs >= -1 && aheadUs <= 10 * 4 * periodUs + 100_000, () => ({ aheadUs, periodUs }));
    });
  });

  it.each(SEEDS.slice(0, 9))('runs with a good clock to within its messages (seed %d)', (seed) => {
    const random = new Pcg32(BigInt(seed), 3n);
    const rate = [0.5, 1, 2][random.below(3)] as number;
    const clock = { startUs: 5_000_000, rate, driftPpm: 100 };
    const time = new SimulatedTime();
    let steadyUs = 0;
    for (let sentUs = 0; sentUs < 3_000_000; sentUs += 20_000) {
      steadyUs = Math.max(steadyUs, sentUs + random.below(2000));
      time.tick(BigInt(clockAt(clock, sentUs)) * 1000n, steadyUs);
      if (sentUs < 1_000_000) continue;
      const atUs = steadyUs + random.below(15_000);
      expect(Math.abs(Number((time.rosNowNs(atUs) ?? 0n) / 1000n) - clockAt(clock, atUs))).toBeLessThan(2500 * rate);
      steadyUs = atUs;
    }
    expect(time.pace).toBeGreaterThan(0.99 * rate);
    expect(time.pace).toBeLessThan(1.01 * rate);
  });

  it('stays exact when two clocks take turns for a day', () => {
    const time = new SimulatedTime();
    const clocks = [5_000_000_000_000n, 1_700_000_000_000_000_000n, 1_700_003_500_000_000_000n];
    for (let tick = 0; tick < 1_000_000; tick += 1) time.tick((clocks[tick % 3] as bigint) + BigInt(tick) * 1000n, tick * 100);
    expect(Number.isSafeInteger(time.now(1e12))).toBe(true);
  });
});
