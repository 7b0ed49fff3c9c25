import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { clairvoyant } from '../../src/simulator/clairvoyant.js';
import { measure } from '../../src/simulator/measure.js';
import { runPolicy } from '../../src/simulator/run-task.js';
import type { Scenario } from '../../src/simulator/scenario.js';
import { parseScenario } from '../../src/simulator/scenario-file.js';
import { Workload } from '../../src/simulator/workload.js';
import { plain, TWO_STREAMS } from './scenarios.js';

const UNIT = 1_000_000;

/** Every order of every subset of the frames, each delivery as soon as it can be or at the start of any later window. */
function mostWindows(workload: Workload, scenario: Scenario): number {
  const [stream] = scenario.streams;
  if (stream === undefined) return 0;
  const { periodNs, maxAgeNs } = stream.contract;
  const windows = Math.floor(scenario.runNs / periodNs);
  const search = (freeNs: number, used: ReadonlySet<number>, covered: ReadonlySet<number>): number => {
    let best = covered.size;
    for (let frame = 0; frame < workload.frames; frame += 1) {
      if (used.has(frame)) continue;
      const soonestNs = Math.max(freeNs, workload.arrivalNs[frame] as number) + workload.runtimeNs(frame, 0);
      const starts = Array.from({ length: windows }, (_, window) => window * periodNs).filter((ns) => ns > soonestNs);
      for (const atNs of [soonestNs, ...starts]) {
        const window = Math.floor(atNs / periodNs);
        if (atNs - (workload.captureNs[frame] as number) > maxAgeNs || window >= windows) continue;
        best = Math.max(best, search(atNs, new Set([...used, frame]), new Set([...covered, window])));
      }
    }
    return best;
  };
  return search(0, new Set(), new Set());
}

describe('one stream and one slot', () => {
  test('no schedule covers more windows than the clairvoyant', () => {
    const duration = (min: number, max: number) => fc.integer({ min, max });
    const cases = fc.record({
      p50: duration(2, 16),
      spread: duration(0, 14),
      jitter: duration(0, 4),
      age: duration(8, 30),
      seed: duration(0, 1e6),
    });
    fc.assert(
      fc.property(cases, ({ p50, spread, jitter, age, seed }) => {
        const base = plain({ runMs: 50, p50, source: `period_ms: 10, jitter_ms: ${jitter}, transport_ms: 1` });
        const scenario: Scenario = {
          ...base,
          streams: base.streams.map((stream) => ({
            ...stream,
            contract: { ...stream.contract, maxAgeNs: age * UNIT },
            variants: stream.variants.map((variant) => ({ ...variant, p99Ns: (p50 + spread) * UNIT })),
          })),
        };
        const workload = new Workload(scenario, seed);
        const uncovered = measure(clairvoyant(scenario, workload)).streams['front']?.window_uncovered_permille;
        expect(uncovered).toBe(1000 - Math.floor((1000 * mostWindows(workload, scenario)) / 5));
      }),
      { numRuns: 60, seed: 1 },
    );
  });
});

it.each([1, 2])('is a bound that no policy passes, with %i slots', (slots) => {
  const scenario = parseScenario(TWO_STREAMS.replace('slots: 1', `slots: ${slots}`), 'two.yaml');
  const workload = new Workload(scenario, 1);
  const bound = measure(clairvoyant(scenario, workload));
  for (const policy of ['fifo-1', 'latest', 'latest_edf', 'governor']) {
    const reached = measure(runPolicy(scenario, workload, policy));
    for (const [name, { window_uncovered_permille }] of Object.entries(bound.streams)) {
      expect(reached.streams[name]?.window_uncovered_permille).toBeGreaterThanOrEqual(window_uncovered_permille);
    }
  }
});
