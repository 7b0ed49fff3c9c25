import { describe, expect, it } from 'vitest';
import { CLOCK_ORIGIN_US, micros } from '../../src/core/units.js';
import { SimulatedClock } from '../../src/governor/simulated-clock.js';
import { clockAt, wanderingClock } from '../support/wandering-clock.js';
import { ManualClock } from './manual-clock.js';

const ns = (rosMs: number): bigint => BigInt(Math.round(rosMs * 1000)) * 1000n;
const core = (ms: number) => micros(CLOCK_ORIGIN_US + ms * 1000);

/** A clock whose messages come every 25 ms, at a rate. */
function bench() {
  const machine = new ManualClock();
  const clock = new SimulatedClock(machine);
  const atMs = () => (machine.now() - CLOCK_ORIGIN_US) / 1000;
  return {
    machine,
    clock,
    nowMs: () => (clock.now() - CLOCK_ORIGIN_US) / 1000,
    run(untilMs: number, rosFromMs: number, rate: number) {
      const fromMs = atMs();
      for (let ms = fromMs; ms <= untilMs; ms += 25) {
        machine.moveTo(ms);
        clock.tick(ns(rosFromMs + (ms - fromMs) * rate));
      }
    },
  };
}

describe('appointments on a simulated clock', () => {
  it('are kept between two messages, at the pace of the clock', () => {
    const { machine, clock, run, nowMs } = bench();
    run(1000, 5000, 2);
    const kept: number[] = [];
    clock.schedule(core(2030), () => kept.push(nowMs()));
    machine.moveTo(1014);
    expect(kept).toEqual([]);
    machine.moveTo(1016);
    expect(kept).toHaveLength(1);
    expect(kept[0]).toBeGreaterThanOrEqual(2030);
  });

  it('wait while the clock stands, and are kept when it goes on', () => {
    const { machine, clock, run } = bench();
    run(1000, 5000, 1);
    let kept = 0;
    clock.schedule(core(1100), () => {
      kept += 1;
    });
    machine.moveTo(60_000);
    expect(kept).toBe(0);
    run(60_200, 6000, 1);
    expect(kept).toBe(1);
    expect(machine.pending).toBe(0);
  });

  it('that a leap passed over are kept at once, and never before their time', () => {
    const { machine, clock, run, nowMs } = bench();
    run(500, 5000, 1);
    const kept: number[] = [];
    for (const ms of [600, 5000, 50_000]) clock.schedule(core(ms), () => kept.push(ms));
    clock.tick(ns(15_000));
    machine.moveTo(501);
    expect(kept).toEqual([600, 5000]);
    expect(nowMs()).toBeGreaterThanOrEqual(10_000);
  });

  it('that are cancelled are not kept, wherever they wait', () => {
    const { machine, clock, run } = bench();
    run(500, 5000, 1);
    const kept: number[] = [];
    const cancels = [510, 600].map((ms) => clock.schedule(core(ms), () => kept.push(1)));
    for (const cancel of cancels) cancel();
    run(1000, 5500, 1);
    expect([kept, machine.pending]).toEqual([[], 0]);
  });

  it('by the machine are kept while the clock stands', () => {
    const { machine, clock, run } = bench();
    run(500, 5000, 1);
    const kept: number[] = [];
    clock.machine.schedule(micros(clock.machine.now() + 100_000), () => kept.push(1));
    machine.moveTo(601);
    expect(kept).toEqual([1]);
  });

  it.each(Array.from({ length: 20 }, (_, seed) => seed))(
    'are kept once each, not before their time, whatever the clock does (seed %d)',
    (seed) => {
      const machine = new ManualClock();
      const clock = new SimulatedClock(machine);
      const wandering = wanderingClock(seed, 4_000_000);
      const late: number[] = [];
      let [made, kept] = [0, 0];
      for (let ms = 0; ms < 4000; ms += 20) {
        machine.moveTo(ms);
        const shownUs = clockAt(wandering, ms * 1000);
        if (shownUs > 0) clock.tick(BigInt(shownUs) * 1000n);
        const at = micros(clock.now() + ((ms * 7919) % 300_000));
        made += 1;
        clock.schedule(at, () => {
          kept += 1;
          if (clock.now() < at) late.push(at);
        });
      }
      for (let ms = 4000; ms < 6000; ms += 20) {
        machine.moveTo(ms);
        clock.tick(BigInt(Math.max(1, clockAt(wandering, 4_000_000)) + ms * 1000) * 1000n);
      }
      expect([late, kept]).toEqual([[], made]);
    },
  );
});
