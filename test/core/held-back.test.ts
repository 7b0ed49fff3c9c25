import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Bench } from './bench.js';
import { POLICIES, type PolicyCase } from './policies.js';
import { playServed } from './served-bench.js';

/** One guarded stream and others below it on one model that runs quickly and is planned to run much longer: most of the others are held back. */
interface Scene {
  readonly others: number;
  readonly period: number;
  readonly runtime: number;
  readonly plannedPercent: number;
  readonly slots: number;
  readonly depth: number;
}

const SCENES: fc.Arbitrary<Scene> = fc.record({
  others: fc.integer({ min: 1, max: 6 }),
  period: fc.integer({ min: 20, max: 50 }),
  runtime: fc.integer({ min: 1, max: 8 }),
  /** Of the period. */
  plannedPercent: fc.integer({ min: 20, max: 250 }),
  slots: fc.integer({ min: 1, max: 2 }),
  depth: fc.integer({ min: 0, max: 1 }),
});
const END = 700;

/** @returns results of the guarded stream. */
function play({ scheduling }: PolicyCase, { others, period, runtime, plannedPercent, slots, depth }: Scene): number {
  const names = Array.from({ length: others }, (_, i) => `other${i}`);
  const contract = { model: 'det', period, deadline: 3 * period, maxAge: 3 * period } as const;
  const p99 = Math.max(runtime, Math.floor((period * plannedPercent) / 100));
  const bench = new Bench({
    scheduling,
    backend: { slots, pipeliningDepth: depth },
    models: { det: { instances: 1, variants: { only: { p50: runtime, p99 } } } },
    streams: {
      front: { class: 'protected', ...contract },
      ...Object.fromEntries(names.map((name) => [name, { class: 'normal' as const, ...contract }])),
    },
  });
  const phases = ['front', ...names].map((name, i) => ({ name, phase: (i * 3) % period }));
  playServed(bench, {
    end: END,
    instances: 1,
    runtimeOf: () => runtime,
    happen: (at, serve) => {
      for (const { name, phase } of phases) {
        if (at % period !== phase) continue;
        bench.arrive(at, name);
        serve();
      }
    },
  });
  return bench.actions.filter((one) => one.type === 'terminate' && one.stream === 'front' && one.state === 'delivered').length;
}

test.each(POLICIES)(
  'however many are held back for its sake, a guarded stream is served ($name)',
  (policy) => {
    fc.assert(
      fc.property(SCENES, (scene) => {
        expect(play(policy, scene)).toBeGreaterThanOrEqual(Math.floor(END / scene.period / 2));
      }),
      { numRuns: 25 },
    );
  },
  60_000,
);
