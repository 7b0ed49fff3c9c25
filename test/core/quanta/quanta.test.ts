import { describe, expect, test } from 'vitest';
import type { Generated, Prompt } from '../../../src/core/quanta/generation.js';
import { Bench, cooperative, type Setting, type StreamShort } from '../bench.js';

type Terms = Partial<Parameters<typeof cooperative>[0]>;

/** A camera of 10 ms every 33 ms, and texts that cost 8 ms and a millisecond a token: 8 + 15 ms fit between two frames. */
function bench(terms: Terms = {}, text: StreamShort = {}, more: Partial<Setting> = {}): Bench {
  const { models, streams, ...rest } = more;
  return new Bench({
    models: { text: { cooperative: cooperative({ base: 8, ...terms }), variants: { only: {} } }, ...models },
    streams: {
      camera: { class: 'protected', period: 33, deadline: 33, maxAge: 66 },
      text: { class: 'best_effort', queue: { policy: 'fifo' }, ...text },
      ...streams,
    },
    ...rest,
  });
}

/** The camera's frame of 0 has run until 10; the text then has until 33. */
function gapOf23(terms: Terms = {}, prompt: Prompt = { maxTokens: 64 }, text: StreamShort = {}, more: Partial<Setting> = {}): Bench {
  const world = bench(terms, text, more);
  world.arrive(0, 'camera');
  world.arrive(1, 'text', { prompt });
  world.complete(10, 1);
  return world;
}

const ok = (generated: Generated = {}) => ({ result: 'ok', generated }) as const;
const quanta = (world: Bench) => world.actions.flatMap((action) => (action.type === 'dispatch' && action.quantum ? [action.quantum] : []));

describe('the size of a quantum', () => {
  test('fills the gap to the next expected frame of a higher class', () => {
    expect(quanta(gapOf23())).toEqual([{ number: 1, tokens: 15 }]);
  });

  test('counts what has to be read first', () => {
    expect(quanta(gapOf23({ prefill: 0.5 }, { promptTokens: 20, maxTokens: 64 }))).toEqual([{ number: 1, tokens: 5 }]);
  });

  test('counts what was generated before as context', () => {
    const world = gapOf23({ prefill: 0.5 }, { promptTokens: 20, maxTokens: 64 });
    world.complete(33, 2, ok());
    world.arrive(33, 'camera');
    world.complete(43, 3);
    // 23 - 8 - 12.5 to read = 2.5
    expect(quanta(world).at(-1)).toEqual({ number: 2, tokens: 2 });
  });

  test('is what is left, where that is less', () => {
    expect(quanta(gapOf23({}, { maxTokens: 9 }))).toEqual([{ number: 1, tokens: 9 }]);
  });

  test('is at least min_tokens, where a token fits and the frame bears it', () => {
    // 8 + 20 ms end at 38: 10 ms for the frame of 33 end in time.
    expect(quanta(gapOf23({ min: 20 }))).toEqual([{ number: 1, tokens: 20 }]);
  });

  test('is nothing, where min_tokens would make the frame late: the look-ahead has the last word', () => {
    const world = gapOf23({ min: 40 });
    expect(quanta(world)).toEqual([]);
    expect(world.last).toContainEqual(expect.objectContaining({ type: 'defer', request: 2 }));
  });

  test('is the rest, where that is less than min_tokens', () => {
    expect(quanta(gapOf23({ min: 20 }, { maxTokens: 3 }))).toEqual([{ number: 1, tokens: 3 }]);
    expect(quanta(gapOf23({ min: 20 }, { maxTokens: 16 }))).toEqual([{ number: 1, tokens: 16 }]);
  });

  test('is everything, where nothing of a higher class is expected', () => {
    const world = bench();
    world.arrive(0, 'text', { prompt: { maxTokens: 50 } });
    expect(quanta(world)).toEqual([{ number: 1, tokens: 50 }]);
  });

  test.each([
    [22, [{ number: 1, tokens: 1 }]],
    [22.001, []],
    [23, []],
    [40, []],
  ])('is nothing, where the base cost and a token do not fit into 23 ms: %s ms', (base, expected) => {
    expect(quanta(gapOf23({ base, min: 5 }, { maxTokens: 1 }))).toEqual(expected);
  });

  test('keeps a margin, of the base cost too', () => {
    // (8 + 12) x 1.1 = 22 fits, (8 + 13) x 1.1 = 23.1 does not
    const world = gapOf23({}, { maxTokens: 64 }, {}, { learning: { marginPercent: 110 } });
    expect(quanta(world)).toEqual([{ number: 1, tokens: 12 }]);
  });

  test('learns a wider margin from quanta that outlast their plan', () => {
    const world = gapOf23({}, { maxTokens: 64 }, {}, { learning: { marginPercent: 100, adapt: true } });
    world.arrive(33, 'camera');
    world.complete(34, 2, ok());
    world.complete(44, 3);
    // 22 ms to the frame of 66: at 109.9 % 8 + 12 fit, at 100 % it would be 8 + 14
    expect(quanta(world).at(-1)).toEqual({ number: 2, tokens: 12 });
  });
});

