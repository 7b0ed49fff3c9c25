import { describe, expect, test } from 'vitest';
import { Bench, ms } from './bench.js';

function busyWith(
  streams: ConstructorParameters<typeof Bench>[0]['streams'],
  models: ConstructorParameters<typeof Bench>[0]['models'] = {},
): Bench {
  const bench = new Bench({ models, streams: { hog: { class: 'protected' }, ...streams } });
  expect(bench.arrive(0, 'hog')).toEqual(['dispatch 1']);
  return bench;
}

describe('on arrival', () => {
  test('age + optimistic runtime == max age may still start', () => {
    const bench = new Bench({ streams: { s: { maxAge: 50 } } });
    expect(bench.arrive(40, 's', { capture: 0 })).toEqual(['dispatch 1']);
  });

  test('one microsecond more is stale, with the numbers of the test', () => {
    const bench = new Bench({ streams: { s: { maxAge: 50, deadline: 20 } } });
    expect(bench.arrive(40.001, 's', { capture: 0 })).toEqual(['end 1 stale/stale_on_arrival']);
    expect(bench.outcomeOf(1)).toEqual({
      type: 'terminate',
      request: 1,
      stream: 's',
      state: 'stale',
      cause: 'stale_on_arrival',
      ageUs: 40_001,
      waitingUs: 0,
      deadlineMissed: true,
      variant: 'only',
      why: { slackUs: 9_999, optimisticUs: 10_000, startUs: 40_001 },
    });
  });

  test('the fastest ready variant counts, not the best', () => {
    const models = { s: { variants: { large: { quality: 1, p50: 30 }, small: { quality: 0.5, p50: 5 } } } };
    const bench = busyWith({ s: { maxAge: 50 } }, models);
    expect(bench.arrive(45, 's', { capture: 0 })).toEqual([]);
    bench.ready(45, 's_small', false);
    expect(bench.last).toMatchObject([{ type: 'terminate', request: 2, cause: 'predicted_stale' }]);
  });

  test('never_fits when even a fresh frame on the fastest ready variant is too slow', () => {
    const models = { s: { variants: { large: { quality: 1, p50: 60 }, small: { quality: 0.5, p50: 50 } } } };
    const bench = new Bench({ models, streams: { s: { maxAge: 50 } } });
    expect(bench.arrive(0, 's')).toEqual(['dispatch 1']);
    bench.ready(1, 's_small', false);
    expect(bench.arrive(1, 's')).toEqual(['end 2 infeasible/never_fits']);
    expect(bench.outcomeOf(2)).toMatchObject({ variant: 'large', why: { optimisticUs: 60_000, slackUs: 50_000 } });
  });

  test('without a profile and without observations age alone ends frames', () => {
    const bench = new Bench({ models: { s: { variants: { only: {} } } }, streams: { s: { maxAge: 50 } } });
    expect(bench.arrive(50, 's', { capture: 0 })).toEqual(['dispatch 1']);
    expect(bench.arrive(60, 's', { capture: 9.999 })).toEqual(['end 2 stale/stale_on_arrival']);
  });
});

describe('while waiting', () => {
  test('a wake-up is armed for the instant a frame turns stale, and the frame ends there', () => {
    const bench = busyWith({ s: { maxAge: 50 } });
    bench.arrive(5, 's');
    expect(bench.wakeMs).toBe(45.001);
    expect(bench.tick(45)).toEqual([]);
    expect(bench.tick(45.001)).toEqual(['end 2 stale/predicted_stale']);
    expect(bench.outcomeOf(2)?.why).toEqual({ slackUs: 9_999, optimisticUs: 10_000, startUs: 45_001, blockedBy: 'calls of hog' });
  });

  test('64 frames turn stale together: 64 outcomes, in order of arrival', () => {
    const bench = busyWith({ s: { maxAge: 10, queue: { policy: 'fifo', capacity: 64 } } }, { s: { variants: { only: {} } } });
    for (let i = 0; i < 64; i += 1) expect(bench.arrive(0, 's')).toEqual([]);
    expect(bench.tick(11)).toEqual(Array.from({ length: 64 }, (_, i) => `end ${i + 2} stale/expired_waiting`));
    expect(bench.stream('s')).toMatchObject({ received: 64, waiting: 0, outcomes: { stale: 64 } });
  });

  test('the oldest capture turns stale first, wherever it stands in the queue', () => {
    const bench = busyWith({ s: { maxAge: 50, queue: { policy: 'fifo' } } });
    bench.arrive(10, 's', { capture: 9 });
    bench.arrive(10, 's', { capture: 2 });
    bench.arrive(10, 's', { capture: 5 });
    expect(bench.wakeMs).toBe(42.001);
    expect(bench.tick(45.5)).toEqual(['end 3 stale/predicted_stale', 'end 4 stale/predicted_stale']);
    expect(bench.wakeMs).toBe(49.001);
  });

  test('a wake-up is told once and again only when its instant changes; when nothing waits there is none', () => {
    const bench = busyWith({ s: { maxAge: 50, queue: { policy: 'fifo' } } });
    bench.arrive(5, 's');
    expect(bench.last).toEqual([{ type: 'wake', at: ms(45.001) }]);
    bench.arrive(6, 's');
    expect(bench.last).toEqual([]);
    bench.tick(7);
    expect(bench.last).toEqual([]);
    bench.tick(45.001);
    expect(bench.last).toMatchObject([{ type: 'terminate' }, { type: 'wake', at: ms(46.001) }]);
    bench.tick(46.001);
    expect(bench.last).toMatchObject([{ type: 'terminate' }]);
    bench.tick(46.002);
    expect(bench.last).toEqual([]);
  });

  test('the wake-up follows the frame that waits', () => {
    const bench = busyWith({ s: { maxAge: 50 } });
    bench.arrive(5, 's');
    bench.cancel(6, 2);
    bench.arrive(7, 's', { capture: 5.5 });
    expect(bench.wakeMs).toBe(45.501);
  });

  test('never_drop waits for ever and runs late', () => {
    const bench = busyWith({ s: { maxAge: 50, deadline: 20, queue: { policy: 'never_drop' } } });
    expect(bench.arrive(5, 's', { capture: -100 })).toEqual([]);
    expect(bench.tick(5000)).toEqual([]);
    expect(bench.wakeMs).toBeUndefined();
    expect(bench.complete(5001, 1)).toContain('dispatch 2');
    expect(bench.dispatchOf(2)?.why).toEqual({ slackUs: ms(-5051), plannedUs: ms(10), startUs: ms(5001) });
    expect(bench.complete(5011, 2)).toEqual(['end 2 obsolete/obsolete']);
  });

  test('a missed deadline is counted and drops nothing', () => {
    const bench = busyWith({ s: { maxAge: 50, deadline: 5 } });
    bench.arrive(1, 's');
    expect(bench.complete(20, 1)).toContain('dispatch 2');
    expect(bench.complete(30, 2)).toEqual(['end 2 delivered/delivered']);
    expect(bench.outcomeOf(2)?.deadlineMissed).toBe(true);
  });
});

