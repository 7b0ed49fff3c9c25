/** Random sequences as a property sees them, and a failure as a decision script. */
import fc from 'fast-check';
import type { CoreConfiguration } from '../../src/core/configuration.js';
import { scriptOf } from './decide-script.js';
import type { PolicyCase } from './policies.js';
import { configurations } from './random-configuration.js';
import { STEPS, type Step } from './random-steps.js';
import { World } from './world.js';

/** For a longer search than every change needs: VIG_PROPERTY_RUNS=100 runs each property a hundred times as often. */
const RUNS_FACTOR = Number(process.env['VIG_PROPERTY_RUNS'] ?? 1);
export const TIMEOUT_MS = 60_000 * RUNS_FACTOR;

/** The same code sees the same sequences; VIG_PROPERTY_SEED=2 goes through others. */
export const SEED = Number(process.env['VIG_PROPERTY_SEED'] ?? 1);

/** Configuration, steps, and whether wake-ups come late or not at all: shrinks to punctual ones, which is what a script has. */
export type Sequence = [CoreConfiguration, Step[], boolean];

export function sequences({ scheduling }: PolicyCase): fc.Arbitrary<Sequence> {
  return fc.tuple(configurations(scheduling), STEPS, fc.boolean());
}

export function play(configuration: CoreConfiguration, steps: readonly Step[], late: boolean): World {
  const world = new World(configuration, !late);
  for (const step of steps) world.run(step);
  return world;
}

/** A failure is told as a decision script, shrunk: `vig decide` shows it, and it can become a test. */
export function forEverySequence(policy: PolicyCase, numRuns: number, check: (...sequence: Sequence) => void): void {
  const reporter = (run: fc.RunDetails<[Sequence]>) => {
    const told = fc.defaultReportMessage(run);
    if (told === undefined) return;
    const script = run.counterexample === null ? '' : scriptFrom(run.counterexample[0]);
    throw new Error(`${told}\n\n${script}`, { cause: run.errorInstance });
  };
  fc.assert(
    fc.property(sequences(policy), (sequence) => {
      check(...sequence);
    }),
    { numRuns: numRuns * RUNS_FACTOR, seed: SEED, reporter },
  );
}

function scriptFrom([configuration, steps, late]: Sequence): string {
  const world = new World(configuration, !late);
  try {
    for (const step of steps) world.run(step);
  } catch {
    // The failure itself: what led to it is written down.
  }
  const notes = late ? ['# Wake-ups came late or not at all, which a script cannot say.\n'] : [];
  const sayable = world.events.filter(({ event }) => event.type !== 'restore' && event.type !== 'warm_up');
  if (sayable.length < world.events.length)
    notes.push('# Runtimes were restored or models warmed up on the way, which a script cannot say.\n');
  return `${notes.join('')}${scriptOf(configuration, sayable, world.now)}`;
}
