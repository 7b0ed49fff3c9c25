import { describe, expect, test } from 'vitest';
import { CAUSES, type Cause } from '../../src/core/catalogue.js';
import { Bench, cooperative } from './bench.js';

/** The shortest way to each cause that the core decides; each gives the id that must end so. */
const WAYS: Partial<Record<Cause, () => readonly [Bench, number]>> = {
  delivered: () => {
    const bench = running();
    bench.complete(10, 1);
    return [bench, 1];
  },
  obsolete: () => {
    const bench = running();
    bench.complete(51, 1);
    return [bench, 1];
  },
  newer_capture: () => {
    const bench = running();
    bench.arrive(1, 's');
    bench.arrive(2, 's');
    return [bench, 2];
  },
  out_of_order: () => {
    const bench = running();
    bench.arrive(1, 's', { capture: -1 });
    return [bench, 2];
  },
  duplicate_stamp: () => {
    const bench = running();
    bench.arrive(1, 's', { capture: 0 });
    return [bench, 2];
  },
  stale_on_arrival: () => {
    const bench = waiting();
    bench.arrive(100, 's', { capture: 59 });
    return [bench, 1];
  },
  expired_waiting: () => {
    const bench = running();
    bench.arrive(1, 's');
    bench.tick(60);
    return [bench, 2];
  },
  predicted_stale: () => {
    const bench = running();
    bench.arrive(1, 's');
    bench.tick(45);
    return [bench, 2];
  },
  queue_full: () => {
    const bench = running({ policy: 'fifo', capacity: 1 });
    bench.arrive(1, 's');
    bench.arrive(2, 's');
    return [bench, 3];
  },
  overflow_oldest: () => {
    const bench = running({ policy: 'fifo', capacity: 1, overflow: 'reject_oldest' });
    bench.arrive(1, 's');
    bench.arrive(2, 's');
    return [bench, 2];
  },
  admission: () => overloaded(3),
  protected_only: () => overloaded(4),
  no_variant_ready: () => {
    const bench = waiting();
    bench.ready(0, 's_only', false);
    bench.arrive(0, 's');
    return [bench, 1];
  },
  slots_quarantined: () => {
    const bench = running();
    bench.timeout(30, 1);
    bench.arrive(31, 's');
    return [bench, 2];
  },
  never_fits: () => {
    const bench = new Bench({ models: { s: 51 }, streams: { s: { maxAge: 50 } } });
    bench.arrive(0, 's');
    return [bench, 1];
  },
  withdrawn: () => {
    const bench = running();
    bench.arrive(1, 's');
    bench.cancel(2, 2);
    return [bench, 2];
  },
  shutdown: () => {
    const bench = running();
    bench.arrive(1, 's');
    bench.plain(2, 'drain');
    return [bench, 2];
  },
  clock_jump: () => {
    const bench = running();
    bench.arrive(1, 's');
    bench.plain(2, 'clock_jump');
    return [bench, 2];
  },
  drain_limit: () => {
    const bench = running();
    bench.plain(1, 'drain');
    bench.plain(2, 'drain_limit');
    return [bench, 1];
  },
  no_answer: () => {
    const bench = running();
    bench.timeout(30, 1);
    return [bench, 1];
  },
  rejected_by_server: () => {
    const bench = running();
    bench.complete(10, 1, 'not_counted');
    return [bench, 1];
  },
  unavailable: () => {
    const bench = running();
    bench.complete(10, 1, 'not_started');
    return [bench, 1];
  },
  execution_unknown: () => {
    const bench = running();
    bench.complete(10, 1, 'unknown');
    return [bench, 1];
  },
  model_error: () => failing('model_error'),
  bad_output: () => failing('bad_output'),
  response_too_large: () => failing('response_too_large'),
  chain_broken: failsAfterOneQuantum,
};

/** Ended before the core hears of them. */
const ELSEWHERE: readonly Cause[] = ['inactive', 'no_clock'];

type Queue = NonNullable<ConstructorParameters<typeof Bench>[0]['streams'][string]['queue']>;

function waiting(queue: Queue = {}): Bench {
  return new Bench({ models: { s: 10 }, streams: { s: { maxAge: 50, queue } } });
}

function running(queue: Queue = {}): Bench {
  const bench = waiting(queue);
  expect(bench.arrive(0, 's')).toEqual(['dispatch 1']);
  return bench;
}

/** A best-effort request at this overload level. */
function overloaded(level: number): readonly [Bench, number] {
  const bench = new Bench({
    overload: true,
    streams: { s: { class: 'best_effort' }, guarded: { class: 'high', queue: { policy: 'fifo' }, maxAge: 50 } },
  });
  for (let step = 1; step <= level; step += 1) {
    bench.arrive(step * 200, 'guarded', { capture: 0 });
    bench.arrive(step * 200, 'guarded', { capture: 0 });
  }
  expect(bench.backend()?.overloadLevel).toBe(level);
  const id = 2 * level + 1;
  bench.arrive(level * 200 + 1, 's');
  return [bench, id];
}

function failing(cause: 'model_error' | 'bad_output' | 'response_too_large'): readonly [Bench, number] {
  const bench = running();
  bench.complete(10, 1, { result: 'failed', cause });
  return [bench, 1];
}

/** The second call of a request that generates. */
function failsAfterOneQuantum(): readonly [Bench, number] {
  const model = { cooperative: cooperative({ base: 10 }), variants: { only: {} } };
  const bench = new Bench({ models: { s: model }, streams: { s: { queue: { policy: 'fifo' } } } });
  bench.arrive(0, 's', { prompt: { maxTokens: 8 } });
  bench.complete(18, 1, { result: 'ok', generated: { tokens: 5, finished: false } });
  bench.complete(31, 1, 'failed');
  return [bench, 1];
}

describe('each cause has a shortest way to it', () => {
  test.each(Object.entries(WAYS))('%s', (cause, way) => {
    const [bench, id] = way();
    const ends = bench.actions.filter((action) => action.type === 'terminate' && action.request === id);
    expect(ends).toMatchObject([{ cause, state: CAUSES[cause as Cause].state }]);
  });

  test('and the causes without one are those that end before the core', () => {
    const left = (Object.keys(CAUSES) as Cause[]).filter((cause) => CAUSES[cause].state !== 'invalid' && WAYS[cause] === undefined);
    expect(left).toEqual(ELSEWHERE);
  });
});
