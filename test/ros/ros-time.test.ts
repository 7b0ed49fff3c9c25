import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { CLOCK_ORIGIN_US } from '../../src/core/units.js';
import { RELIABILITY } from '../../src/ros/binding.js';
import { ClockLog } from '../../src/ros/clock-log.js';
import { RosTime } from '../../src/ros/ros-time.js';
import type { ClockFacts } from '../../src/telemetry/ros-clock.js';
import { ManualClock } from '../governor/manual-clock.js';
import { fakeBinding } from './fake-binding.js';

function bench(useSimTime: boolean) {
  const binding = fakeBinding();
  const wall = { nanoseconds: 7_000_000_000n };
  const node = { ...binding.node, getClock: () => ({ now: () => wall }), getPublishersInfoByTopic: () => [{}, {}] };
  const machine = new ManualClock();
  const told: string[] = [];
  const errors: string[] = [];
  const time = new RosTime(binding.rcl, node, {
    useSimTime,
    machine,
    placed: (epochUs) => told.push(`placed ${epochUs - CLOCK_ORIGIN_US}`),
    jumped: () => told.push('jumped'),
    log: pino({ level: 'error' }, { write: (line: string) => errors.push(line) }),
  });
  const hear = binding.subscriptions.get('/clock')?.callback as ((message: unknown) => void) | undefined;
  const say = (clock: unknown) => hear?.({ clock });
  return { binding, machine, time, told, errors, wall, say, tick: (sec: number, ms = 0) => say({ sec, nanosec: ms * 1_000_000 }) };
}

describe('ROS time', () => {
  it('is that of the machine, and core time too, without use_sim_time', () => {
    const { binding, machine, time, wall } = bench(false);
    expect([time.nowNs(), time.clock, time.facts(), binding.subscriptions.size]).toEqual([7_000_000_000n, machine, undefined, 0]);
    expect(time.epochUs()).toBe(CLOCK_ORIGIN_US - 7_000_000);
    wall.nanoseconds = 0n;
    expect([time.nowNs(), time.epochUs()]).toEqual([undefined, undefined]);
  });

  it('is not known before the first /clock', () => {
    const { time, binding } = bench(true);
    expect([time.nowNs(), time.epochUs()]).toEqual([undefined, undefined]);
    expect(binding.subscriptions.get('/clock')?.qos).toMatchObject({ depth: 1, reliability: RELIABILITY.best_effort });
    expect(time.facts()).toMatchObject({ rosNowNs: undefined, publishers: 2, messages: 0, standsForUs: undefined });
  });

  it('is that of /clock, and tells where it lies on the core clock, and when it jumps', () => {
    const { time, tick, told, machine } = bench(true);
    tick(100);
    machine.moveTo(25);
    tick(100, 25);
    expect([time.nowNs(), told]).toEqual([100_025_000_000n, ['placed -100000000']]);
    machine.moveTo(50);
    tick(40);
    expect([time.nowNs(), told.slice(1)]).toEqual([40_000_000_000n, ['jumped', 'placed -39975000']]);
    expect(time.facts()).toMatchObject({ messages: 3, jumps: 1 });
  });

  it.each([
    ['nothing', undefined],
    ['text', { sec: 'x', nanosec: 0 }],
    ['zero', { sec: 0, nanosec: 0 }],
    ['a negative time', { sec: -5, nanosec: 0 }],
    ['a 64-bit number', { sec: 1n, nanosec: 0 }],
  ])('does not take %s for a time', (_, clock) => {
    const { time, say, errors } = bench(true);
    say(clock);
    expect([time.nowNs(), errors]).toEqual([undefined, []]);
  });
});

describe('the log of /clock', () => {
  const RUNNING: ClockFacts = { rosNowNs: 1n, machineNs: 1n, publishers: 1, standsForUs: undefined, pace: 1, messages: 9, jumps: 0 };
  const lines = (...looks: Partial<ClockFacts>[]): string[] => {
    const said: string[] = [];
    const log = new ClockLog(pino({ level: 'info' }, { write: (line: string) => said.push(JSON.parse(line).msg) }));
    for (const look of looks) log.note({ ...RUNNING, ...look });
    return said;
  };

  it('says each state once', () => {
    const waiting = { rosNowNs: undefined };
    const standing = { standsForUs: 2_000_000 };
    expect(lines(waiting, waiting, waiting, {}, {}, standing, { standsForUs: 3_000_000 }, {})).toEqual([
      expect.stringMatching(/^waiting for \/clock/),
      expect.stringMatching(/^\/clock runs/),
      '/clock stands',
      expect.stringMatching(/^\/clock runs/),
    ]);
  });

  it('says nothing of a clock that is there within a second', () => {
    expect(lines({ rosNowNs: undefined }, {})).toEqual([expect.stringMatching(/runs/)]);
  });

  it('says jumps', () => {
    expect(lines({}, { jumps: 2 }, { jumps: 2 })).toEqual([expect.stringMatching(/runs/), expect.stringMatching(/^\/clock jumped/)]);
  });
});
