import { expect, test } from 'vitest';
import { Bench, type StreamShort } from './bench.js';

/** Lets frames of all streams wait behind one that never may be dropped, then names the streams in the order in which they go. */
function served(streams: Record<string, StreamShort>, captures: Record<string, number>): string[] {
  const bench = new Bench({ streams: { hog: { class: 'protected', queue: { policy: 'never_drop' } }, ...streams } });
  bench.arrive(100, 'hog');
  for (const [name, capture] of Object.entries(captures)) bench.arrive(100, name, { capture });
  const order: string[] = [];
  for (let at = 110, running = 1; order.length < Object.keys(captures).length; at += 10) {
    bench.complete(at, running);
    const dispatch = bench.last.find((action) => action.type === 'dispatch');
    if (dispatch === undefined) throw new Error(`nothing started at ${at}`);
    order.push(dispatch.stream);
    running = dispatch.request;
  }
  return order;
}

test('class goes before deadline', () => {
  const streams: Record<string, StreamShort> = {
    a: { class: 'best_effort', deadline: 100 },
    b: { class: 'normal', deadline: 200 },
    c: { class: 'high', deadline: 300 },
    d: { class: 'protected', deadline: 400 },
  };
  expect(served(streams, { a: 99, b: 99, c: 99, d: 99 })).toEqual(['d', 'c', 'b', 'a']);
});

test('inside a class the earlier absolute deadline goes first, counted from capture', () => {
  expect(served({ a: { deadline: 300 }, b: { deadline: 310 } }, { a: 99, b: 80 })).toEqual(['b', 'a']);
});

test('of equal deadlines the older capture goes first', () => {
  expect(served({ a: { deadline: 300 }, b: { deadline: 310 } }, { a: 90, b: 80 })).toEqual(['b', 'a']);
});

test('of equal captures the stream name decides, whatever the order of configuration', () => {
  expect(served({ b: {}, a: {}, c: {} }, { c: 99, b: 99, a: 99 })).toEqual(['a', 'b', 'c']);
});

test('a fifo competes with its head, and again with the next one', () => {
  const bench = new Bench({
    streams: { hog: { class: 'protected' }, queue: { queue: { policy: 'fifo' }, deadline: 300 }, latest: { deadline: 300 } },
  });
  bench.arrive(100, 'hog');
  bench.arrive(101, 'queue');
  bench.arrive(102, 'latest');
  bench.arrive(103, 'queue');
  expect(bench.complete(110, 1)).toContain('dispatch 2');
  expect(bench.complete(120, 2)).toContain('dispatch 3');
  expect(bench.complete(130, 3)).toContain('dispatch 4');
});

test('one event may start several', () => {
  const bench = new Bench(
    { backend: { slots: 3 }, models: { m: 10 }, streams: { a: { model: 'm' }, b: { model: 'm' }, c: { model: 'm' } } },
    { ready: false },
  );
  bench.ready(0, 'm_only', true);
  bench.arrive(0, 'c');
  bench.arrive(0, 'a');
  expect(bench.arrive(0, 'b')).toEqual(['dispatch 3']);
});
