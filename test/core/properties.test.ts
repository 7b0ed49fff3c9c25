import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CAUSES, type Cause } from '../../src/core/catalogue.js';
import type { CoreConfiguration } from '../../src/core/configuration.js';
import { scriptOf } from './decide-script.js';
import { CONFIGURATION, STEPS, type Step, World } from './world.js';

/** Shrinks to punctual wake-ups, which is what a script has. */
const LATE_WAKES = fc.boolean();

type Sequence = [CoreConfiguration, Step[], boolean];

/** A failure is told as a decision script, shrunk: `vig decide` shows it, and it can become a test. */
function forEverySequence(numRuns: number, check: (...sequence: Sequence) => void): void {
  const reporter = (run: fc.RunDetails<Sequence>) => {
    const told = fc.defaultReportMessage(run);
    if (told === undefined) return;
    const script = run.counterexample === null ? '' : scriptFrom(run.counterexample);
    throw new Error(`${told}\n\n${script}`, { cause: run.errorInstance });
  };
  fc.assert(fc.property(CONFIGURATION, STEPS, LATE_WAKES, check), { numRuns, reporter });
}

function scriptFrom([configuration, steps, late]: Sequence): string {
  const world = new World(configuration, !late);
  try {
    for (const step of steps) world.run(step);
  } catch {
    // The failure itself: what led to it is written down.
  }
  const note = late ? '# Wake-ups came late or not at all, which a script cannot say.\n' : '';
  return `${note}${scriptOf(configuration, world.events, world.now)}`;
}

test('whatever happens, the books balance and every rule holds after each event', () => {
  forEverySequence(300, (configuration, steps, late) => {
    const world = new World(configuration, !late);
    for (const step of steps) world.run(step);
  });
}, 60_000);

test('the same events give the same actions, to the byte', () => {
  forEverySequence(60, (configuration, steps, late) => {
    const [one, two] = [new World(configuration, !late), new World(configuration, !late)];
    for (const step of steps) {
      one.run(step);
      two.run(step);
    }
    expect(two.log).toEqual(one.log);
  });
}, 60_000);

test('these sequences reach every decision of the core', () => {
  const seen = new Set<string>();
  for (const [configuration, steps, late] of fc.sample(fc.tuple(CONFIGURATION, STEPS, LATE_WAKES), { numRuns: 300, seed: 1 })) {
    const world = new World(configuration, !late);
    for (const step of steps) world.run(step);
    for (const { action } of world.told) {
      seen.add(action.type === 'terminate' ? action.cause : action.type);
      if (action.type === 'dispatch' && action.why.follows !== undefined) seen.add('sent ahead');
    }
  }
  const before = (cause: Cause) => CAUSES[cause].state === 'invalid' || cause === 'inactive' || cause === 'no_clock';
  /** The generator lets calls fail by model_error only, and the clock go on. */
  const otherFailures: readonly Cause[] = ['bad_output', 'response_too_large', 'clock_jump'];
  const causes = (Object.keys(CAUSES) as Cause[]).filter((cause) => !before(cause) && !otherFailures.includes(cause));
  expect([...seen].sort()).toEqual([...causes, 'dispatch', 'defer', 'sent ahead', 'level', 'wake', 'late_answer'].sort());
}, 60_000);