describe('who is waited for', () => {
  test('no stream of the same class, nor one that is not guarded', () => {
    const world = bench({}, { class: 'protected' });
    world.arrive(0, 'camera');
    world.arrive(1, 'text', { prompt: {} });
    world.complete(10, 1);
    expect(quanta(world)).toEqual([{ number: 1, tokens: 64 }]);
  });

  test('no stream that finds another slot free', () => {
    const world = gapOf23({}, { maxTokens: 64 }, {}, { backend: { slots: 2 } });
    expect(quanta(world)).toEqual([{ number: 1, tokens: 64 }]);
  });

  test('the second of two that come while the other slot is busy', () => {
    const setting: Partial<Setting> = {
      backend: { slots: 2 },
      streams: { pose: { class: 'high', period: 40, deadline: 40, maxAge: 80 } },
    };
    const world = bench({}, {}, setting);
    world.arrive(0, 'camera');
    world.arrive(0, 'pose');
    world.complete(10, 1);
    world.complete(10, 2);
    // camera takes the other slot from 33 to 43; pose needs this one at 40.
    world.arrive(10, 'text', { prompt: {} });
    expect(quanta(world)).toEqual([{ number: 1, tokens: 22 }]);
  });

  test('a stream that stopped is waited for no longer than it is expected', () => {
    const world = gapOf23({ base: 30 });
    expect(quanta(world)).toEqual([]);
    expect(world.wakeMs).toBe(33.001);
    world.tick(33.001);
    expect(quanta(world)).toEqual([{ number: 1, tokens: 64 }]);
  });

  test('a veto tells what even one token would take, and who stands against it', () => {
    const world = gapOf23({ base: 30 });
    expect(world.last).toContainEqual(
      expect.objectContaining({
        type: 'defer',
        request: 2,
        why: expect.objectContaining({ blockedBy: 'camera', plannedUs: 31_000, tokens: 1, expectedUs: 33_000 }),
      }),
    );
  });

  test('up to the latest start of the frame, where that is declared', () => {
    // due at 66, replaced at 66: 10 ms before that is 56, and 56 - 10 - 8 = 38
    expect(quanta(gapOf23({ fillUntil: 'latest_start' }))).toEqual([{ number: 1, tokens: 38 }]);
  });

  test('the latest start is the one that leaves the frame its turn before the next one', () => {
    const streams = { camera: { class: 'protected', period: 33, deadline: 60, maxAge: 66 } } as const;
    expect(quanta(gapOf23({ fillUntil: 'latest_start' }, {}, {}, { streams }))).toEqual([{ number: 1, tokens: 38 }]);
  });

  test('the latest start is that of the deadline, where that is earlier', () => {
    const streams = { camera: { class: 'protected', period: 33, deadline: 25, maxAge: 66 } } as const;
    expect(quanta(gapOf23({ fillUntil: 'latest_start' }, {}, {}, { streams }))).toEqual([{ number: 1, tokens: 30 }]);
  });

  test('no frame takes the place of another one that is in a queue', () => {
    const streams = { camera: { class: 'protected', period: 33, deadline: 60, maxAge: 66, queue: { policy: 'fifo' } } } as const;
    // due at 93: 83 - 10 - 8 leaves 65; but the frame of 66 waits for the one of 33, is due at 126, and needs no earlier start
    expect(quanta(gapOf23({ fillUntil: 'latest_start', max: 100 }, { maxTokens: 100 }, {}, { streams }))).toEqual([
      { number: 1, tokens: 65 },
    ]);
  });

  test('the latest start is not before the frame can be there', () => {
    const camera = { class: 'protected', period: 33, deadline: 90, maxAge: 99 } as const;
    const world = bench({ fillUntil: 'latest_start' }, {}, { models: { camera: 40 }, streams: { camera } });
    world.arrive(0, 'camera');
    world.arrive(1, 'text', { prompt: {} });
    world.complete(5, 1);
    expect(quanta(world)).toEqual([{ number: 1, tokens: 20 }]);
  });

  test('a frame that waits for another reason takes no room: the look-ahead judges it', () => {
    const models = { camera: { instances: 1, variants: { only: { p50: 10 } } } };
    const world = bench({}, {}, { backend: { slots: 2 }, models });
    world.arrive(0, 'camera');
    world.arrive(5, 'camera');
    world.arrive(6, 'text', { prompt: { maxTokens: 5 } });
    expect(quanta(world)).toEqual([{ number: 1, tokens: 5 }]);
  });

  test('several frames leave time for each other before the latest start', () => {
    const streams = { pose: { class: 'protected', period: 33, deadline: 33, maxAge: 66 } } as const;
    const world = bench({ fillUntil: 'latest_start' }, {}, { streams });
    world.arrive(0, 'camera');
    world.arrive(0, 'pose');
    world.complete(10, 1);
    world.arrive(11, 'text', { prompt: {} });
    world.complete(20, 2);
    // both are due at 66: 20 ms before that is 46, and 46 - 20 - 8 = 18
    expect(quanta(world)).toEqual([{ number: 1, tokens: 18 }]);
  });

  test('no quantum is sent ahead of the end of a call', () => {
    const world = bench({}, {}, { backend: { pipeliningDepth: 1, pipeliningLeadUs: 5000 as never } });
    world.arrive(0, 'text', { prompt: { maxTokens: 10 } });
    world.arrive(1, 'text', { prompt: { maxTokens: 10 } });
    world.tick(17);
    expect(quanta(world)).toHaveLength(1);
  });
});

