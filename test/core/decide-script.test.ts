import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type DecisionLine, instantMs, lineOf } from '../../src/decide/decision-line.js';
import { runScript } from '../../src/decide/run-script.js';
import { parseScript } from '../../src/decide/script-file.js';
import { scriptName, scriptOf } from './decide-script.js';
import { POLICIES } from './policies.js';
import { forEverySequence, play, SEED, sequences } from './sequences.js';

/** Lines that follow from the counts or the script, not from a decision. */
const CONDITIONS: readonly DecisionLine['action'][] = ['held', 'quarantined', 'ready', 'ignored'];

test.each(POLICIES)(
  'a script from a random sequence decides what the core decided in it ($name)',
  (policy) => {
    fc.assert(
      fc.property(sequences(policy), ([configuration, steps]) => {
        const sayable = steps.filter(({ kind }) => kind !== 'restore' && kind !== 'warm_up');
        const world = play(configuration, sayable, false);
        const endUs = world.now + 1;
        world.send(endUs, { type: 'tick' }); // and every wake-up before it
        const { lines } = runScript(parseScript(scriptOf(configuration, world.events, world.now), 'sequence'));
        const decided = lines
          .map(({ line }) => line)
          .filter(({ action, at_ms: at }) => at < instantMs(world.now) && !CONDITIONS.includes(action));
        expect(decided).toEqual(world.told.filter(({ at }) => at < endUs).map(({ at, action }) => lineOf(action, at, scriptName)));
      }),
      { numRuns: 50, seed: SEED },
    );
  },
  60_000,
);

test.each(POLICIES)(
  'a property that fails tells a script that shows it ($name)',
  (policy) => {
    const noAnswers = () =>
      forEverySequence(policy, 50, (...sequence) => {
        const delivered = play(...sequence).told.some(({ action }) => action.type === 'terminate' && action.state === 'delivered');
        if (delivered) throw new Error('something was delivered');
      });
    let told = '';
    try {
      noAnswers();
    } catch (error) {
      told = String(error);
    }
    const script = told.slice(told.indexOf('scheduling: {'));
    const { summary } = runScript(parseScript(script, 'failure'));
    expect(summary.outcomes['delivered/delivered']).toBeGreaterThan(0);
    expect(summary.received).toBeLessThan(20); // of up to 250
  },
  60_000,
);
