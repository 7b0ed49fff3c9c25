import { describe, expect, test } from 'vitest';
import type { CoreEvent } from '../../src/core/events.js';
import { Bench } from './bench.js';

const told = (instances: number): CoreEvent => ({ type: 'readiness', backend: 'gpu', backendModel: 'm_only', ready: true, instances });

describe('instances of a model', () => {
  test('are those the server tells', () => {
    const bench = new Bench({ backend: { slots: 2 }, models: { m: 10 }, streams: { a: { model: 'm' }, b: { model: 'm' } } });
    bench.send(0, told(1));
    bench.arrive(0, 'a');
    expect(bench.arrive(0, 'b')).toEqual([]);
    expect(bench.send(1, told(2))).toEqual(['dispatch 2']);
  });

  test('are those configured, whatever the server tells', () => {
    const models = { m: { instances: 2, variants: { only: { p50: 10 } } } };
    const bench = new Bench({ backend: { slots: 2 }, models, streams: { a: { model: 'm' }, b: { model: 'm' } } });
    bench.send(0, told(1));
    bench.arrive(0, 'a');
    expect(bench.arrive(0, 'b')).toEqual(['dispatch 2']);
  });
});

test('a stream is measured once every variant has a profile or enough observations', () => {
  const models = { m: { variants: { large: { p50: 10 }, small: {} } }, n: { variants: { only: {} } } };
  const bench = new Bench({ models, streams: { a: { model: 'm' }, b: { model: 'n' } } });
  expect(bench.stream('a')?.measured).toBe(false);
  for (let i = 0; i < 16; i += 1) {
    expect(bench.stream('b')?.measured).toBe(false);
    bench.arrive(i * 100, 'b');
    bench.complete(i * 100 + 5, i + 1);
  }
  expect(bench.stream('b')?.measured).toBe(true);
});
