import { describe, expect, test } from 'vitest';
import { Bench, ms, type Setting } from './bench.js';

const one: Setting = { streams: { s: { maxAge: 100, deadline: 50, queue: { policy: 'fifo' } } } };

function running(setting = one): Bench {
  const bench = new Bench(setting);
  bench.arrive(5, 's', { capture: 0 });
  return bench;
}

describe('an answer', () => {
  test('of exactly max age is delivered, with its times', () => {
    const bench = running();
    expect(bench.complete(100, 1)).toEqual(['end 1 delivered/delivered']);
    expect(bench.outcomeOf(1)).toEqual({
      type: 'terminate',
      request: 1,
      stream: 's',
      state: 'delivered',
      cause: 'delivered',
      ageUs: 100_000,
      waitingUs: 0,
      serviceUs: 95_000,
      deadlineMissed: true,
      variant: 'only',
      why: { slackUs: 0 },
    });
  });

  test('a microsecond later is obsolete', () => {
    const bench = running();
    expect(bench.complete(100.001, 1)).toEqual(['end 1 obsolete/obsolete']);
    expect(bench.outcomeOf(1)?.why).toEqual({ slackUs: -1 });
  });

  test('at the deadline misses nothing', () => {
    const bench = running();
    bench.complete(50, 1);
    expect(bench.outcomeOf(1)?.deadlineMissed).toBe(false);
  });

  test('waiting and service add up from arrival to the end', () => {
    const bench = running();
    bench.arrive(6, 's');
    bench.complete(16, 1);
    bench.complete(30, 2);
    expect(bench.outcomeOf(2)).toMatchObject({ ageUs: 24_000, waitingUs: 10_000, serviceUs: 14_000 });
  });
});

describe('a failed call', () => {
  test.each(['failed', 'not_counted', 'not_started'] as const)('%s gives its credit back, and is not tried again', (end) => {
    const bench = running();
    bench.arrive(6, 's');
    expect(bench.complete(7, 1, end)).toContain('dispatch 2');
    expect(bench.backend()).toMatchObject({ inFlight: 1, held: 0 });
    expect(bench.outcomeOf(1)?.state).toBe('backend_failed');
  });

  test('of unknown fate keeps its credit until something proves its end', () => {
    const bench = running({ ...one, backend: { slots: 2 } });
    expect(bench.complete(7, 1, 'unknown')).toEqual(['end 1 backend_failed/execution_unknown', 'poll s_only every 250']);
    expect(bench.backend()).toMatchObject({ inFlight: 1, held: 1, leases: { awaiting_baseline: 1 } });
    expect(bench.complete(8, 1)).toEqual([]);
    expect(bench.timeout(9, 1)).toEqual([]);
    expect(bench.backend()).toMatchObject({ inFlight: 1, held: 1, lateAnswers: 0 });
  });
});

describe('a time-out', () => {
  test('answers the requester and keeps the credit until the call ends', () => {
    const bench = running({ ...one, backend: { slots: 2 } });
    expect(bench.timeout(60, 1)).toEqual(['end 1 backend_timeout/no_answer']);
    expect(bench.outcomeOf(1)).toMatchObject({ serviceUs: 55_000, deadlineMissed: true, variant: 'only' });
    expect(bench.stream('s')).toMatchObject({ inFlight: 0, outcomes: { backend_timeout: 1 } });
    expect(bench.backend()).toMatchObject({ inFlight: 1, held: 1, quarantined: 0 });
    expect(bench.complete(70, 1)).toEqual(['late 1']);
    expect(bench.last).toEqual([{ type: 'late_answer', request: 1, backend: 'gpu' }]);
    expect(bench.backend()).toMatchObject({ inFlight: 0, held: 0, lateAnswers: 1 });
    expect(bench.complete(71, 1)).toEqual([]);
  });

  test.each(['failed', 'not_counted', 'not_started'] as const)('then %s frees the slot too', (end) => {
    const bench = running();
    bench.timeout(60, 1);
    expect(bench.complete(70, 1, end)).toEqual(['late 1']);
    expect(bench.backend()?.inFlight).toBe(0);
  });

  test('then an unknown end keeps it on', () => {
    const bench = running({ ...one, backend: { slots: 2 } });
    bench.timeout(60, 1);
    expect(bench.complete(70, 1, 'unknown')).toEqual(['poll s_only every 250']);
    expect(bench.backend()).toMatchObject({ held: 1, leases: { awaiting_baseline: 1 } });
    expect(bench.complete(80, 1)).toEqual([]);
  });

  test('counts once, and only in flight', () => {
    const bench = running();
    bench.arrive(6, 's');
    expect(bench.timeout(7, 2)).toEqual([]);
    bench.timeout(60, 1);
    expect(bench.timeout(61, 1)).toEqual([]);
    expect(bench.timeout(61, 99)).toEqual([]);
  });
});

