import { describe, expect, test } from 'vitest';
import { Bench, type ModelShort, type Setting, type StreamShort, type VariantShort } from './bench.js';
import { twoWaiting } from './two-waiting.js';

const BOTH = { large: { quality: 1, p50: 20 }, small: { quality: 0.5, p50: 5 } };

function bench(
  stream: StreamShort,
  variants: Readonly<Record<string, VariantShort>> = BOTH,
  more: Partial<Setting & ModelShort> = {},
): Bench {
  const { stateful = false, ...setting } = more;
  return new Bench({ models: { s: { variants, stateful } }, streams: { s: stream }, ...setting });
}

/** The variants of the frames that come at these instants and fail at once. */
function chosen(one: Bench, arrivals: readonly (number | readonly [at: number, capture: number])[]): (string | undefined)[] {
  return arrivals.map((arrival) => {
    const [at, capture] = typeof arrival === 'number' ? [arrival, arrival] : arrival;
    one.arrive(at, 's', { capture });
    const dispatch = one.last.find((action) => action.type === 'dispatch');
    if (dispatch !== undefined) one.complete(at, dispatch.request, 'failed');
    return dispatch?.variant;
  });
}

describe('under normal load', () => {
  test('the best that keeps the deadline', () => {
    expect(chosen(bench({ deadline: 20, dwell: 0 }), [0, [100, 100], [200, 199.999]])).toEqual(['large', 'large', 'small']);
  });

  test('before that, the best that keeps the supply: the result a period older is usable until then', () => {
    // A - T = 30: from an age of 10.001 on the large one would leave a gap.
    const stream: StreamShort = { period: 50, deadline: 60, maxAge: 80, dwell: 0 };
    expect(chosen(bench(stream), [0, [100, 90], [200, 189.999], [300, 260]])).toEqual(['large', 'large', 'small', 'large']);
  });

  test('if none keeps the deadline, the one measured as fastest, which runs late: not the one of the lowest quality', () => {
    const variants = { best: { quality: 1, p50: 10 }, worse: { quality: 0.1, p50: 20 } };
    expect(chosen(bench({ deadline: 1 }, variants), [0])).toEqual(['best']);
  });

  test('none that could not be fresh, whatever the deadline says', () => {
    expect(chosen(bench({ deadline: 500, maxAge: 19 }), [0])).toEqual(['small']);
  });

  test('by planned runtimes: the 99th percentile counts, not the median', () => {
    const variants = { large: { quality: 1, p50: 10, p99: 21 }, small: { quality: 0.5, p50: 5 } };
    expect(chosen(bench({ deadline: 20 }, variants), [0])).toEqual(['small']);
  });

  test('conversion of the message counts', () => {
    const variants = { large: { quality: 1, p50: 10, preprocess: 11 }, small: { quality: 0.5, p50: 5 } };
    expect(chosen(bench({ deadline: 20 }, variants), [0])).toEqual(['small']);
  });

  test('of equal quality, the first in the configuration', () => {
    expect(chosen(bench({}, { one: { p50: 9 }, other: { p50: 5 } }), [0])).toEqual(['one']);
  });
});

describe('what a contract allows', () => {
  test('an unapproved variant never runs, though it were the only one in time, or the only one ready', () => {
    const one = bench({ deadline: 10, approved: ['large'] });
    expect(chosen(one, [0])).toEqual(['large']);
    one.ready(10, 's_large', false);
    expect(one.arrive(20, 's')).toEqual(['end 2 infeasible/no_variant_ready']);
    expect(one.outcomeOf(2)?.why.blockedBy).toBe('backend gpu: not ready: s_large');
  });

  test('none below the minimum quality, though it were the only one in time', () => {
    expect(chosen(bench({ deadline: 10, minQuality: 0.6 }), [0])).toEqual(['large']);
  });

  test('freshness is judged by what may run: an unapproved fast one saves nothing', () => {
    expect(bench({ maxAge: 10, approved: ['large'] }).arrive(0, 's')).toEqual(['end 1 infeasible/never_fits']);
  });

  test.each([
    [{ approved: [] }, 'contradiction'],
    [{ approved: ['large', 'tiny'] }, 'unknown_reference'],
    [{ minQuality: 0.6, approved: ['small'] }, 'contradiction'],
  ] as const)('%o is refused', (contract, code) => {
    expect(() => bench(contract)).toThrow(expect.objectContaining({ code }));
  });
});

describe('nobody chooses', () => {
  const late: StreamShort = { deadline: 10 };

  test('while the source of a quality is unknown: the first approved one, in order of configuration', () => {
    const variants = { first: { quality: 0.2, p50: 20 }, second: { quality: 1, p50: 5, source: 'unknown' } } as const;
    expect(chosen(bench(late, variants), [0])).toEqual(['first']);
    expect(chosen(bench({ ...late, approved: ['second'] }, variants), [0])).toEqual(['second']);
  });

  test('for a stateful model, which refuses latest', () => {
    const more = { stateful: true };
    expect(chosen(bench({ ...late, queue: { policy: 'fifo' } }, BOTH, more), [0])).toEqual(['large']);
    expect(() => bench(late, BOTH, more)).toThrow(expect.objectContaining({ code: 'contradiction' }));
  });

  test('between variants with other inputs or outputs', () => {
    const one = bench(late);
    const tell = (at: number, backendModel: string, signature: string) =>
      one.send(at, { type: 'readiness', backend: 'gpu', backendModel, ready: true, signature });
    tell(0, 's_large', 'a');
    tell(0, 's_small', 'b');
    expect(chosen(one, [0])).toEqual(['large']);
    tell(10, 's_small', 'a');
    expect(chosen(one, [20])).toEqual(['small']);
  });

  test('and the one that stands for all has to be ready', () => {
    const one = bench(late, { first: { p50: 20, source: 'unknown' }, second: { p50: 5 } });
    one.ready(0, 's_first', false);
    expect(one.arrive(1, 's')).toEqual(['end 1 infeasible/no_variant_ready']);
  });
});