describe('a firm floor that is due', () => {
  const floor = { contract: { minRuntime: { budgetUs: 30_000 as never, windowUs: 100_000 as never, guarantee: 'firm' } } } as const;

  test('takes the smallest call there may be, where none fits', () => {
    expect(quanta(gapOf23({ base: 30, min: 5 }, {}, floor))).toEqual([{ number: 1, tokens: 5 }]);
  });

  test('fills the room there is, where there is some', () => {
    expect(quanta(gapOf23({ min: 5 }, {}, floor))).toEqual([{ number: 1, tokens: 15 }]);
  });
});

describe('a chain of quanta', () => {
  test('is one request and one outcome, however many calls it takes', () => {
    const world = gapOf23();
    world.complete(33, 2, ok({ tokens: 15 }));
    expect(world.stream('text')).toMatchObject({ received: 1, waiting: 1, inFlight: 0 });
    world.arrive(33, 'camera');
    expect(world.complete(43, 3)).toContain('dispatch 2');
    expect(quanta(world).at(-1)).toEqual({ number: 2, tokens: 15 });
    expect(world.complete(66, 2, ok({ tokens: 11, finished: true }))).toEqual(['end 2 delivered/delivered']);
    expect(world.outcomeOf(2)).toMatchObject({ ageUs: 65_000, waitingUs: 9_000, serviceUs: 56_000, why: { generated: 26 } });
    expect(world.stream('text')).toMatchObject({ received: 1, waiting: 0, inFlight: 0 });
  });

  test('goes on until the limit of the client, and no further', () => {
    const world = gapOf23({}, { maxTokens: 20 });
    world.complete(33, 2, ok());
    world.arrive(33, 'camera');
    world.complete(43, 3);
    expect(quanta(world).at(-1)).toEqual({ number: 2, tokens: 5 });
    expect(world.complete(56, 2, ok({ finished: false }))).toEqual(['end 2 delivered/delivered']);
  });

  test('has no more tokens than the model allows', () => {
    const world = bench({ max: 12 });
    world.arrive(0, 'text', { prompt: { maxTokens: 64 } });
    expect(quanta(world)).toEqual([{ number: 1, tokens: 12 }]);
  });

  test('of 0 tokens stays one of 0', () => {
    const world = gapOf23({}, { maxTokens: 0 });
    expect(quanta(world)).toEqual([{ number: 1, tokens: 0 }]);
    expect(world.complete(18, 2, ok())).toEqual(['end 2 delivered/delivered']);
  });

  test('of 0 tokens needs room for none', () => {
    expect(quanta(gapOf23({ base: 23 }, { maxTokens: 0 }))).toEqual([{ number: 1, tokens: 0 }]);
    expect(quanta(gapOf23({ base: 23.001 }, { maxTokens: 0 }))).toEqual([]);
    expect(quanta(gapOf23({ base: 45.5, fillUntil: 'latest_start' }, { maxTokens: 0 }))).toEqual([{ number: 1, tokens: 0 }]);
  });

  test('with unknown sampling parameters is one call, whatever the gap', () => {
    const world = gapOf23({}, { maxTokens: 64, unknownSampling: true });
    expect(quanta(world)).toEqual([]);
    world.tick(33.001);
    expect(quanta(world)).toEqual([{ number: 1, tokens: 64 }]);
    expect(world.complete(105, 2, ok({ tokens: 10, finished: false }))).toEqual(['end 2 delivered/delivered']);
  });

  test.each<[string, Generated, number]>([
    ['by the tokens that the answer counts', { tokens: 7, finished: false }, 57],
    ['by its bytes at most', { bytes: 9, finished: false }, 55],
    ['by what was asked for, where bytes are more', { bytes: 90 }, 49],
    ['by what was asked for, where the answer tells nothing', {}, 49],
  ])('goes on %s', (_, generated, left) => {
    const world = gapOf23();
    world.complete(33, 2, ok(generated));
    world.tick(33.001); // the camera is given up: what is left is asked for in one
    expect(quanta(world).at(-1)).toEqual({ number: 2, tokens: left });
  });

  test('is over when the model stops short of what was asked for', () => {
    expect(gapOf23().complete(30, 2, ok({ tokens: 14 }))).toEqual(['end 2 delivered/delivered']);
  });

  test('comes back behind what waits already, with its old capture', () => {
    const world = bench();
    world.arrive(0, 'camera');
    world.arrive(1, 'text', { prompt: {} });
    world.arrive(2, 'text', { prompt: {} });
    expect(world.complete(10, 1)).toContain('dispatch 2');
    world.complete(33, 2, ok());
    world.arrive(33, 'camera');
    expect(world.complete(43, 4)).toContain('dispatch 3');
  });

  test('keeps its place in the queue', () => {
    const world = gapOf23({}, {}, { queue: { policy: 'fifo', capacity: 1 } });
    expect(world.arrive(20, 'text', { prompt: {} })).toEqual(['end 3 infeasible/queue_full']);
    world.complete(33, 2, ok());
    expect(world.stream('text')?.waiting).toBe(1);
  });

  test('keeps no place during its last call', () => {
    const world = gapOf23({}, { maxTokens: 5 }, { queue: { policy: 'fifo', capacity: 1 } });
    expect(world.arrive(20, 'text', { prompt: {} })).toEqual([]);
  });

  test('keeps no place once its requester has given up', () => {
    const pose: StreamShort = { class: 'high', period: 40, deadline: 40, maxAge: 80 };
    const world = bench({}, { queue: { policy: 'fifo', capacity: 1 } }, { backend: { slots: 2 }, streams: { pose } });
    world.arrive(0, 'camera');
    world.arrive(0, 'pose');
    world.complete(10, 1);
    world.complete(10, 2);
    world.arrive(10, 'text', { prompt: {} });
    expect(quanta(world)).toEqual([{ number: 1, tokens: 22 }]);
    world.timeout(20, 3);
    expect(world.arrive(21, 'text', { prompt: {} })).not.toContain('end 4 infeasible/queue_full');
  });

  test('finds the queue full after a call that was to be the last, and was not', () => {
    const world = gapOf23({}, { maxTokens: 5 }, { queue: { policy: 'fifo', capacity: 1 } });
    world.arrive(20, 'text', { prompt: {} });
    expect(world.complete(30, 2, ok({ tokens: 4, finished: false }))).toContain('end 2 infeasible/queue_full');
  });

  test('refuses a newcomer, where all places are kept, even one that might replace the oldest', () => {
    const world = gapOf23({}, {}, { queue: { policy: 'fifo', capacity: 1, overflow: 'reject_oldest' } });
    expect(world.arrive(20, 'text', { prompt: {} })).toEqual(['end 3 infeasible/queue_full']);
  });
});

