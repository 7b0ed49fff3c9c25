import { describe, expect, test } from 'vitest';
import type { Contract } from '../../src/core/configuration.js';
import { Bench, ms, type Setting, type StreamShort } from './bench.js';

/** A guarded stream `front` and work of a lower class, which would run for so long. */
function scene(front: StreamShort, background: number, more: Partial<Setting> = {}): Bench {
  const { models, streams, ...rest } = more;
  return new Bench({
    models: { front: 5, back: background, ...models },
    streams: {
      front: { class: 'protected', maxAge: 200, ...front },
      back: { class: 'best_effort', queue: { policy: 'fifo' } },
      ...streams,
    },
    ...rest,
  });
}

/** Frames of `front` that come and are answered at once, so that the next one is expected. */
function show(bench: Bench, stream: string, ...captures: readonly number[]): void {
  for (const at of captures) {
    bench.arrive(at, stream);
    const dispatch = bench.last.find((action) => action.type === 'dispatch');
    if (dispatch === undefined) throw new Error(`${stream} did not start at ${at}`);
    bench.complete(at, dispatch.request);
  }
}

describe('a start is put off', () => {
  test('when an expected frame would be late with it, and not without', () => {
    const bench = scene({ period: 100, deadline: 20 }, 30);
    show(bench, 'front', 0);
    expect(bench.arrive(90, 'back')).toEqual(['defer 2 by front']);
    expect(bench.last).toContainEqual({
      type: 'defer',
      request: 2,
      stream: 'back',
      variant: 'only',
      why: { slackUs: 1_000_000, plannedUs: 30_000, blockedBy: 'front', expectedUs: 100_000 },
    });
  });

  test('not when the frame is in time with it: to the microsecond', () => {
    const startedAt = (at: number) => {
      const bench = scene({ period: 100, deadline: 20 }, 30);
      show(bench, 'front', 0);
      return bench.arrive(at, 'back');
    };
    expect(startedAt(85)).toEqual(['dispatch 2']);
    expect(startedAt(85.001)).toEqual(['defer 2 by front']);
  });

  test('not when the frame is late anyway: only a cause is held back', () => {
    const two: StreamShort = { class: 'protected', period: 100, deadline: 20, maxAge: 200 };
    const bench = new Bench({
      models: { m: 15, back: 14 },
      streams: { one: { ...two, model: 'm' }, two: { ...two, model: 'm' }, back: { class: 'best_effort' } },
    });
    show(bench, 'one', 0);
    show(bench, 'two', 0);
    // From 88 to 102; then `one` ends at 117, and `two` at 132 instead of 130, late after 120 either way.
    expect(bench.arrive(88, 'back')).toEqual(['dispatch 3']);
  });

  test('when several expected frames fit one by one, but not all together', () => {
    const two: StreamShort = { class: 'protected', period: 10, deadline: 10, maxAge: 200 };
    const bench = new Bench({
      models: { m: 5, back: 11 },
      streams: { one: { ...two, model: 'm' }, two: { ...two, model: 'm' }, back: { class: 'best_effort' } },
    });
    show(bench, 'one', 0);
    show(bench, 'two', 0);
    expect(bench.arrive(0, 'back')).toEqual(['defer 3 by two']);
  });

  test('for the second frame of one stream, too', () => {
    // The first would end at 77 of 80, the one behind it at 102 of 100.
    const bench = scene({ period: 20, deadline: 60 }, 52, { models: { front: 25, back: 52 } });
    show(bench, 'front', 0);
    expect(bench.arrive(0, 'back')).toEqual(['defer 2 by front']);
    const shorter = scene({ period: 20, deadline: 60 }, 50, { models: { front: 25, back: 50 } });
    show(shorter, 'front', 0);
    expect(shorter.arrive(0, 'back')).toEqual(['dispatch 2']);
  });

  test('for a guarded frame that waits and cannot go itself yet', () => {
    const guarded: StreamShort = { class: 'protected', model: 'front', deadline: 35 };
    const bench = new Bench({
      backend: { slots: 2, noCorun: [['front', 'other']] },
      models: { front: 10, other: 20, back: 50 },
      streams: { one: guarded, two: guarded, other: { class: 'protected' }, back: { class: 'normal' } },
    });
    bench.arrive(0, 'other');
    expect(bench.arrive(0, 'one')).toEqual([]);
    expect(bench.arrive(0, 'two')).toEqual([]);
    // At 20 the ban ends, and both have a slot, unless the background takes one of them.
    expect(bench.arrive(5, 'back')).toEqual(['defer 4 by two']);
    expect(bench.last).not.toContainEqual(expect.objectContaining({ why: expect.objectContaining({ expectedUs: expect.anything() }) }));
    // From 15.001 on `two` is late anyway: it would have had to start by then, as far as its own deadline goes.
    expect(bench.wakeMs).toBe(25.001);
  });

  test('by classes strictly above its own only', () => {
    const guard = (candidate: StreamShort['class'], guarded: StreamShort['class']) => {
      const bench = new Bench({
        models: { front: 5, back: 30 },
        streams: { front: { class: guarded, period: 100, deadline: 20 }, back: { class: candidate } },
      } as Setting);
      show(bench, 'front', 0);
      return bench.arrive(90, 'back')[0]?.split(' ')[0];
    };
    expect(guard('best_effort', 'high')).toBe('defer');
    expect(guard('normal', 'high')).toBe('defer');
    expect(guard('high', 'protected')).toBe('defer');
    expect(guard('high', 'high')).toBe('dispatch');
    expect(guard('protected', 'protected')).toBe('dispatch');
    expect(guard('best_effort', 'normal')).toBe('dispatch');
  });

  test('and does not hold up what fits behind it', () => {
    const bench = scene({ period: 100, deadline: 20 }, 30, { models: { small: 10 }, streams: { small: { class: 'best_effort' } } });
    show(bench, 'front', 0);
    expect(bench.arrive(90, 'back')).toEqual(['defer 2 by front']);
    expect(bench.arrive(91, 'small')).toEqual(['dispatch 3']);
  });

  test('T 20, C 1, D 100: a background of 30 runs', () => {
    const bench = scene({ period: 20, deadline: 100 }, 30, { models: { front: 1 } });
    show(bench, 'front', 0);
    expect(bench.arrive(2, 'back')).toEqual(['dispatch 2']);
  });

  test('a class is judged with those above it only: work that must wait itself does not hide that a stronger frame is endangered', () => {
    const bench = new Bench({
      models: { front: 5, mid: 30, back: 50 },
      streams: {
        front: { class: 'protected', period: 100, deadline: 12 },
        mid: { class: 'high', deadline: 20, maxAge: 500 },
        back: { class: 'best_effort' },
      },
    });
    show(bench, 'front', 0);
    // In one line `mid` would make `front` late by itself; but it waits for `front`, as `back` has to.
    expect(bench.arrive(90, 'mid')).toEqual(['defer 2 by front']);
    expect(bench.arrive(91, 'back')).toEqual(['defer 3 by front']);
  });

  test('a second slot that is free for the frame makes room', () => {
    const bench = scene({ period: 100, deadline: 20 }, 30, { backend: { slots: 2 } });
    show(bench, 'front', 0);
    expect(bench.arrive(90, 'back')).toEqual(['dispatch 2']);
    expect(bench.arrive(91, 'back')).toEqual(['defer 3 by front']);
  });

  test('but not where the frame must not run beside it, or finds no instance', () => {
    const banned = scene({ period: 100, deadline: 20 }, 30, { backend: { slots: 2, noCorun: [['front', 'back']] } });
    show(banned, 'front', 0);
    expect(banned.arrive(90, 'back')).toEqual(['defer 2 by front']);
    const shared = new Bench({
      backend: { slots: 2 },
      models: { m: { instances: 1, variants: { only: { p50: 15 } } } },
      streams: { front: { class: 'protected', model: 'm', period: 100, deadline: 20 }, back: { class: 'normal', model: 'm' } },
    });
    show(shared, 'front', 0);
    expect(shared.arrive(91, 'back')).toEqual(['defer 2 by front']);
  });

  test('a call sent ahead is judged by its predicted start', () => {
    const bench = new Bench({
      backend: { pipeliningDepth: 1 },
      models: { front: 5, m: 10 },
      streams: {
        front: { class: 'protected', period: 100, deadline: 20 },
        back: { class: 'best_effort', model: 'm', queue: { policy: 'fifo' } },
      },
    });
    show(bench, 'front', 0);
    bench.arrive(88, 'back');
    bench.arrive(88, 'back');
    expect(bench.tick(96)).toEqual(['dispatch 3']);
    bench.complete(98, 2);
    bench.complete(108, 3);
    bench.arrive(108, 'front');
    bench.complete(110, 4);
    bench.arrive(195, 'back');
    bench.arrive(195, 'back');
    // The second would start at 205 and run until 215; `front` of 208 would end at 220, in time for 228.
    expect(bench.tick(203)).toEqual(['dispatch 6']);
  });
});

