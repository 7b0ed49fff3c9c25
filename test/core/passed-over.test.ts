/** What a start on a lesser variant says of the better one (src/core/passed-over.ts). */
import { describe, expect, test } from 'vitest';
import type { Why } from '../../src/core/actions.js';
import { Bench, type ModelShort, type Setting, type StreamShort } from './bench.js';
import { twoWaiting } from './two-waiting.js';

const BOTH: ModelShort = { variants: { large: { quality: 1, p50: 20 }, small: { quality: 0.5, p50: 5 } } };

function bench(stream: StreamShort, model: ModelShort = BOTH, setting: Partial<Setting> = {}): Bench {
  return new Bench({ models: { s: model }, streams: { s: stream }, ...setting });
}

type PassedOver = Pick<Why, 'passedOver' | 'passedOverFor' | 'passedOverPlannedUs' | 'passedOverWorth'>;

/** Of the newest start: which variant ran, and what is said of a better one. */
function newest(one: Bench): { readonly ran: string | undefined } & PassedOver {
  const dispatch = one.actions.findLast((action) => action.type === 'dispatch');
  const grounds = Object.entries(dispatch?.why ?? {}).filter(([key]) => key.startsWith('passedOver'));
  return { ran: dispatch?.variant, ...Object.fromEntries(grounds) };
}

function afterArrival(one: Bench, at: number, capture = at): ReturnType<typeof newest> {
  one.arrive(at, 's', { capture });
  return newest(one);
}

const large = (passedOverFor: Why['passedOverFor'], passedOverPlannedUs: number = 20_000) => ({
  ran: 'small',
  passedOver: 'large',
  passedOverFor,
  passedOverPlannedUs,
});

describe('nothing is said', () => {
  test('of a lesser one, though it is faster', () => {
    expect(afterArrival(bench({ deadline: 20 }), 0)).toEqual({ ran: 'large' });
  });

  test('of one as good', () => {
    const equal: ModelShort = { variants: { one: { p50: 9 }, other: { p50: 5 } } };
    expect(afterArrival(bench({ deadline: 8 }, equal), 0)).toEqual({ ran: 'other' });
  });

  test('of one that is not ready, or not approved', () => {
    const one = bench({ deadline: 20 });
    one.ready(0, 's_large', false);
    expect(afterArrival(one, 0)).toEqual({ ran: 'small' });
    expect(afterArrival(bench({ approved: ['small'] }), 0)).toEqual({ ran: 'small' });
  });
});

describe('in order', () => {
  test('the deadline', () => {
    expect(afterArrival(bench({ deadline: 20 }), 10, 9.999)).toEqual(large('deadline'));
  });

  test('the deadline, where none keeps it', () => {
    expect(afterArrival(bench({ deadline: 1 }), 0)).toEqual(large('deadline'));
  });

  test('the supply of the consumer', () => {
    expect(afterArrival(bench({ period: 50, deadline: 60, maxAge: 80 }), 100, 89.999)).toEqual(large('supply'));
  });

  test('max_age, before the deadline', () => {
    expect(afterArrival(bench({ deadline: 500, maxAge: 19 }), 0)).toEqual(large('max_age'));
  });

  test('the dwell', () => {
    const one = bench({ deadline: 20, dwell: 50 });
    expect(afterArrival(one, 10, 5)).toEqual(large('deadline'));
    one.complete(10, 1, 'failed');
    expect(afterArrival(one, 20)).toEqual(large('dwell'));
  });

  test('overload', () => {
    const streams = { s: { deadline: 100, minQuality: 0.5 }, bad: { class: 'high', deadline: 0.001 } } as const;
    const one = new Bench({ models: { s: BOTH, bad: 1 }, streams, overload: true });
    for (let at = 10, request = 1; at < 460; at += 10, request += 1) {
      one.arrive(at, 'bad');
      one.complete(at + 2, request);
    }
    expect(afterArrival(one, 470)).toEqual(large('overload'));
  });

  test('a frame of another stream, whose turn comes next', () => {
    expect(newest(twoWaiting(3))).toEqual(large('others', 9000));
  });

  test('a frame of a higher class that is expected', () => {
    const guard: StreamShort = { class: 'protected', period: 100, deadline: 5, maxAge: 50 };
    const one = new Bench({ models: { s: BOTH, guard: 4 }, streams: { s: {}, guard } });
    one.arrive(0, 'guard');
    one.complete(4, 1);
    expect(afterArrival(one, 90)).toEqual(large('others'));
  });
});

