import { describe, expect, test } from 'vitest';
import { DecisionCore } from '../../src/core/decision-core.js';
import { requestId } from '../../src/core/units.js';
import { Bench, configure, ms, type Setting } from './bench.js';

const two: Setting['streams'] = { a: { class: 'protected', model: 'm' }, b: { model: 'm' } };

describe('slots', () => {
  test('no more calls than slots', () => {
    const bench = new Bench({ backend: { slots: 2 }, streams: { a: {}, b: {}, c: {} } });
    expect(bench.arrive(0, 'a')).toEqual(['dispatch 1']);
    expect(bench.arrive(0, 'b')).toEqual(['dispatch 2']);
    expect(bench.arrive(0, 'c')).toEqual([]);
    expect(bench.backend()).toMatchObject({ slots: 2, inFlight: 2 });
    expect(bench.complete(9, 2)).toEqual(['end 2 delivered/delivered', 'dispatch 3']);
  });

  test('a model with fewer instances than slots leaves the other slots to other models', () => {
    const models = { m: { instances: 1, variants: { only: { p50: 10 } } } };
    const bench = new Bench({ backend: { slots: 2 }, models, streams: { ...two, c: {} } });
    bench.arrive(0, 'a');
    expect(bench.arrive(0, 'b')).toEqual([]);
    expect(bench.arrive(0, 'c')).toEqual(['dispatch 3']);
  });

  test('a duplicate completion gives no second credit', () => {
    const bench = new Bench({ streams: { s: { queue: { policy: 'fifo' } } } });
    for (let i = 0; i < 3; i += 1) bench.arrive(0, 's');
    expect(bench.complete(9, 1)).toEqual(['end 1 delivered/delivered', 'dispatch 2']);
    expect(bench.complete(9, 1)).toEqual([]);
    expect(bench.last).toHaveLength(0);
    expect(bench.backend()?.inFlight).toBe(1);
  });

  test('a completion of a request that waits, or that nobody knows, changes nothing', () => {
    const bench = new Bench({ streams: { s: { queue: { policy: 'fifo' } } } });
    bench.arrive(0, 's');
    bench.arrive(0, 's');
    expect(bench.complete(1, 2)).toEqual([]);
    expect(bench.complete(1, 77)).toEqual([]);
    expect(bench.stream('s')).toMatchObject({ waiting: 1, inFlight: 1 });
  });

  test('backends have slots of their own', () => {
    const { backends, models, streams } = configure({ streams: { a: {}, b: {} } });
    const core = new DecisionCore({
      backends: [...backends, { name: 'npu', slots: 1, pipeliningDepth: 0, noCorun: [] }],
      models: models.map((one) => (one.name === 'b' ? { ...one, backend: 'npu' } : one)),
      streams,
    });
    const now = ms(0);
    core.handle({ type: 'readiness', backend: 'gpu', backendModel: 'a_only', ready: true }, now);
    core.handle({ type: 'readiness', backend: 'npu', backendModel: 'b_only', ready: true }, now);
    for (const [i, stream] of ['a', 'b'].entries()) {
      const actions = core.handle({ type: 'arrival', request: requestId(i + 1), stream, capture: now, stampNs: 0n }, now);
      expect(actions).toMatchObject([{ type: 'dispatch', stream, backend: i === 0 ? 'gpu' : 'npu' }]);
    }
  });
});