describe('the forecast', () => {
  test('includes transport in the deadline: the capture is as old at arrival as the one before', () => {
    const bench = scene({ period: 100, deadline: 20 }, 30);
    bench.arrive(10, 'front', { capture: 0 });
    bench.complete(10, 1);
    // Expected at 110, captured at 100: late after 120.
    expect(bench.arrive(85, 'back')).toEqual(['dispatch 2']);
    const later = scene({ period: 100, deadline: 20 }, 30);
    later.arrive(10, 'front', { capture: 0 });
    later.complete(10, 1);
    expect(later.arrive(85.001, 'back')).toEqual(['defer 2 by front']);
  });

  test('keeps an overdue frame for its jitter, either way, then gives it up at once', () => {
    const bench = scene({ period: 100, deadline: 20, jitter: 3 }, 30);
    show(bench, 'front', 0);
    expect(bench.arrive(95, 'back')).toEqual(['defer 2 by front']);
    expect(bench.wakeMs).toBe(106.001);
    expect(bench.tick(106)).toEqual([]);
    expect(bench.tick(106.001)).toEqual(['dispatch 2']);
  });

  test('a stopped stream holds nothing up any more, whatever was expected after it', () => {
    const bench = scene({ period: 20, deadline: 10 }, 500, { streams: {} });
    show(bench, 'front', 0, 20, 40);
    bench.arrive(41, 'back');
    expect(bench.wakeMs).toBe(60.001);
    expect(bench.tick(60.001)).toEqual(['dispatch 4']);
  });

  test('of a silent stream never begins', () => {
    expect(scene({ period: 20, deadline: 10 }, 500).arrive(0, 'back')).toEqual(['dispatch 1']);
  });

  test('without a period there is none', () => {
    const bench = scene({ deadline: 10 }, 500);
    show(bench, 'front', 0, 20, 40);
    expect(bench.arrive(41, 'back')).toEqual(['dispatch 4']);
  });
});