describe('variants', () => {
  const models = { s: { variants: { middle: { quality: 0.7, p50: 10 }, best: { quality: 1, p50: 40 }, twin: { quality: 1, p50: 1 } } } };

  test('the best ready one, the first of equals', () => {
    const bench = new Bench({ models, streams: { s: { maxAge: 50 } } });
    bench.arrive(0, 's');
    expect(bench.dispatchOf(1)).toMatchObject({ variant: 'best', backendModel: 's_best', model: 's', backend: 'gpu' });
    bench.complete(10, 1);
    bench.ready(10, 's_best', false);
    bench.ready(10, 's_twin', false);
    bench.arrive(11, 's');
    expect(bench.dispatchOf(2)?.variant).toBe('middle');
  });

  test('one that could not be fresh any more is passed over', () => {
    const bench = new Bench({ models, streams: { s: { maxAge: 50 } } });
    bench.arrive(11, 's', { capture: 0 });
    expect(bench.dispatchOf(1)?.variant).toBe('twin');
  });
});

describe('a feasible stream is not shut out by what was once observed', () => {
  function slowed(): Bench {
    const bench = new Bench({ models: { s: { variants: { only: {} } } }, streams: { s: { maxAge: 50 } } });
    for (let i = 0; i < 16; i += 1) {
      bench.arrive(i * 100, 's');
      bench.complete(i * 100 + 60, i + 1);
    }
    return bench;
  }

  test('observed runtimes over max age refuse frames', () => {
    expect(slowed().arrive(1600, 's')).toEqual(['end 17 infeasible/never_fits']);
  });

  test('after a second without a run one frame puts them to the test', () => {
    const bench = slowed();
    expect(bench.arrive(2559, 's')).toEqual(['end 17 infeasible/never_fits']);
    expect(bench.arrive(2560, 's')).toEqual(['dispatch 18']);
  });

  test('a run as slow as before confirms them', () => {
    const bench = slowed();
    bench.arrive(2560, 's');
    bench.complete(2620, 17);
    expect(bench.arrive(2700, 's')).toEqual(['end 18 infeasible/never_fits']);
    expect(bench.arrive(3620, 's')).toEqual(['dispatch 19']);
  });

  test('a faster run refutes them', () => {
    const bench = slowed();
    bench.arrive(2560, 's');
    bench.complete(2600, 17);
    expect(bench.arrive(2700, 's')).toEqual(['dispatch 18']);
  });

  test('a failed run leaves the question open', () => {
    const bench = slowed();
    bench.arrive(2560, 's');
    bench.complete(2600, 17, 'failed');
    expect(bench.arrive(2700, 's')).toEqual(['dispatch 18']);
  });

  test('beside a neighbour too, where it is fast enough alone', () => {
    const bench = new Bench({
      backend: { slots: 2 },
      models: { s: { variants: { only: {} } } },
      streams: { hog: { queue: { policy: 'never_drop' } }, s: { maxAge: 50 } },
    });
    const run = (from: number, runtime: number): void => {
      for (let at = from; at < from + 1600; at += 100) {
        bench.arrive(at, 's');
        bench.complete(at + runtime, bench.last.find((action) => action.type === 'dispatch')?.request ?? 0);
      }
    };
    run(0, 10);
    bench.arrive(1600, 'hog');
    run(1600, 60);
    expect(bench.arrive(3200, 's')).toEqual([]);
    expect(bench.tick(3241)).toEqual(['end 34 stale/predicted_stale']);
    expect(bench.arrive(4159, 's')).toEqual([]);
    expect(bench.arrive(4160, 's')).toEqual(['end 35 superseded/newer_capture', 'dispatch 36']);
  });
});