describe('under the plan', () => {
  const scheduling = { policy: 'planned', protectSupply: false } as const;

  test('what the time was worth with it, which is less', () => {
    const guard: StreamShort = { class: 'protected', period: 40, maxAge: 45 };
    const one = new Bench({ scheduling, models: { s: BOTH, guard: 4 }, streams: { s: { period: 40, maxAge: 200 }, guard } });
    for (const at of [0, 40]) {
      one.arrive(at, 'guard');
      one.complete(at + 4, one.actions.findLast((action) => action.type === 'dispatch')?.request ?? 0);
    }
    one.arrive(75, 's');
    const { passedOverWorth, ...rest } = newest(one);
    expect(rest).toEqual(large('worth'));
    const { why } = one.actions.findLast((action) => action.type === 'dispatch') ?? {};
    expect(passedOverWorth).toBeLessThan(why?.startWorth ?? Number.NaN);
  });

  test('its instance, where that is taken', () => {
    const streams = { s: { period: 40, maxAge: 200 }, other: { model: 's', approved: ['large'] } };
    const one = new Bench({ backend: { slots: 2 }, scheduling, models: { s: { ...BOTH, instances: 1 } }, streams });
    one.arrive(0, 'other');
    expect(afterArrival(one, 5)).toEqual(large('busy'));
  });

  test('max_age, where the better one is not weighed', () => {
    expect(afterArrival(bench({ period: 40, maxAge: 19 }, BOTH, { scheduling }), 0)).toEqual(large('max_age'));
  });
});

test('asking for the better one doubts nothing that was observed', () => {
  const one = new Bench({
    backend: { slots: 2 },
    scheduling: { policy: 'planned', protectSupply: false },
    models: { s: { ...BOTH, instances: 1 } },
    streams: {
      s: { maxAge: 60, deadline: 200, period: 40 },
      large: { model: 's', maxAge: 500, deadline: 500, approved: ['large'] },
      small: { model: 's', maxAge: 500, deadline: 500, approved: ['small'] },
    },
  });
  let request = 0;
  const arrive = (at: number, stream: string): number => {
    one.arrive(at, stream);
    request += 1;
    return request;
  };
  // Both run longer than their profiles say.
  for (let at = 0; at < 3200; at += 200) {
    one.complete(at + 100, arrive(at, 'large'));
    one.complete(at + 115, arrive(at + 100, 'small'));
  }
  const busy = arrive(5000, 'large');
  const lesser = arrive(5001, 's');
  expect(newest(one)).toEqual(large('max_age', expect.any(Number)));
  const other = arrive(5005, 'small');
  one.complete(5016, lesser);
  one.complete(5100, busy);
  expect(one.dispatchOf(lesser)?.why.optimisticUs).toBe(15_000);
  expect(one.dispatchOf(other)?.why.optimisticUs).toBe(15_000);
});

test('asking for the better one, whose instance is taken, changes nothing of the start', () => {
  const one = new Bench({
    backend: { slots: 2 },
    models: { s: { ...BOTH, instances: 1 } },
    streams: { s: { deadline: 15 }, other: { model: 's' } },
  });
  one.arrive(0, 'other');
  one.arrive(5, 's');
  expect(newest(one)).toMatchObject({ ran: 'small', passedOver: 'large' });
  expect(one.dispatchOf(2)?.why).toMatchObject({ startUs: 5000 });
  expect(one.dispatchOf(2)?.why).not.toHaveProperty('follows');
});