describe('a veto', () => {
  test('is told once while it stands, and the outcome names it', () => {
    const bench = new Bench({
      models: { front: 5, back: 30 },
      streams: { front: { class: 'protected', period: 20, deadline: 10 }, back: { class: 'best_effort', maxAge: 100 } },
    });
    show(bench, 'front', 0);
    bench.arrive(5, 'back');
    const lines: string[] = [];
    for (let at = 20; at <= 80; at += 20) {
      lines.push(...bench.arrive(at, 'front'));
      lines.push(...bench.complete(at + 1, bench.dispatchOf(2 + at / 20)?.request ?? 0));
    }
    expect(bench.actions.filter((action) => action.type === 'defer')).toHaveLength(1);
    expect(lines).toContain('end 2 stale/predicted_stale');
    expect(bench.outcomeOf(2)?.why.blockedBy).toBe('expected frame of front');
  });

  test('is lifted by the frame that was waited for, once that has run', () => {
    const bench = scene({ period: 100, deadline: 20 }, 30);
    show(bench, 'front', 0);
    bench.arrive(90, 'back');
    expect(bench.arrive(100, 'front')).toEqual(['dispatch 3']);
    expect(bench.complete(105, 3)).toContain('dispatch 2');
  });

  test('asks for no wake-up but the one instant at which time alone lifts it', () => {
    const bench = scene({ period: 100, deadline: 20 }, 30);
    show(bench, 'front', 0);
    bench.arrive(90, 'back');
    expect(bench.wakeMs).toBe(100.001);
    for (let at = 91; at <= 100; at += 1) {
      bench.tick(at);
      expect(bench.last).toEqual([]);
    }
  });

  test('falls away for a faster variant that fits', () => {
    const variants = { large: { quality: 1, p50: 30 }, small: { quality: 0.5, p50: 8 } };
    const bench = scene({ period: 100, deadline: 20 }, 1, { models: { back: { variants } } });
    show(bench, 'front', 0);
    expect(bench.arrive(90, 'back')).toEqual(['dispatch 2']);
    expect(bench.dispatchOf(2)?.variant).toBe('small');
  });
});