describe('a chain that breaks ends with an outcome of its own', () => {
  test('by an error of a later call', () => {
    const world = gapOf23();
    world.complete(33, 2, ok());
    world.tick(33.001);
    expect(world.complete(90, 2, 'failed')).toEqual(['end 2 backend_failed/chain_broken']);
    expect(world.outcomeOf(2)?.why.generated).toBe(15);
  });

  test('by an error of the first call, which is an error like any other', () => {
    expect(gapOf23().complete(33, 2, 'failed')).toEqual(['end 2 backend_failed/model_error']);
  });

  test('by a call whose end nobody knows: its credit stays held', () => {
    const world = gapOf23();
    world.complete(33, 2, ok());
    world.tick(33.001);
    expect(world.complete(90, 2, 'unknown')).toContain('end 2 backend_failed/execution_unknown');
    expect(world.backend()).toMatchObject({ held: 1, leases: { awaiting_baseline: 1 } });
  });

  test('by no answer, and the late one changes nothing', () => {
    const world = gapOf23();
    world.complete(33, 2, ok());
    world.tick(33.001);
    expect(world.timeout(90, 2)).toEqual(['end 2 backend_timeout/no_answer']);
    expect(world.complete(95, 2, ok({ finished: false }))).toEqual(['late 2']);
    expect(world.stream('text')).toMatchObject({ waiting: 0, inFlight: 0 });
  });

  test('by a call that brings nothing', () => {
    expect(gapOf23().complete(33, 2, ok({ tokens: 0, finished: false }))).toEqual(['end 2 backend_failed/chain_broken']);
  });

  test('by age', () => {
    const world = gapOf23({}, {}, { maxAge: 40, deadline: 40 });
    // At 33 another 8 + 1 ms end at 42: one too late.
    expect(world.complete(33, 2, ok())).toEqual(['end 2 stale/predicted_stale']);
  });

  test('by age while it waits', () => {
    const world = gapOf23({}, {}, { maxAge: 50, deadline: 50 });
    world.complete(33, 2, ok());
    world.arrive(33, 'camera');
    expect(world.tick(42.001)).toEqual(['end 2 stale/predicted_stale']);
  });

  test('by the level at which only guarded streams are admitted', () => {
    const world = bench(
      {},
      {},
      { overload: { enterPermille: [1, 2, 3, 4], leavePermille: [0, 1, 2, 3], dwellUs: 0 as never, minViolations: 1 } },
    );
    world.arrive(0, 'text', { prompt: {} });
    world.arrive(0, 'camera', { capture: -100 });
    for (const at of [1, 2, 3, 4]) world.tick(at);
    expect(world.backend()?.overloadLevel).toBe(4);
    expect(world.complete(72, 1, ok({ tokens: 60, finished: false }))).toEqual(['end 1 infeasible/protected_only']);
  });

  test('by the end of serving', () => {
    const world = gapOf23();
    world.plain(20, 'drain');
    expect(world.complete(33, 2, ok())).toEqual(['end 2 cancelled/shutdown']);
  });

  test('by a newer message, where the newest wins', () => {
    const world = gapOf23({}, {}, { queue: { policy: 'latest' } });
    world.arrive(20, 'text', { prompt: {} });
    expect(world.complete(33, 2, ok())).toContain('end 2 superseded/newer_capture');
    expect(world.outcomeOf(2)?.why.supersededBy).toBe(3);
  });

  test('goes on, where the newest is its own', () => {
    const world = gapOf23({}, {}, { queue: { policy: 'latest' } });
    world.complete(33, 2, ok());
    expect(world.stream('text')?.waiting).toBe(1);
  });
});

