import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CLOCK_ORIGIN_US, micros } from '../../src/core/units.js';
import { SteadyClock } from '../../src/governor/clock.js';

describe('SteadyClock', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('starts one hour ahead of zero and counts microseconds', () => {
    const clock = new SteadyClock();
    expect(clock.now()).toBe(CLOCK_ORIGIN_US);
    vi.advanceTimersByTime(5);
    expect(clock.now()).toBe(CLOCK_ORIGIN_US + 5000);
  });

  it('runs a task once, never before its instant', () => {
    const clock = new SteadyClock();
    const ran: number[] = [];
    clock.schedule(micros(CLOCK_ORIGIN_US + 2500), () => ran.push(clock.now()));
    vi.advanceTimersByTime(2);
    expect(ran).toEqual([]);
    vi.advanceTimersByTime(100);
    expect(ran).toHaveLength(1);
    expect(ran[0]).toBeGreaterThanOrEqual(CLOCK_ORIGIN_US + 2500);
  });

  it('does not run a cancelled task', () => {
    const clock = new SteadyClock();
    const task = vi.fn();
    clock.schedule(micros(CLOCK_ORIGIN_US + 1000), task)();
    vi.advanceTimersByTime(10);
    expect(task).not.toHaveBeenCalled();
  });

  it('reaches instants beyond the longest delay of one timer', () => {
    const clock = new SteadyClock();
    const task = vi.fn();
    const month = 30 * 24 * 3600 * 1000;
    clock.schedule(micros(CLOCK_ORIGIN_US + month * 1000), task);
    vi.advanceTimersByTime(month - 1);
    expect(task).not.toHaveBeenCalled();
    vi.advanceTimersByTime(2);
    expect(task).toHaveBeenCalledOnce();
  });
});