describe('dwell', () => {
  test('down at once, up only after it', () => {
    const one = bench({ deadline: 20, dwell: 50 });
    expect(chosen(one, [0, [10, 5], 20, [59.999, 59.999], 60])).toEqual(['large', 'small', 'small', 'small', 'large']);
  });

  test('100 ms where the contract says nothing', () => {
    expect(chosen(bench({ deadline: 20 }), [[10, 5], [109.999, 109.999], 110])).toEqual(['small', 'small', 'large']);
  });

  test('up at once where the held one breaks the deadline and the better one keeps it', () => {
    const variants = { best: { quality: 1, p50: 10 }, worse: { quality: 0.5, p50: 20 } };
    const one = bench({ deadline: 15, maxAge: 100, dwell: 1000 }, variants);
    one.ready(0, 's_best', false);
    expect(chosen(one, [10])).toEqual(['worse']);
    one.ready(20, 's_best', true);
    expect(chosen(one, [30])).toEqual(['best']);
  });

  test('only a real dispatch counts', () => {
    const one = bench({ deadline: 20, dwell: 50, queue: { policy: 'fifo' } });
    expect(chosen(one, [0])).toEqual(['large']);
    one.arrive(10, 's');
    one.arrive(11, 's', { capture: 0 });
    // While it waits the small one would be wanted; it is withdrawn, and nothing was held.
    one.cancel(12, 3);
    one.complete(13, 2, 'failed');
    expect(chosen(one, [20])).toEqual(['large']);
  });
});

test('from overload level 2 on the fastest runs, though the best were in time', () => {
  const one = new Bench({
    models: { s: { variants: BOTH }, bad: 1 },
    streams: { s: { deadline: 100, minQuality: 0.5 }, bad: { class: 'high', deadline: 0.001 } },
    overload: true,
  });
  const run = (at: number, stream: string): string | undefined => {
    one.arrive(at, stream);
    const dispatch = one.last.find((action) => action.type === 'dispatch');
    one.complete(at + 2, dispatch?.request ?? 0);
    return dispatch?.variant;
  };
  expect(run(0, 's')).toBe('large');
  for (let at = 10; at < 460; at += 10) run(at, 'bad');
  expect(
    one.actions
      .filter((action) => action.type === 'level')
      .map((action) => action.level)
      .slice(0, 2),
  ).toEqual([1, 2]);
  expect(run(470, 's')).toBe('small');
});

describe('several guarded frames at once', () => {
  const variantOfA = (bMs: number) => twoWaiting(bMs).dispatchOf(2)?.variant;

  test('A {9, 1} with D 10 does not push B {3} with D 11 over', () => {
    expect(variantOfA(3)).toBe('small');
  });

  test('but takes the better one where B is in time, or late either way', () => {
    expect(variantOfA(2)).toBe('large');
    expect(variantOfA(30)).toBe('large');
  });

  test('B counts with its own fastest variant', () => {
    const one = twoWaiting({ variants: { large: { quality: 1, p50: 8 }, small: { quality: 0.5, p50: 2 } } });
    expect(one.dispatchOf(2)?.variant).toBe('large');
    one.complete(9, 2);
    expect(one.dispatchOf(3)?.variant).toBe('small');
  });

  test('an expected one counts as one that waits', () => {
    const expectedAt = (period: number) => {
      const one = new Bench({
        models: { a: { variants: { large: { quality: 1, p50: 9 }, small: { quality: 0.5, p50: 1 } } }, b: 3 },
        streams: { a: { class: 'protected', deadline: 10 }, b: { class: 'high', deadline: 5, period } },
      });
      one.arrive(0, 'b');
      one.complete(3, 1);
      one.arrive(100, 'a');
      return one.dispatchOf(2)?.variant;
    };
    expect(expectedAt(105)).toBe('small');
    expect(expectedAt(107)).toBe('large');
  });
});

test('a plan that keeps a variant from being chosen is doubted after 10 s without a run of it', () => {
  const one = bench({ deadline: 40, dwell: 0, queue: { policy: 'fifo' } });
  const run = (at: number, runtime: number): string | undefined => {
    one.arrive(at, 's');
    const dispatch = one.last.find((action) => action.type === 'dispatch');
    one.complete(at + runtime, dispatch?.request ?? 0);
    return dispatch?.variant;
  };
  for (let i = 0; i < 16; i += 1) expect(run(i * 100, 45)).toBe('large');
  expect(run(1600, 5)).toBe('small');
  expect(run(11_540, 5)).toBe('small');
  expect(run(11_545, 20)).toBe('large');
  // It was as fast as the profile says: what was seen before is forgotten.
  expect(run(11_700, 20)).toBe('large');
});