describe('whoever asked is gone', () => {
  test('between two calls: it ends at once', () => {
    const world = gapOf23();
    world.complete(33, 2, ok());
    expect(world.cancel(34, 2)).toEqual(['end 2 cancelled/withdrawn']);
  });

  test('during a call: that is the last', () => {
    const world = gapOf23();
    expect(world.cancel(20, 2)).toEqual([]);
    expect(world.complete(33, 2, ok())).toEqual(['end 2 cancelled/withdrawn']);
  });

  test('during the call that finishes: the answer is complete', () => {
    const world = gapOf23();
    world.cancel(20, 2);
    expect(world.complete(33, 2, ok({ finished: true }))).toEqual(['end 2 delivered/delivered']);
  });
});

test('an end told twice ends no other call', () => {
  const world = gapOf23();
  const end = { type: 'completion', request: 2 as never, quantum: 1, end: ok() } as const;
  world.send(33, end);
  world.tick(33.001);
  expect(quanta(world)).toHaveLength(2);
  expect(world.send(40, end)).toEqual([]);
  expect(world.stream('text')).toMatchObject({ waiting: 0, inFlight: 1 });
});

describe('a declaration is refused', () => {
  test.each<[string, Terms, RegExp]>([
    ['min_tokens above max_total_tokens', { min: 65 }, /cooperative\.min_tokens is above max_total_tokens, which is 64/],
    ['a rate of 0', { rate: 0 }, /cooperative\.tokens_per_second 0 tokens\/s/],
  ])('%s', (_, terms, text) => {
    expect(() => bench(terms)).toThrow(text);
  });

  test('of a model with two variants, or with a memory', () => {
    const model = { cooperative: cooperative({ base: 1 }), variants: { a: {}, b: {} } };
    const streams = { s: { queue: { policy: 'fifo' } } } as const;
    expect(() => new Bench({ models: { s: model }, streams })).toThrow(/has 2/);
    expect(() => new Bench({ models: { s: { ...model, variants: { a: {} }, stateful: true } }, streams })).toThrow(/stateful/);
  });
});
