import { expect, test } from 'vitest';
import { millis } from '../../src/core/units.js';
import { Bench } from './bench.js';

test('what waits ends, what runs goes on', () => {
  const bench = new Bench({ streams: { s: { queue: { policy: 'never_drop' } }, other: {} } });
  bench.arrive(0, 's');
  bench.arrive(1, 's');
  bench.arrive(2, 'other');
  expect(bench.plain(3, 'clock_jump')).toEqual(['end 2 cancelled/clock_jump', 'end 3 cancelled/clock_jump']);
  expect(bench.complete(10, 1)).toEqual(['end 1 delivered/delivered']);
});

test('an older capture is the newest again, even with a stamp that was seen', () => {
  const bench = new Bench({ streams: { s: {} } });
  bench.arrive(100, 's', { stampNs: 7n });
  bench.complete(110, 1);
  bench.plain(111, 'clock_jump');
  expect(bench.arrive(112, 's', { capture: 50, stampNs: 7n })).toEqual(['dispatch 2']);
});

test('nothing is expected any more, until a frame came', () => {
  const bench = new Bench({
    models: { camera: 5, job: 60 },
    streams: { camera: { class: 'protected', period: 50, deadline: 20 }, job: {} },
  });
  bench.arrive(0, 'camera');
  bench.complete(5, 1);
  bench.arrive(10, 'job');
  expect(bench.stream('job')?.waiting).toBe(1);
  bench.plain(11, 'clock_jump');
  expect(bench.arrive(12, 'job')).toEqual(['dispatch 3']);
});

test('runtimes stay known, missed cycles do not', () => {
  const missBudget = { maxMisses: 2, windowCycles: 10, maxConsecutive: 2 };
  const bench = new Bench({ streams: { s: { maxAge: 150, contract: { consumerPeriodUs: millis(100), phaseUs: millis(0), missBudget } } } });
  for (let id = 1; id <= 16; id += 1) {
    bench.arrive(id * 100, 's');
    bench.complete(id * 100 + 30, id);
  }
  bench.tick(2500);
  expect(bench.stream('s')?.weaklyHardMisses).toBeGreaterThan(0);
  bench.plain(2500, 'clock_jump');
  expect(bench.stream('s')?.weaklyHardMisses).toBe(0);
  bench.tick(2600);
  expect(bench.stream('s')?.weaklyHardMisses).toBe(1);
  bench.arrive(2601, 's');
  expect(bench.dispatchOf(17)?.why.optimisticUs).toBe(millis(30));
});
