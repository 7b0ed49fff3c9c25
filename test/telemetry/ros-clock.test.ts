import { describe, expect, it } from 'vitest';
import { Diagnostics } from '../../src/telemetry/diagnostics.js';
import { judgeStream } from '../../src/telemetry/finding.js';
import { type ClockFacts, judgeClock } from '../../src/telemetry/ros-clock.js';

const RUNNING: ClockFacts = {
  rosNowNs: 5_000_000_000n,
  machineNs: 1_790_000_000_000_000_000n,
  publishers: 1,
  standsForUs: undefined,
  pace: 2,
  messages: 100,
  jumps: 4,
};

describe('the finding of /clock', () => {
  it('tells that it runs, and how fast', () => {
    expect(judgeClock(RUNNING, 1)).toEqual({ kind: 'fine', message: '/clock runs at 2.00 of real time' });
  });

  it('tells a clock that nobody publishes from one that says nothing', () => {
    const waiting = { ...RUNNING, rosNowNs: undefined };
    expect(judgeClock({ ...waiting, publishers: 0 }, 0)).toMatchObject({
      kind: 'over',
      hint: expect.stringContaining('nobody publishes /clock'),
    });
    expect(judgeClock(waiting, 0)).toMatchObject({ kind: 'over', hint: expect.stringContaining('no message has come') });
  });

  it('tells a pause from an end', () => {
    const standing = { ...RUNNING, standsForUs: 3_200_000 };
    expect(judgeClock(standing, 0)).toMatchObject({
      kind: 'waiting',
      message: '/clock has been standing for 3.2 s',
      hint: expect.stringContaining('paused'),
    });
    expect(judgeClock({ ...standing, publishers: 0 }, 0)).toMatchObject({ hint: expect.stringContaining('its publisher has ended') });
  });

  it('takes jumps beyond those of a loop for two publishers', () => {
    expect(judgeClock({ ...RUNNING, publishers: 2 }, 7)).toMatchObject({
      kind: 'over',
      hint: expect.stringContaining('2 publishers of /clock'),
    });
  });

  it('is a diagnostic of its own, with its pace', () => {
    const status = new Diagnostics().clock(judgeClock(RUNNING, 0), RUNNING);
    expect(status).toMatchObject({ name: 'governor: clock', level: 0 });
    expect(status.values).toContainEqual(['pace', '2.000']);
  });
});

describe('the finding of a stream under use_sim_time', () => {
  const SILENT = {
    topic: '/front',
    received: 0,
    causes: new Map(),
    silentUs: 9e6,
    periodUs: 33_000,
    inputProblem: undefined,
    modelProblem: undefined,
    brokenBudget: undefined,
    stamps: undefined,
  };

  it('names the clock that stands for a silence', () => {
    expect(judgeStream({ ...SILENT, clock: { ...RUNNING, standsForUs: 9e6 } })).toMatchObject({
      kind: 'waiting',
      hint: expect.stringContaining('/clock stands, too'),
    });
    expect(judgeStream({ ...SILENT, clock: RUNNING })).toMatchObject({
      kind: 'over',
      hint: expect.stringContaining('the publisher of /front has stopped'),
    });
  });

  it('names it for a stream that has said nothing yet, too', () => {
    expect(judgeStream({ ...SILENT, silentUs: undefined, clock: { ...RUNNING, standsForUs: 9e6 } })).toMatchObject({
      kind: 'waiting',
      message: 'No events recorded.',
      hint: expect.stringContaining('/clock stands, too'),
    });
  });

  it.each(['stamp_future', 'stale_on_arrival'] as const)('names the clock that the stamps of %s likely come from', (cause) => {
    const stamps = {
      minAgeUs: -37e6,
      maxAgeUs: -36.9e6,
      stampNs: 1_790_000_037_000_000_000n,
      rosNowNs: 1_790_000_000_000_000_000n,
      offsetUs: 0,
    };
    const finding = judgeStream({ ...SILENT, received: 9, causes: new Map([[cause, 9]]), silentUs: 0, stamps, clock: undefined });
    expect(finding).toMatchObject({ kind: 'over', hint: expect.stringContaining('TAI') });
  });
});
