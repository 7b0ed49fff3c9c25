import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CAUSES, type Cause } from '../../src/core/catalogue.js';
import { CONFIGURATION, STEPS, World } from './world.js';

const RUNS = { numRuns: 300 };

test('whatever happens, the books balance and every rule holds after each event', () => {
  fc.assert(
    fc.property(CONFIGURATION, STEPS, (configuration, steps) => {
      const world = new World(configuration);
      for (const step of steps) world.run(step);
    }),
    RUNS,
  );
}, 60_000);

test('the same events give the same actions, to the byte', () => {
  fc.assert(
    fc.property(CONFIGURATION, STEPS, (configuration, steps) => {
      const [one, two] = [new World(configuration), new World(configuration)];
      for (const step of steps) {
        one.run(step);
        two.run(step);
      }
      expect(two.log).toEqual(one.log);
    }),
    { numRuns: 60 },
  );
}, 60_000);

test('these sequences reach every decision of the core', () => {
  const seen = new Set<string>();
  for (const [configuration, steps] of fc.sample(fc.tuple(CONFIGURATION, STEPS), { numRuns: 300, seed: 1 })) {
    const world = new World(configuration);
    for (const step of steps) world.run(step);
    for (const action of world.actions) {
      seen.add(action.type === 'terminate' ? action.cause : action.type);
      if (action.type === 'dispatch' && action.why.follows !== undefined) seen.add('sent ahead');
    }
  }
  const before = (cause: Cause) => CAUSES[cause].state === 'invalid' || cause === 'inactive' || cause === 'no_clock';
  /** The generator lets calls fail by model_error only. */
  const otherFailures: readonly Cause[] = ['bad_output', 'response_too_large'];
  const causes = (Object.keys(CAUSES) as Cause[]).filter((cause) => !before(cause) && !otherFailures.includes(cause));
  expect([...seen].sort()).toEqual([...causes, 'dispatch', 'defer', 'sent ahead', 'level', 'wake', 'late_answer'].sort());
}, 60_000);
