import { expect, test } from 'vitest';
import type { LearnedVariant } from '../../src/core/learned.js';
import { Bench, type Setting } from './bench.js';

const SETTING: Setting = { models: { s: 10 }, streams: { s: {} }, learning: { adapt: true } };

/** After twenty runs of 30 ms, the last of 60. */
function taught(): Bench {
  const bench = new Bench(SETTING);
  for (let id = 1; id <= 20; id += 1) {
    bench.arrive(id * 100, 's');
    bench.complete(id * 100 + (id === 20 ? 60 : 30), id);
  }
  return bench;
}

function started(setting: Setting, learned: readonly LearnedVariant[]) {
  const bench = new Bench(setting);
  bench.send(500_000, { type: 'restore', learned });
  bench.arrive(500_000, 's');
  return bench.dispatchOf(1)?.why;
}

test('a run starts from what the one before had learned: runtimes and margin', () => {
  const before = taught();
  const learned = before.core.learned();
  expect(learned).toMatchObject([{ backend: 'gpu', model: 's', variant: 'only' }]);
  before.arrive(3000, 's');
  const { optimisticUs, plannedUs } = before.dispatchOf(21)?.why ?? {};
  expect(started(SETTING, learned)).toMatchObject({ optimisticUs, plannedUs });
});

test('what was saved is saved again, in order', () => {
  const learned = taught().core.learned();
  const bench = new Bench(SETTING);
  bench.send(0, { type: 'restore', learned: JSON.parse(JSON.stringify(learned)) });
  expect(bench.core.learned()).toEqual(learned);
  expect(learned[0]?.occupancies[0]?.runtimesUs.at(-1)).toBe(60_000);
});

test('it is let go when the profile, the model at the server or the variant is another', () => {
  const learned = taught().core.learned();
  const fresh = started(SETTING, []);
  expect(started({ ...SETTING, models: { s: 11 } }, learned)?.optimisticUs).toBe(11_000);
  expect(
    started(
      SETTING,
      learned.map((one) => ({ ...one, fingerprint: `other${one.fingerprint}` })),
    ),
  ).toEqual(fresh);
  expect(
    started(
      SETTING,
      learned.map((one) => ({ ...one, variant: 'other' })),
    ),
  ).toEqual(fresh);
});

test('a margin is kept within what is configured now', () => {
  const learned = taught().core.learned();
  expect(learned[0]?.occupancies[0]?.marginPercent).toBeGreaterThan(100);
  const fixed = started({ ...SETTING, learning: { adapt: false } }, learned);
  expect((fixed?.plannedUs ?? 0) % 1000).toBe(0);
});
