import { describe, expect, test } from 'vitest';
import type { CoreConfiguration } from '../../src/core/configuration.js';
import { CoreError, type CoreErrorCode } from '../../src/core/core-error.js';
import { DecisionCore } from '../../src/core/decision-core.js';
import { requestId } from '../../src/core/units.js';
import { Bench, configure, ms } from './bench.js';

function codeOf(action: () => unknown): CoreErrorCode | undefined {
  try {
    action();
  } catch (error) {
    if (error instanceof CoreError) return error.code;
    throw error;
  }
  return undefined;
}

const good = configure({ models: { m: 10, n: 10 }, streams: { s: { model: 'm' } } });
const [backend] = good.backends;
const [m, n] = good.models;
const [s] = good.streams;
if (backend === undefined || m === undefined || n === undefined || s === undefined) throw new Error('the configuration is incomplete');

describe('a configuration is refused', () => {
  const faults: [string, CoreErrorCode, Partial<CoreConfiguration>][] = [
    ['two backends of one name', 'duplicate_name', { backends: [backend, backend] }],
    ['two models of one name', 'duplicate_name', { models: [m, m] }],
    ['two streams of one name', 'duplicate_name', { streams: [s, s] }],
    ['two variants of one name', 'duplicate_name', { models: [{ ...m, variants: [...m.variants, ...m.variants] }] }],
    ['a model on an unknown backend', 'unknown_reference', { models: [{ ...m, backend: 'tpu' }] }],
    ['a stream of an unknown model', 'unknown_reference', { streams: [{ ...s, model: 'x' }] }],
    ['a pair with an unknown model', 'unknown_reference', { backends: [{ ...backend, noCorun: [['m', 'x']] }] }],
    ['no slots', 'out_of_range', { backends: [{ ...backend, slots: 0 }] }],
    ['half a slot', 'out_of_range', { backends: [{ ...backend, slots: 1.5 }] }],
    ['a negative depth', 'out_of_range', { backends: [{ ...backend, pipeliningDepth: -1 }] }],
    ['no instances', 'out_of_range', { models: [{ ...m, instances: 0 }] }],
    ['no variants', 'out_of_range', { models: [{ ...m, variants: [] }] }],
    ['no room to wait', 'out_of_range', { streams: [{ ...s, queue: { ...s.queue, capacity: 0 } }] }],
    ['a pair of one model', 'contradiction', { backends: [{ ...backend, noCorun: [['m', 'm']] }] }],
    [
      'a pair across backends',
      'contradiction',
      {
        backends: [
          { ...backend, noCorun: [['m', 'n']] },
          { ...backend, name: 'npu' },
        ],
        models: [m, { ...n, backend: 'npu' }],
      },
    ],
    ['two counts of instances of one backend model', 'contradiction', { models: [m, { ...n, instances: 2, variants: m.variants }] }],
  ];
  test.each(faults)('%s', (_, code, fault) => {
    expect(codeOf(() => new DecisionCore({ ...good, ...fault }))).toBe(code);
  });

  test('and the good one is taken', () => {
    expect(codeOf(() => new DecisionCore(good))).toBeUndefined();
  });

  test('the text names the value and what would be right', () => {
    expect(() => new DecisionCore({ ...good, streams: [{ ...s, model: 'x' }] })).toThrow(
      'stream "s" names model "x", which is not among: m, n',
    );
  });
});

describe('an event is refused, and changes nothing', () => {
  const arrival = { type: 'arrival', request: requestId(2), stream: 's', capture: ms(10), stampNs: 2n } as const;
  const mistakes: [string, CoreErrorCode, (bench: Bench) => unknown][] = [
    ['time going backwards', 'time_backwards', (bench) => bench.tick(9.999)],
    ['an unknown stream', 'unknown_stream', (bench) => bench.send(20, { ...arrival, stream: 'x' })],
    ['an open id again', 'duplicate_request', (bench) => bench.send(20, { ...arrival, request: requestId(1) })],
    ['an unknown backend', 'unknown_backend', (bench) => bench.send(20, { type: 'round_trip', backend: 'x', p90: ms(1) })],
    [
      'readiness of an unknown backend',
      'unknown_backend',
      (bench) => bench.send(20, { type: 'readiness', backend: 'x', backendModel: 's_only', ready: true }),
    ],
    ['readiness of an unknown model', 'unknown_backend_model', (bench) => bench.ready(20, 'x', true)],
  ];
  test.each(mistakes)('%s', (_, code, mistake) => {
    const bench = new Bench({ streams: { s: {} } });
    bench.arrive(10, 's');
    const before = bench.core.snapshot();
    expect(codeOf(() => mistake(bench))).toBe(code);
    expect(bench.core.snapshot()).toEqual(before);
    expect(bench.tick(10)).toEqual([]);
  });

  test('an id of an ended request', () => {
    const bench = new Bench({ streams: { s: {} } }, { ready: false });
    bench.arrive(0, 's');
    expect(codeOf(() => bench.send(1, { ...arrival, request: requestId(1) }))).toBe('duplicate_request');
  });

  test('ids need not rise', () => {
    const bench = new Bench({ streams: { s: {} } });
    expect(bench.send(10, { ...arrival, request: requestId(9000) })).toEqual(['dispatch 9000']);
    expect(codeOf(() => bench.send(11, { ...arrival, request: requestId(3), capture: ms(11), stampNs: 3n }))).toBeUndefined();
  });
});
