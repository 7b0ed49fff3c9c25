import { describe, expect, test } from 'vitest';
import { Bench } from './bench.js';

const oneInstance = { m: { instances: 1, variants: { only: { p50: 10 } } } };
const setting = { backend: { slots: 2, pipeliningDepth: 1 }, models: oneInstance };

describe('held calls on every instance of a model, while the backend has a slot', () => {
  test('end what waits and what comes, and leave other models alone', () => {
    const bench = new Bench({ ...setting, streams: { s: { model: 'm', queue: { policy: 'never_drop' } }, other: {} } });
    bench.arrive(0, 's');
    bench.arrive(1, 's');
    expect(bench.complete(5, 1, 'unknown')).toEqual([
      'end 1 backend_failed/execution_unknown',
      'poll m_only every 250',
      'end 2 infeasible/slots_quarantined',
    ]);
    expect(bench.arrive(6, 's')).toEqual(['end 3 infeasible/slots_quarantined']);
    expect(bench.arrive(7, 'other')).toEqual(['dispatch 4']);
  });

  test('are over when a late answer comes', () => {
    const bench = new Bench({ ...setting, streams: { s: { model: 'm' } } });
    bench.arrive(0, 's');
    bench.timeout(50, 1);
    expect(bench.arrive(60, 's')).toEqual(['end 2 infeasible/slots_quarantined']);
    expect(bench.complete(70, 1)).toEqual(['late 1']);
    expect(bench.arrive(80, 's')).toEqual(['dispatch 3']);
  });

  test('leave the other variants to run on', () => {
    const models = { m: { instances: 1, variants: { large: { p50: 10, quality: 1 }, small: { p50: 5, quality: 0.5 } } } };
    const bench = new Bench({ ...setting, models, streams: { s: { model: 'm' } } });
    bench.arrive(0, 's');
    bench.complete(5, 1, 'unknown');
    bench.arrive(6, 's');
    expect(bench.dispatchOf(2)?.variant).toBe('small');
  });
});