describe('the extra credit', () => {
  const depth1: Setting = { backend: { pipeliningDepth: 1 }, models: { m: 10 }, streams: two };

  test('is used late: 2 ms before the optimistic end of the call it follows, until a round trip is measured', () => {
    const bench = new Bench(depth1);
    bench.arrive(0, 'a');
    expect(bench.arrive(1, 'b')).toEqual([]);
    expect(bench.wakeMs).toBe(8);
    expect(bench.tick(7.999)).toEqual([]);
    expect(bench.tick(8)).toEqual(['dispatch 2']);
    expect(bench.dispatchOf(2)?.why).toEqual({ slackUs: ms(993), optimisticUs: ms(10), plannedUs: ms(10), startUs: ms(10), follows: 1 });
    expect(bench.backend()?.inFlight).toBe(2);
  });

  test('by the measured round trip, and by the configured lead before that', () => {
    const measured = new Bench(depth1);
    measured.roundTrip(0, 5);
    measured.arrive(0, 'a');
    measured.arrive(1, 'b');
    expect(measured.wakeMs).toBe(5);
    const configured = new Bench({ ...depth1, backend: { pipeliningDepth: 1, pipeliningLeadUs: ms(3) } });
    configured.roundTrip(0, 5);
    configured.arrive(0, 'a');
    configured.arrive(1, 'b');
    expect(configured.wakeMs).toBe(7);
  });

  test('not at all where there is no round trip to hide, even when the call lasts longer than expected', () => {
    const measured = new Bench(depth1);
    measured.roundTrip(0, 0);
    const configured = new Bench({ ...depth1, backend: { pipeliningDepth: 1, pipeliningLeadUs: ms(0) } });
    for (const bench of [measured, configured]) {
      bench.arrive(0, 'a');
      bench.arrive(1, 'b');
      expect(bench.tick(10)).toEqual([]);
      expect(bench.tick(12)).toEqual([]);
      expect(bench.complete(13, 1)).toContain('dispatch 2');
    }
  });

  test('until then a newer frame wins', () => {
    const bench = new Bench(depth1);
    bench.arrive(0, 'a');
    bench.arrive(1, 'b');
    expect(bench.arrive(7, 'b')).toEqual(['end 2 superseded/newer_capture']);
    expect(bench.tick(8)).toEqual(['dispatch 3']);
  });

  test('is one only: nothing follows the follower', () => {
    const bench = new Bench({ ...depth1, streams: { ...two, c: { model: 'm' } } });
    bench.arrive(0, 'a');
    bench.arrive(1, 'b');
    bench.arrive(2, 'c');
    expect(bench.tick(9)).toEqual(['dispatch 2']);
    expect(bench.tick(9.5)).toEqual([]);
    expect(bench.complete(10, 1)).toEqual(['end 1 delivered/delivered']);
    expect(bench.wakeMs).toBe(18);
  });

  test('goes to no other model, which would start at once beside the running one', () => {
    const bench = new Bench({ ...depth1, streams: { ...two, other: {} } });
    bench.arrive(0, 'a');
    bench.arrive(1, 'other');
    expect(bench.tick(9)).toEqual([]);
    expect(bench.wakeMs).toBe(991.001);
  });

  test('goes to the most urgent that waits or to nobody: it takes the slot that the other waits for', () => {
    const bench = new Bench({ ...depth1, streams: { ...two, other: { class: 'protected' } } });
    bench.arrive(0, 'a');
    bench.arrive(1, 'b');
    bench.arrive(2, 'other');
    expect(bench.tick(9)).toEqual([]);
    expect(bench.complete(10, 1)).toEqual(['end 1 delivered/delivered', 'dispatch 3']);
  });

  test('waits until all instances are taken by calls of ours', () => {
    const bench = new Bench({
      backend: { slots: 2, pipeliningDepth: 1 },
      models: { m: 10 },
      streams: { ...two, c: { model: 'm' }, d: { model: 'm' }, other: { class: 'protected' } },
    });
    bench.arrive(0, 'other');
    bench.arrive(0, 'a');
    bench.arrive(1, 'b');
    expect(bench.tick(9)).toEqual([]);
    expect(bench.complete(9, 1)).toContain('dispatch 3');
    expect(bench.arrive(9, 'c')).toEqual(['dispatch 4']);
    expect(bench.dispatchOf(4)?.why.follows).toBe(2);
  });

  test('a model with more instances than slots never waits at the server', () => {
    const models = { m: { instances: 2, variants: { only: { p50: 10 } } } };
    const bench = new Bench({ ...depth1, models });
    bench.arrive(0, 'a');
    bench.arrive(1, 'b');
    expect(bench.tick(9.9)).toEqual([]);
  });

  test('a model with fewer instances than slots queues by the extra credit, and leaves the slot free', () => {
    const models = { m: { instances: 1, variants: { only: { p50: 10 } } } };
    const bench = new Bench({ backend: { slots: 2, pipeliningDepth: 1 }, models, streams: { ...two, other: {} } });
    bench.arrive(0, 'a');
    expect(bench.arrive(1, 'b')).toEqual([]);
    expect(bench.tick(8)).toEqual(['dispatch 2']);
    expect(bench.arrive(8, 'other')).toEqual(['dispatch 3']);
    expect(bench.backend()?.inFlight).toBe(3);
  });

  test('follows the instance that comes free first', () => {
    const bench = new Bench({ backend: { slots: 2, pipeliningDepth: 1 }, models: { m: 10 }, streams: { ...two, c: { model: 'm' } } });
    bench.arrive(0, 'a');
    bench.arrive(4, 'b');
    bench.arrive(5, 'c');
    expect(bench.tick(8)).toEqual(['dispatch 3']);
    expect(bench.dispatchOf(3)?.why).toMatchObject({ follows: 1, startUs: 10_000 });
  });

  test('with a depth of two the second follower starts after the first', () => {
    const bench = new Bench({
      backend: { pipeliningDepth: 2, pipeliningLeadUs: ms(15) },
      models: { m: 10 },
      streams: { ...two, c: { model: 'm' } },
    });
    bench.arrive(0, 'a');
    expect(bench.arrive(0, 'b')).toEqual(['dispatch 2']);
    expect(bench.arrive(1, 'c')).toEqual([]);
    expect(bench.wakeMs).toBe(5);
    expect(bench.tick(5)).toEqual(['dispatch 3']);
    expect(bench.dispatchOf(3)?.why).toMatchObject({ follows: 2, startUs: 20_000 });
  });

  test('behind an overdue call the predicted start is now', () => {
    const bench = new Bench(depth1);
    bench.arrive(0, 'a');
    bench.arrive(30, 'b');
    expect(bench.dispatchOf(2)?.why.startUs).toBe(30_000);
  });

  test('the freshness test uses the predicted start, and leaves the frame its chance until nothing can save it', () => {
    const bench = new Bench({ ...depth1, streams: { ...two, b: { model: 'm', maxAge: 18 } } });
    bench.arrive(0, 'a');
    bench.arrive(1, 'b');
    expect(bench.tick(8)).toEqual([]);
    expect(bench.complete(9, 1)).toEqual(['end 1 delivered/delivered', 'dispatch 2']);
  });

  test('nothing is sent behind a call that timed out: its end cannot be told', () => {
    const bench = new Bench({ backend: { slots: 2, pipeliningDepth: 1 }, models: { m: 10 }, streams: { ...two, c: { model: 'm' } } });
    bench.arrive(0, 'a');
    bench.arrive(0, 'b');
    bench.timeout(5, 1);
    bench.arrive(9, 'c');
    expect(bench.dispatchOf(3)).toBeUndefined();
    expect(bench.complete(9.5, 2)).toContain('dispatch 3');
  });

  test('nothing is sent behind a call whose runtime nobody has measured: late cannot be told', () => {
    const bench = new Bench({ ...depth1, models: { m: { variants: { only: {} } } } });
    bench.arrive(0, 'a');
    expect(bench.arrive(50, 'b')).toEqual([]);
    expect(bench.wakeMs).toBe(1050.001);
  });

  test('a depth of zero sends nothing ahead', () => {
    const bench = new Bench({ models: { m: 10 }, streams: two });
    bench.arrive(0, 'a');
    bench.arrive(1, 'b');
    expect(bench.tick(9.9)).toEqual([]);
  });
});