describe('the runtime it counts with is the one of the dispatcher', () => {
  test('observed beats profile, with the margin: front 10 instead of 1', () => {
    const bench = scene({ period: 100, deadline: 30 }, 30, { models: { front: 1, back: 30 }, learning: { marginPercent: 110 } });
    for (let i = 0; i < 16; i += 1) {
      bench.arrive(i * 100, 'front');
      bench.complete(i * 100 + 10, i + 1);
    }
    // 1592 + 33 + 11 > 1630
    expect(bench.arrive(1592, 'back')).toEqual(['defer 17 by front']);
  });

  test('only approved variants count: 20 and not 5', () => {
    const bench = new Bench({
      models: { front: { variants: { approved: { quality: 1, p50: 20 }, other: { quality: 0.9, p50: 5 } } }, back: 20 },
      streams: {
        front: { class: 'protected', period: 30, deadline: 20, maxAge: 200, approved: ['approved'] },
        back: { class: 'best_effort' },
      },
    });
    show(bench, 'front', 0);
    expect(bench.arrive(25, 'back')).toEqual(['defer 2 by front']);
  });

  test('the conversion of the message counts', () => {
    const guarded = (preprocess: number) => {
      const bench = scene({ period: 100, deadline: 20 }, 30, { models: { front: { variants: { only: { p50: 5, preprocess } } } } });
      show(bench, 'front', 0);
      return bench.arrive(84, 'back');
    };
    expect(guarded(0)).toEqual(['dispatch 2']);
    expect(guarded(5)).toEqual(['defer 2 by front']);
  });
});

describe('protect_supply', () => {
  /** Results of `front` stay usable for 66 ms; the background of B at `at`, just after a result, or later. */
  function supply(background: number, at: number, protectSupply: boolean, contract: Partial<Contract> = {}): string[] {
    const bench = new Bench({
      models: { front: 22, back: background },
      streams: { front: { class: 'protected', period: 33, deadline: 49, maxAge: 66, contract }, back: { class: 'best_effort' } },
      protectSupply,
    });
    bench.arrive(0, 'front');
    bench.complete(22, 1);
    return bench.arrive(at, 'back');
  }

  test('a start that would leave the consumer without a usable result is put off', () => {
    expect(supply(20, 25, false)).toEqual(['dispatch 2']);
    expect(supply(20, 25, true)).toEqual(['defer 2 by front']);
    expect(supply(20, 24, true)).toEqual(['dispatch 2']);
  });

  test('with a clock the consumer is not without before it looks', () => {
    // The result of 0 serves it at 66, the next one comes at 69, and it looks at 99; half a millisecond later it is too old at 66.5.
    const clock = { consumerPeriodUs: ms(33) };
    expect(supply(25, 22, true, { ...clock, phaseUs: ms(0) })).toEqual(['dispatch 2']);
    expect(supply(25, 22, true, { ...clock, phaseUs: ms(0.5) })).toEqual(['defer 2 by front']);
    expect(supply(25, 22, true, clock)).toEqual(['defer 2 by front']);
  });

  test('what is broken anyway holds nothing back', () => {
    const bench = new Bench({
      models: { front: 22, back: 25 },
      streams: { front: { class: 'protected', period: 33, deadline: 60, maxAge: 50 }, back: { class: 'best_effort' } },
      protectSupply: true,
    });
    bench.arrive(0, 'front');
    bench.complete(22, 1);
    // The next result cannot come before 55.
    expect(bench.arrive(22, 'back')).toEqual(['dispatch 2']);
  });
});