describe('every slot held', () => {
  const two: Setting = {
    backend: { slots: 2, pipeliningDepth: 1 },
    models: { m: 10 },
    streams: { a: { model: 'm' }, b: { model: 'm' }, c: { model: 'm' } },
  };

  test('two hanging calls on two slots: what waits and what comes is refused at once, until one answers', () => {
    const bench = new Bench(two);
    bench.arrive(0, 'a');
    bench.arrive(0, 'b');
    bench.arrive(1, 'c');
    expect(bench.timeout(5, 1)).toEqual(['end 1 backend_timeout/no_answer']);
    expect(bench.timeout(6, 2)).toEqual(['end 2 backend_timeout/no_answer', 'end 3 infeasible/slots_quarantined']);
    expect(bench.arrive(7, 'c')).toEqual(['end 4 infeasible/slots_quarantined']);
    expect(bench.outcomeOf(4)?.why).toEqual({ blockedBy: 'backend gpu: 2 of 2 slots held by calls without a proven end' });
    expect(bench.complete(8, 1)).toEqual(['late 1']);
    expect(bench.arrive(9, 'c')).toEqual(['dispatch 5']);
  });

  test('a call of unknown fate counts like one that hangs', () => {
    const bench = new Bench(two);
    bench.arrive(0, 'a');
    bench.arrive(0, 'b');
    bench.complete(5, 1, 'unknown');
    bench.complete(5, 2, 'unknown');
    expect(bench.arrive(7, 'c')).toEqual(['end 3 infeasible/slots_quarantined']);
  });
});

describe('readiness', () => {
  test('nothing is ready at first, and an arrival says what is missing', () => {
    const bench = new Bench(one, { ready: false });
    expect(bench.arrive(0, 's')).toEqual(['end 1 infeasible/no_variant_ready']);
    expect(bench.outcomeOf(1)?.why).toEqual({ blockedBy: 'backend gpu: not ready: s_only' });
    bench.ready(1, 's_only', true);
    expect(bench.arrive(2, 's')).toEqual(['dispatch 2']);
  });

  test('lost, it ends what waits, never_drop included; what runs may finish', () => {
    const bench = new Bench({ streams: { s: { queue: { policy: 'never_drop' } }, t: {} } });
    bench.arrive(0, 's');
    bench.arrive(0, 's');
    bench.arrive(0, 't');
    expect(bench.ready(1, 's_only', false)).toEqual(['end 2 infeasible/no_variant_ready']);
    expect(bench.complete(9, 1)).toEqual(['end 1 delivered/delivered', 'dispatch 3']);
  });

  test('models of one name at the server are ready together', () => {
    const bench = new Bench({ models: { m: 10 }, streams: { a: { model: 'm' }, b: { model: 'm' } } });
    bench.arrive(0, 'a');
    bench.arrive(0, 'b');
    expect(bench.ready(1, 'm_only', false)).toEqual(['end 2 infeasible/no_variant_ready']);
  });
});

describe('withdrawal and drain', () => {
  test('a cancelled request that waits is never sent', () => {
    const bench = running();
    bench.arrive(6, 's');
    bench.arrive(7, 's');
    expect(bench.cancel(8, 2)).toEqual(['end 2 cancelled/withdrawn']);
    expect(bench.complete(10, 1)).toContain('dispatch 3');
    expect(bench.dispatchOf(2)).toBeUndefined();
  });

  test('one in flight, ended or unknown ends by itself', () => {
    const bench = running();
    expect(bench.cancel(6, 1)).toEqual([]);
    expect(bench.complete(10, 1)).toEqual(['end 1 delivered/delivered']);
    expect(bench.cancel(11, 1)).toEqual([]);
    expect(bench.cancel(11, 42)).toEqual([]);
  });

  test('a drain ends what waits and refuses what comes; what runs may finish; resume serves again', () => {
    const bench = running();
    bench.arrive(6, 's');
    expect(bench.plain(7, 'drain')).toEqual(['end 2 cancelled/shutdown']);
    expect(bench.arrive(8, 's')).toEqual(['end 3 cancelled/shutdown']);
    expect(bench.complete(10, 1)).toEqual(['end 1 delivered/delivered']);
    bench.plain(11, 'resume');
    expect(bench.arrive(12, 's')).toEqual(['dispatch 4']);
  });

  test('at the limit what is in flight gets its outcome; its credit stays held until the answer', () => {
    const bench = running({ ...one, backend: { slots: 2 } });
    bench.arrive(6, 's');
    bench.timeout(7, 1);
    bench.plain(8, 'drain');
    expect(bench.plain(9, 'drain_limit')).toEqual(['end 2 cancelled/drain_limit']);
    expect(bench.backend()).toMatchObject({ inFlight: 2, held: 2 });
    bench.plain(10, 'resume');
    expect(bench.complete(11, 2)).toEqual(['late 2']);
    expect(bench.arrive(12, 's')).toEqual(['dispatch 3']);
  });
});

test('an event from which nothing follows allocates no answer', () => {
  const bench = running();
  bench.arrive(6, 's');
  bench.tick(7);
  const first = bench.last;
  bench.tick(8);
  expect(bench.last).toBe(first);
  expect(Object.isFrozen(first)).toBe(true);
});

test('the time of the last event may be repeated', () => {
  const bench = running();
  expect(bench.core.handle({ type: 'tick' }, ms(5))).toEqual([]);
});