describe('who is sent ahead', () => {
  test('nobody in place of a more urgent one that waits for its newer frame, though a slot is free', () => {
    const bench = new Bench({
      backend: { slots: 2, pipeliningDepth: 1 },
      models: { m: { instances: 1, variants: { only: { p50: 30 } } } },
      streams: { a: { class: 'protected', model: 'm', period: 20 }, b: { model: 'm', queue: { policy: 'fifo' } } },
    });
    bench.arrive(0, 'b');
    bench.arrive(10, 'a');
    bench.arrive(11, 'b');
    expect(bench.tick(28)).toEqual([]);
    expect(bench.arrive(30, 'a')).toEqual(['end 2 superseded/newer_capture', 'dispatch 4']);
  });
});

describe('the extra credit and newer frames', () => {
  function sent(queue: 'latest' | 'fifo', transport: number): Bench {
    const streams: Setting['streams'] = { a: { class: 'protected', model: 'm' }, b: { model: 'm', period: 20, queue: { policy: queue } } };
    const bench = new Bench({ backend: { pipeliningDepth: 1 }, models: { m: 30 }, streams });
    bench.arrive(0, 'a');
    bench.arrive(10, 'b', { capture: 10 - transport });
    return bench;
  }

  test('not for a frame whose stream expects a newer one by the predicted start', () => {
    const bench = sent('latest', 5);
    expect(bench.tick(28)).toEqual([]);
    expect(bench.arrive(29.5, 'b')).toEqual(['end 2 superseded/newer_capture', 'dispatch 3']);
  });

  test('an overdue frame stays expected for as long as transport took, then it is given up', () => {
    const bench = sent('latest', 5);
    bench.tick(28);
    expect(bench.wakeMs).toBe(35.001);
    expect(bench.tick(35)).toEqual([]);
    expect(bench.tick(35.001)).toEqual(['dispatch 2']);
  });

  test('in a fifo nothing is replaced, so nothing is waited for', () => {
    expect(sent('fifo', 5).tick(28)).toEqual(['dispatch 2']);
  });
});

