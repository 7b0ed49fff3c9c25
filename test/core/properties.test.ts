import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CAUSES, type Cause } from '../../src/core/catalogue.js';
import { POLICIES } from './policies.js';
import { forEverySequence, play, sequences, TIMEOUT_MS } from './sequences.js';

describe.each(POLICIES)('$name', (policy) => {
  test(
    'whatever happens, the books balance and every rule holds after each event',
    () => {
      forEverySequence(policy, 400, play);
    },
    TIMEOUT_MS,
  );

  test(
    'in the end every request has its one outcome',
    () => {
      forEverySequence(policy, 100, (...sequence) => {
        const world = play(...sequence);
        world.send(world.now, { type: 'drain' });
        world.send(world.now, { type: 'drain_limit' });
        expect([...world.books.requests.values()].filter(({ ended }) => ended !== true)).toEqual([]);
      });
    },
    TIMEOUT_MS,
  );

  test(
    'the same events give the same actions, to the byte',
    () => {
      forEverySequence(policy, 60, (...sequence) => {
        expect(play(...sequence).log).toEqual(play(...sequence).log);
      });
    },
    TIMEOUT_MS,
  );

  test(
    'what is refused has no effect later either',
    () => {
      forEverySequence(policy, 100, (configuration, steps, late) => {
        const without = steps.map((step) => (step.kind === 'refused' ? { ...step, kind: 'pause' as const } : step));
        expect(play(configuration, steps, late).log).toEqual(play(configuration, without, late).log);
      });
    },
    TIMEOUT_MS,
  );

  test(
    'these sequences reach every decision of the core',
    () => {
      const seen = new Set<string>();
      for (const sequence of fc.sample(sequences(policy), { numRuns: 500, seed: 1 })) {
        for (const { action } of play(...sequence).told) {
          seen.add(action.type === 'terminate' ? action.cause : action.type);
          if (action.type === 'dispatch' && action.why.follows !== undefined) seen.add('sent ahead');
        }
      }
      const before = (cause: Cause) => CAUSES[cause].state === 'invalid' || cause === 'inactive' || cause === 'no_clock';
      // Work that is cut has random sequences of its own (quanta/properties.test.ts).
      const causes = (Object.keys(CAUSES) as Cause[]).filter((cause) => !before(cause) && cause !== 'chain_broken');
      const actions = ['dispatch', 'defer', 'sent ahead', 'level', 'violation', 'wake', 'late_answer', 'reconciled', 'restart', 'poll'];
      expect([...seen].sort()).toEqual([...causes, ...actions].sort());
    },
    TIMEOUT_MS,
  );
});
