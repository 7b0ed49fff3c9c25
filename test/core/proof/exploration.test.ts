import { expect, test } from 'vitest';
import { explore, type SmallWorld } from './exploration.js';

const TIMEOUT_MS = 300_000;
const TWO_CALLS = { calls: 2, before: 0, upset: 'restart', dutiful: false } as const;
const WITNESSED = { ...TWO_CALLS, counts: 1, looks: 1 } as const;

test.each<[string, SmallWorld]>([
  ['told by counts alone', { ...TWO_CALLS, counts: 2, looks: 0 }],
  ['told by counts alone, of a server that has worked before', { ...TWO_CALLS, before: 5, counts: 2, looks: 0 }],
  ['told by the witness alone', { ...TWO_CALLS, counts: 0, looks: 2 }],
  ['told by both, work sent to the new process before anybody knows of it', WITNESSED],
  ['told by both, of a model that is loaded anew while its old instance runs on', { ...WITNESSED, upset: 'reload', dutiful: true }],
])(
  'two calls and one restart, %s: in no order does a credit come back without proof',
  (_, world) => {
    const { orders, tooEarly } = explore(world);
    expect(tooEarly).toBeUndefined();
    expect(orders).toBeGreaterThan(90_000);
  },
  TIMEOUT_MS,
);

test(
  'with a local server whose restart the witness tells, every credit comes back in every order',
  () => {
    expect(explore({ ...WITNESSED, dutiful: true })).toMatchObject({ tooEarly: undefined, held: 0 });
  },
  TIMEOUT_MS,
);

test('by counts alone a credit can stay held for good: safe, not live', () => {
  const { held, firstHeld } = explore({ ...TWO_CALLS, counts: 1, looks: 0 });
  expect(held).toBeGreaterThan(0);
  expect(firstHeld).toContain('restart');
});

// Which is why adr/0040 names it, and why the witness is asked wherever a server can map memory.
test('by counts alone a model that is loaded anew looks like a restart, though its old instance runs on', () => {
  expect(explore({ ...TWO_CALLS, counts: 2, looks: 0, upset: 'reload' }).tooEarly).toContain('reload');
});