describe('no_corun', () => {
  const banned: Setting = {
    backend: { slots: 2, noCorun: [['a', 'b']] },
    streams: { a: { class: 'protected' }, b: { class: 'high' }, c: { class: 'normal' } },
  };

  test.each([
    ['a', 'b'],
    ['b', 'a'],
  ])('%s keeps %s out until its actual end, not the predicted one', (first, second) => {
    const bench = new Bench({ ...banned, models: { [first]: 5 } });
    bench.arrive(0, first);
    expect(bench.arrive(0, second)).toEqual([]);
    expect(bench.tick(6)).toEqual([]);
    expect(bench.complete(7, 1)).toEqual(['end 1 delivered/delivered', 'dispatch 2']);
  });

  test('the banned candidate does not block the one behind it', () => {
    const bench = new Bench(banned);
    bench.arrive(0, 'a');
    bench.arrive(0, 'b');
    expect(bench.arrive(0, 'c')).toEqual(['dispatch 3']);
  });

  test('a call that timed out still runs, for all we know', () => {
    const bench = new Bench({ ...banned, streams: { ...banned.streams, b: { class: 'high', maxAge: 100 } } });
    bench.arrive(0, 'a');
    bench.timeout(20, 1);
    expect(bench.arrive(21, 'b')).toEqual([]);
    expect(bench.tick(120)).toEqual(['end 2 stale/predicted_stale']);
    expect(bench.outcomeOf(2)?.why.blockedBy).toBe('no_corun: a is running');
    bench.arrive(121, 'b');
    expect(bench.complete(122, 1)).toEqual(['late 1', 'dispatch 3']);
  });

  test('a call that waits at the server counts as running', () => {
    const bench = new Bench({
      backend: { slots: 1, pipeliningDepth: 1, noCorun: [['m', 'x']] },
      models: { m: 10 },
      streams: { ...two, x: { class: 'protected' } },
    });
    bench.arrive(0, 'a');
    bench.arrive(8, 'b');
    expect(bench.dispatchOf(2)).toBeDefined();
    bench.arrive(9, 'x');
    expect(bench.complete(10, 1)).toEqual(['end 1 delivered/delivered']);
    expect(bench.complete(20, 2)).toContain('dispatch 3');
  });

  test('a model may run beside itself', () => {
    const bench = new Bench({ backend: { slots: 2, noCorun: [['m', 'x']] }, models: { m: 10 }, streams: { ...two, x: {} } });
    bench.arrive(0, 'a');
    expect(bench.arrive(0, 'b')).toEqual(['dispatch 2']);
  });
});
