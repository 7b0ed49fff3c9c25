import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Bench, type Setting } from './bench.js';
import { POLICIES, type PolicyCase } from './policies.js';
import { playServed } from './served-bench.js';

/** Steady frames of `front`, a lower class that always has work, and a server with the core's slots that runs calls in order. */
interface Scene {
  readonly period: number;
  readonly transport: number;
  readonly runtime: number;
  readonly background: number;
  readonly slots: number;
  readonly depth: number;
  readonly sameModel: boolean;
  readonly profiled: boolean;
  readonly readyAt: number;
}

const SCENES: fc.Arbitrary<Scene> = fc.record({
  period: fc.integer({ min: 5, max: 50 }),
  transport: fc.integer({ min: 0, max: 10 }),
  runtime: fc.integer({ min: 1, max: 120 }),
  background: fc.integer({ min: 1, max: 200 }),
  slots: fc.integer({ min: 1, max: 2 }),
  depth: fc.integer({ min: 0, max: 2 }),
  sameModel: fc.boolean(),
  profiled: fc.boolean(),
  readyAt: fc.integer({ min: 0, max: 500 }),
});

const END = 2000;

/** Feasible: a frame that arrived just before the slot came free is still fresh when it was run. */
function play({ scheduling }: PolicyCase, scene: Scene): Bench {
  const { period, transport, runtime, background, slots, depth, sameModel, profiled, readyAt } = scene;
  const profile = (p50: number) => ({ variants: { only: profiled ? { p50 } : {} } });
  const setting: Setting = {
    scheduling,
    backend: { slots, pipeliningDepth: depth },
    models: { front: profile(runtime), back: profile(background) },
    streams: {
      front: { class: 'protected', period, deadline: period, maxAge: period + transport + runtime + 1 },
      back: { class: 'best_effort', model: sameModel ? 'front' : 'back', maxAge: 5000, queue: { policy: 'fifo', capacity: 4 } },
    },
  };
  const bench = new Bench(setting, { ready: false });
  playServed(bench, {
    end: END,
    instances: slots,
    runtimeOf: ({ stream }) => (stream === 'front' || sameModel ? runtime : background),
    happen: (at, serve) => {
      if (at === readyAt) for (const name of bench.backendModels()) bench.ready(at, name, true);
      if (at % period === 0) {
        bench.arrive(at, 'front', { capture: at - transport });
        serve();
      }
      if (at % 7 === 0) {
        bench.arrive(at, 'back');
        serve();
      }
    },
  });
  return bench;
}

test.each(POLICIES)(
  'a feasible latest stream is served again and again, whatever it waited for ($name)',
  (policy) => {
    fc.assert(
      fc.property(SCENES, (one) => {
        const bench = play(policy, one);
        const deliveries = bench.actions.filter(
          (action) => action.type === 'terminate' && action.stream === 'front' && action.state === 'delivered',
        );
        // The background runs at most once, with what was sent ahead of it, between two of ours.
        const cycle = one.period + 2 * one.runtime + (1 + one.depth) * (one.sameModel ? one.runtime : one.background) + 5;
        const cycles = Math.floor((END - one.readyAt) / cycle);
        expect(deliveries.length).toBeGreaterThanOrEqual(Math.floor(cycles / 2));
      }),
      { numRuns: 60 },
    );
  },
  60_000,
);

/** Started when a guarded frame has run, it ends before the next one comes. */
function fitsBetween({ period, runtime, background, sameModel }: Scene): boolean {
  return runtime + (sameModel ? runtime : background) <= period;
}

test.each(POLICIES)(
  'what fits between two guarded frames is served again and again, whatever the look-ahead puts off ($name)',
  (policy) => {
    fc.assert(
      fc.property(SCENES.filter(fitsBetween), (one) => {
        const bench = play(policy, one);
        const deliveries = bench.actions.filter(
          (action) => action.type === 'terminate' && action.stream === 'back' && action.state === 'delivered',
        );
        const cycles = Math.floor((END - one.readyAt) / one.period);
        expect(deliveries.length).toBeGreaterThanOrEqual(Math.floor(cycles / 2));
      }),
      { numRuns: 60 },
    );
  },
  60_000,
);
