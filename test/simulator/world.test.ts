import { describe, expect, it } from 'vitest';
import type { Ledger } from '../../src/simulator/ledger.js';
import { atLoad } from '../../src/simulator/load.js';
import { measure } from '../../src/simulator/measure.js';
import { createPolicy } from '../../src/simulator/policies.js';
import type { Scenario } from '../../src/simulator/scenario.js';
import { parseScenario } from '../../src/simulator/scenario-file.js';
import { simulate } from '../../src/simulator/simulate.js';
import { Workload } from '../../src/simulator/workload.js';
import { MS, plain, TWO_STREAMS } from './scenarios.js';

function run(scenario: Scenario, policy = 'fifo-4', seed = 1): Ledger {
  return simulate(scenario, new Workload(scenario, seed), (world) => createPolicy(policy, world));
}

const inMs = (instants: Float64Array): number[] => [...instants].map((ns) => ns / MS);

describe('the workload', () => {
  it('takes phase, transport and the end of the run into account', () => {
    const { captureNs, arrivalNs } = new Workload(plain({ source: 'period_ms: 10, phase_ms: 5, transport_ms: 2' }), 1);
    expect(inMs(captureNs)).toEqual([5, 15, 25]);
    expect(inMs(arrivalNs)).toEqual([7, 17, 27]);
  });

  it('follows a burst and a stop', () => {
    const source = 'period_ms: 10, burst: {every_ms: 40, for_ms: 10, period_ms: 5}, stop_ms: 60';
    const { captureNs } = new Workload(plain({ source, runMs: 100 }), 1);
    expect(inMs(captureNs)).toEqual([0, 5, 10, 20, 30, 40, 45, 50]);
  });

  it('keeps the runtime of a frame whoever asks first, and gives each seed its own', () => {
    const scenario = parseScenario(TWO_STREAMS, 'two.yaml');
    const one = new Workload(scenario, 1);
    const same = new Workload(scenario, 1);
    const frames = [7, 3, 0];
    const forwards = frames.map((frame) => one.runtimeNs(frame, 0));
    expect(frames.toReversed().map((frame) => same.runtimeNs(frame, 0))).toEqual(forwards.toReversed());
    expect(frames.map((frame) => new Workload(scenario, 2).runtimeNs(frame, 0))).not.toEqual(forwards);
  });
});

describe('load', () => {
  it('scales runtimes so that the best variants ask for as much', () => {
    const scaled = atLoad(parseScenario(TWO_STREAMS, 'two.yaml'), 1000);
    const asked = scaled.streams.reduce((sum, { variants, source }) => sum + (variants[0]?.p50Ns ?? 0) / source.periodNs, 0);
    expect(asked).toBeCloseTo(1, 2);
    expect(scaled.streams[0]?.variants[1]?.p50Ns).toBe(Math.floor((6 * MS * 1000) / 653));
  });

  it('or divides periods, deadlines and ages, down to 5 ms', () => {
    const scenario: Scenario = { ...plain(), scale: 'periods' };
    expect(atLoad(scenario, 800).streams[0]).toMatchObject({
      source: { periodNs: 12.5 * MS },
      contract: { periodNs: 12.5 * MS, deadlineNs: 12.5 * MS, maxAgeNs: 25 * MS },
    });
    expect(atLoad(scenario, 4000).streams[0]).toMatchObject({ source: { periodNs: 5 * MS }, contract: { maxAgeNs: 10 * MS } });
  });
});

describe('the server', () => {
  it('runs one call a slot and hands over at the end', () => {
    const { startNs, endNs, resultNs } = run(plain({ p50: 15 }));
    expect(inMs(startNs)).toEqual([0, 15, 30]);
    expect(inMs(endNs)).toEqual([15, 30, 45]);
    expect(resultNs).toEqual(endNs);
  });

  it('runs as many at a time as it has slots', () => {
    const { startNs, slot } = run(plain({ p50: 15, backend: 'slots: 2' }));
    expect(inMs(startNs)).toEqual([0, 10, 20]);
    expect([...slot]).toEqual([0, 1, 0]);
  });

  it('spends half the round trip each way', () => {
    const { startNs, resultNs } = run(plain({ p50: 15, backend: 'slots: 1, round_trip_ms: 4' }));
    expect(inMs(startNs)).toEqual([2, 21, 40]);
    expect(inMs(resultNs)).toEqual([19, 38, 57]);
  });

  it('starts a call that was sent ahead at the end of the one before', () => {
    const { startNs } = run(plain({ p50: 15, backend: 'slots: 1, pipelining_depth: 1, round_trip_ms: 4' }));
    expect(inMs(startNs)).toEqual([2, 17, 32]);
  });

  it('keeps a slot for the gap between two executions', () => {
    expect(inMs(run(plain({ p50: 15, backend: 'slots: 1, dispatch_gap_ms: 3' })).startNs)).toEqual([0, 18, 36]);
  });

  it('answers with an error as often as the scenario says', () => {
    const ledger = run(plain({ stream: 'failure_permille: 1000' }));
    expect(ledger.states).toEqual(['backend_failed', 'backend_failed', 'backend_failed']);
    expect(measure(ledger)).toMatchObject({ valid: 0, stale_compute_permille: 1000 });
  });
});

const EVERY_POLICY = [
  'fifo-1',
  'fifo-16',
  'latest',
  'latest_priority',
  'latest_edf',
  'triton_policy',
  'governor',
  'governor-no-lookahead',
  'governor-no-freshness',
  'governor-no-variants',
  'governor-no-supersession',
];

describe.each(EVERY_POLICY)('%s', (policy) => {
  const scenario = atLoad(
    parseScenario(TWO_STREAMS.replace('slots: 1', 'slots: 1, pipelining_depth: 1, round_trip_ms: 1'), 'two.yaml'),
    1400,
  );

  it('gives every frame one outcome, and overlaps no executions in a slot', () => {
    const ledger = run(scenario, policy);
    for (const { received, delivered, obsolete, outcomes } of Object.values(measure(ledger).streams)) {
      expect(delivered + obsolete + Object.values(outcomes).reduce((sum, count) => sum + count, 0)).toBe(received);
    }
    const runs = [...ledger.startNs.keys()].filter((frame) => !Number.isNaN(ledger.startNs[frame]));
    const inOrder = runs.sort((a, b) => (ledger.startNs[a] as number) - (ledger.startNs[b] as number));
    inOrder.slice(1).forEach((frame, index) => {
      expect(ledger.startNs[frame]).toBeGreaterThanOrEqual(ledger.endNs[inOrder[index] as number] as number);
    });
  });

  it('does the same again on the same frames', () => {
    const [one, again] = [run(scenario, policy, 7), run(scenario, policy, 7)];
    expect(again.startNs).toEqual(one.startNs);
    expect(again.states).toEqual(one.states);
  });
});

it('tells the governor profiles that are wrong by the error of the scenario', () => {
  // Declared twice as slow as it is, nothing could be fresh: so nothing is started.
  expect(run(plain({ p50: 15, stream: 'profile_error: 2' }), 'governor').states).toEqual(['infeasible', 'infeasible', 'infeasible']);
  expect(run(plain({ p50: 15 }), 'governor').states[0]).toBe('delivered');
});
