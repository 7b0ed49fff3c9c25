import { expect, test } from 'vitest';
import { isFeasible, resultsInCalm } from './calm.js';
import { POLICIES } from './policies.js';
import { forEverySequence, play, TIMEOUT_MS } from './sequences.js';

const CALM_S = 3;

// Whatever a core remembers - calls that hang, runtimes that were slow, a level, a clock that jumped, frames that never came - it must let
// go of it: a wait that is longer than a period must not end in frames that replace each other for ever.
test.each(POLICIES)(
  'once nothing disturbs any more, a feasible stream is served ($name)',
  (policy) => {
    let feasible = 0;
    forEverySequence(policy, 100, (configuration, steps, late) => {
      const world = play(configuration, steps, late);
      const stream = configuration.streams.find((one) => isFeasible(world.books, one));
      if (stream === undefined) return;
      feasible += 1;
      expect(resultsInCalm(world, stream, CALM_S).at(-1)).toBeGreaterThan(0);
    });
    expect(feasible).toBeGreaterThan(20);
  },
  TIMEOUT_MS,
);
