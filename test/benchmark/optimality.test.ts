import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { optimalityGap } from '../../benchmark/optimality/gap.js';
import { optimum, VIEWS, type View, worth } from '../../benchmark/optimality/reference.js';
import { clairvoyant } from '../../src/simulator/clairvoyant.js';
import { Ledger } from '../../src/simulator/ledger.js';
import { runPolicy } from '../../src/simulator/run-task.js';
import type { Scenario } from '../../src/simulator/scenario.js';
import { parseScenario } from '../../src/simulator/scenario-file.js';
import { Workload } from '../../src/simulator/workload.js';

const POLICIES = ['fifo-1', 'fifo-4', 'latest', 'latest_priority', 'latest_edf', 'triton_policy', 'governor-ordered', 'governor-planned'];

interface Small {
  readonly frames: readonly number[];
  readonly period: number;
  readonly age: number;
  readonly jitter: number;
  readonly p50: number;
  readonly p99: number;
  readonly fast: number;
  readonly phase: number;
  readonly consumer: boolean;
}

/** @param most frames in all, of up to three streams. */
const small = (most: number): fc.Arbitrary<Small> =>
  fc
    .record({
      frames: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 3 }),
      period: fc.integer({ min: 5, max: 15 }),
      age: fc.integer({ min: 6, max: 30 }),
      jitter: fc.integer({ min: 0, max: 3 }),
      p50: fc.integer({ min: 1, max: 12 }),
      spread: fc.integer({ min: 0, max: 8 }),
      fast: fc.integer({ min: 1, max: 6 }),
      phase: fc.integer({ min: 0, max: 12 }),
      consumer: fc.boolean(),
    })
    .map(({ spread, p50, ...rest }) => ({ ...rest, p50, p99: p50 + spread }))
    .filter(({ frames }) => frames.reduce((sum, count) => sum + count, 0) <= most);

const CLASSES = ['protected', 'high', 'best_effort'];

function scenarioOf({ frames, period, age, jitter, p50, p99, fast, phase, consumer }: Small): Scenario {
  const clock = consumer ? `, extension: {consumer_period_ms: ${period}, phase_ms: ${phase}}` : '';
  const streams = frames.map(
    (count, i) => `
  s${i}:
    class: ${CLASSES[i]}
    source: {period_ms: ${period}, jitter_ms: ${jitter}, transport_ms: 1, phase_ms: ${i * phase}, stop_ms: ${i * phase + count * period}}
    contract: {period_ms: ${period}, deadline_ms: ${age}, max_age_ms: ${age}${clock}}
    variants:
      full: {quality: 1, quality_source: measured, p50_ms: ${p50}, p99_ms: ${p99}}
      fast: {quality: 0.5, quality_source: measured, p50_ms: ${fast}, p99_ms: ${fast}}`,
  );
  return parseScenario(`name: small\nrun_ms: ${period * 5}\nstreams:${streams.join('')}\n`, 'small.yaml');
}

const MS = 1_000_000;

/** Tries every order, every variant, and every whole millisecond of delay before each start. */
function byBruteForce(scenario: Scenario, workload: Workload, view: View): number {
  const ledgerOf = (results: ReadonlyMap<number, number>): number => {
    const ledger = new Ledger(scenario, workload);
    for (const [frame, atNs] of results) ledger.result(frame, atNs);
    return worth(ledger, view);
  };
  const search = (freeNs: number, results: ReadonlyMap<number, number>): number => {
    let best = ledgerOf(results);
    for (let frame = 0; frame < workload.frames; frame += 1) {
      if (results.has(frame)) continue;
      const stream = scenario.streams[workload.stream[frame] as number] as Scenario['streams'][number];
      const lastNs = (workload.captureNs[frame] as number) + stream.contract.maxAgeNs;
      stream.variants.forEach((_, variant) => {
        const runtimeNs = workload.runtimeNs(frame, variant);
        for (let startNs = Math.max(freeNs, workload.arrivalNs[frame] as number); startNs + runtimeNs <= lastNs; startNs += MS)
          best = Math.max(best, search(startNs + runtimeNs, new Map([...results, [frame, startNs + runtimeNs]])));
      });
    }
    return best;
  };
  return search(0, new Map());
}

describe.each(VIEWS)('the %s view', (view) => {
  test('the reference is what brute force finds on tiny instances', () => {
    // Whole milliseconds throughout: then no delay between them is worth more.
    const tiny = small(3).map((one) => ({ ...one, jitter: 0, p99: one.p50, age: Math.min(one.age, 14) }));
    fc.assert(
      fc.property(tiny, (one) => {
        const scenario = scenarioOf(one);
        const workload = new Workload(scenario, 1);
        expect(optimum(scenario, workload, view)).toBe(byBruteForce(scenario, workload, view));
      }),
      { numRuns: 60 },
    );
  }, 60_000);

  test('no policy is ever worth more than the reference', () => {
    fc.assert(
      fc.property(small(6), fc.nat(1_000_000), (one, seed) => {
        const scenario = scenarioOf(one);
        const workload = new Workload(scenario, seed);
        const best = optimum(scenario, workload, view);
        for (const policy of POLICIES) expect(worth(runPolicy(scenario, workload, policy), view)).toBeLessThanOrEqual(best);
      }),
      { numRuns: 150 },
    );
  }, 60_000);
});

test('with one stream it is what the clairvoyant covers', () => {
  fc.assert(
    fc.property(
      small(6).map((one) => ({ ...one, frames: [one.frames.reduce((sum, count) => sum + count, 0)] })),
      fc.nat(1_000_000),
      (one, seed) => {
        const base = scenarioOf(one);
        const scenario = { ...base, runNs: 8 * one.period * MS };
        const workload = new Workload(scenario, seed);
        expect(worth(clairvoyant(scenario, workload), 'window')).toBe(optimum(scenario, workload, 'window'));
      },
    ),
    { numRuns: 150 },
  );
}, 60_000);

it('refuses what it cannot do', () => {
  const scenario = parseScenario(
    'name: long\nrun_ms: 5000\nstreams:\n  s:\n    source: {period_ms: 10}\n    contract: {period_ms: 10, max_age_ms: 20}\n    variants: {full: {p50_ms: 4, p99_ms: 4}}\n',
    'long.yaml',
  );
  expect(() => optimum(scenario, new Workload(scenario, 1), 'window')).toThrow('500 frames');
  const two = { ...scenario, backend: { ...scenario.backend, slots: 2 } };
  expect(() => optimum(two, new Workload(two, 1), 'window')).toThrow('one slot');
});

it('gives a row for each instance, load, policy and view, none above the best', () => {
  const gaps = optimalityGap(['fifo-1', 'governor-ordered'], 3);
  expect(gaps).toHaveLength(3 * 3 * 2 * 2);
  expect(gaps.every(({ reachedPermille, optimalPermille }) => reachedPermille <= 1000 && optimalPermille <= 1000)).toBe(true);
});
