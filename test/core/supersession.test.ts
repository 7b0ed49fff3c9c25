import { describe, expect, test } from 'vitest';
import { Bench } from './bench.js';

/** One stream `s` whose first frame occupies the slot. */
function busy(queue: NonNullable<ConstructorParameters<typeof Bench>[0]['streams'][string]['queue']> = {}, maxAge = 1000): Bench {
  const bench = new Bench({ streams: { s: { queue, maxAge } } });
  expect(bench.arrive(0, 's')).toEqual(['dispatch 1']);
  return bench;
}

describe('latest', () => {
  test('a newer capture replaces the waiting frame, and says which one took its place and who was running', () => {
    const bench = busy();
    bench.arrive(1, 's');
    expect(bench.arrive(2, 's')).toEqual(['end 2 superseded/newer_capture']);
    expect(bench.outcomeOf(2)).toMatchObject({ waitingUs: 1000, why: { supersededBy: 3, blockedBy: 'calls of s' } });
    expect(bench.stream('s')).toMatchObject({ received: 3, waiting: 1, inFlight: 1 });
  });

  test('an older capture that arrives late is refused, and the newer one keeps waiting', () => {
    const bench = busy();
    bench.arrive(5, 's', { capture: 4 });
    expect(bench.arrive(6, 's', { capture: 3 })).toEqual(['end 3 superseded/out_of_order']);
    expect(bench.complete(10, 1)).toContain('dispatch 2');
  });

  test('the mark stays when the newest frame runs, and when it has ended', () => {
    const bench = busy();
    expect(bench.arrive(1, 's', { capture: -1 })).toEqual(['end 2 superseded/out_of_order']);
    bench.complete(10, 1);
    expect(bench.arrive(11, 's', { capture: -1, stampNs: 7n })).toEqual(['end 3 superseded/out_of_order']);
  });

  test('an equal capture is not strictly newer', () => {
    const bench = busy();
    expect(bench.arrive(1, 's', { capture: 0, stampNs: 1n })).toEqual(['end 2 superseded/out_of_order']);
  });

  test('a repeated stamp is a duplicate even where the clocks place it a little later', () => {
    const bench = busy();
    expect(bench.arrive(1, 's', { capture: 0.003, stampNs: 0n })).toEqual(['end 2 superseded/duplicate_stamp']);
  });

  test('a stamp seen earlier than the one before it is out of order, not a duplicate', () => {
    const bench = busy();
    bench.arrive(1, 's');
    expect(bench.arrive(2, 's', { capture: 0 })).toEqual(['end 3 superseded/out_of_order']);
  });

  test('what is in flight is never superseded', () => {
    const bench = busy();
    expect(bench.arrive(1, 's')).toEqual([]);
    expect(bench.complete(10, 1)).toEqual(['end 1 delivered/delivered', 'dispatch 2']);
  });

  test('a frame refused as too old leaves no mark: it was never accepted', () => {
    const bench = busy({}, 50);
    bench.complete(10, 1);
    expect(bench.arrive(100, 's', { capture: 50 })).toEqual(['end 2 stale/stale_on_arrival']);
    expect(bench.arrive(101, 's', { capture: 70, stampNs: 1n })).toEqual(['dispatch 3']);
  });

  test('streams do not supersede each other', () => {
    const bench = new Bench({ streams: { a: {}, b: {}, c: {} } });
    bench.arrive(0, 'a');
    expect(bench.arrive(1, 'b')).toEqual([]);
    expect(bench.arrive(2, 'c')).toEqual([]);
  });
});

describe('fifo and never_drop', () => {
  test.each(['fifo', 'never_drop'] as const)('%s takes any order of capture and serves in order of arrival', (policy) => {
    const bench = new Bench({ streams: { s: { queue: { policy } } } });
    bench.arrive(10, 's', { capture: 10 });
    bench.arrive(11, 's', { capture: 11 });
    expect(bench.arrive(12, 's', { capture: 3 })).toEqual([]);
    expect(bench.complete(20, 1)).toContain('dispatch 2');
    expect(bench.complete(30, 2)).toContain('dispatch 3');
  });

  test.each(['fifo', 'never_drop'] as const)('%s takes a repeated stamp', (policy) => {
    const bench = busy({ policy });
    expect(bench.arrive(1, 's', { capture: 0 })).toEqual([]);
    expect(bench.stream('s')?.waiting).toBe(1);
  });

  test('a full fifo refuses the newcomer by default, and names what runs', () => {
    const bench = busy({ policy: 'fifo', capacity: 2 });
    bench.arrive(1, 's');
    bench.arrive(2, 's');
    expect(bench.arrive(3, 's')).toEqual(['end 4 infeasible/queue_full']);
    expect(bench.outcomeOf(4)?.why).toEqual({ blockedBy: 'calls of s' });
  });

  test('a full fifo that rejects the oldest makes room', () => {
    const bench = busy({ policy: 'fifo', capacity: 2, overflow: 'reject_oldest' });
    bench.arrive(1, 's');
    bench.arrive(2, 's');
    expect(bench.arrive(3, 's')).toEqual(['end 2 infeasible/overflow_oldest']);
    expect(bench.outcomeOf(2)?.why).toMatchObject({ supersededBy: 4 });
    expect(bench.complete(10, 1)).toContain('dispatch 3');
  });

  test('a full never_drop refuses the newcomer whatever its overflow says: what was accepted stays', () => {
    const bench = busy({ policy: 'never_drop', capacity: 1, overflow: 'reject_oldest' });
    bench.arrive(1, 's');
    expect(bench.arrive(2, 's')).toEqual(['end 3 infeasible/queue_full']);
  });

  test('frames that died since the last event do not fill the queue against a newcomer', () => {
    const bench = busy({ policy: 'fifo', capacity: 1 }, 50);
    bench.arrive(1, 's');
    expect(bench.arrive(60, 's')).toEqual(['end 2 stale/expired_waiting']);
    expect(bench.stream('s')).toMatchObject({ waiting: 1 });
  });
});
