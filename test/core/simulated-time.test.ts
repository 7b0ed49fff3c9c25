/** What the core is told of runtimes while its time stands or leaps. */
import { expect, test } from 'vitest';
import type { Ran } from '../../src/core/events.js';
import { millis, requestId } from '../../src/core/units.js';
import { Bench } from './bench.js';

function complete(bench: Bench, atMs: number, id: number, ran?: { from: number; to: number }): string[] {
  const read: { ran?: Ran } = ran === undefined ? {} : { ran: { sentUs: millis(ran.from), endedUs: millis(ran.to) } };
  return bench.send(atMs, { type: 'completion', request: requestId(id), end: { result: 'ok' }, ...read });
}

/** Runtimes learned so far, in ms, rising. */
function learned(bench: Bench): number[] {
  return (bench.core.learned()[0]?.occupancies[0]?.runtimesUs ?? []).map((us) => us / 1000);
}

/** As many as a runtime is learned from. */
const CALLS = 8;

test.each([
  ['stands', 0, 20],
  ['leaps', 900, 20],
])('a runtime is what the call ran for, whatever the clock did meanwhile: it %s', (_, clockMs, ranMs) => {
  const bench = new Bench({ models: { s: { variants: { only: {} } } }, streams: { s: {} } });
  for (let id = 1; id <= CALLS; id += 1) {
    bench.arrive(id * 1000, 's');
    complete(bench, id * 1000 + clockMs, id, { from: 7 * id, to: 7 * id + ranMs });
  }
  expect(learned(bench)).toEqual(Array.from({ length: CALLS }, () => ranMs));
});

test('a call that followed another one ran from the end of that one', () => {
  const bench = new Bench({
    backend: { pipeliningDepth: 1, pipeliningLeadUs: millis(5) },
    streams: { s: { queue: { policy: 'never_drop' } } },
  });
  let sent = 0;
  for (let id = 1; id <= 2 * CALLS; id += 2) {
    const at = id * 100;
    bench.arrive(at, 's');
    bench.arrive(at + 1, 's');
    expect(bench.tick(at + 5)).toEqual([`dispatch ${id + 1}`]);
    sent += 1000;
    complete(bench, at + 10, id, { from: sent, to: sent + 30 });
    complete(bench, at + 20, id + 1, { from: sent + 25, to: sent + 60 });
  }
  expect(new Set(learned(bench))).toEqual(new Set([30]));
});

test('a call that followed one whose end was proven otherwise is measured by the clock of the core', () => {
  const bench = new Bench({
    backend: { pipeliningDepth: 1, pipeliningLeadUs: millis(5) },
    streams: { s: { queue: { policy: 'never_drop' } } },
  });
  for (let id = 1; id <= 2 * CALLS; id += 2) {
    const at = id * 100;
    bench.arrive(at, 's');
    bench.arrive(at + 1, 's');
    bench.tick(at + 5);
    bench.complete(at + 10, id, 'not_started');
    complete(bench, at + 22, id + 1, { from: 0, to: 500 });
  }
  expect(new Set(learned(bench))).toEqual(new Set([12]));
});

test('a floor counts what ran', () => {
  const minRuntime = { budgetUs: millis(100), windowUs: millis(1000), guarantee: 'firm' as const };
  const bench = new Bench({
    models: { floor: 60, plain: 10 },
    streams: { floor: { class: 'best_effort', queue: { policy: 'fifo' }, contract: { minRuntime } }, plain: {} },
  });
  bench.arrive(0, 'floor');
  complete(bench, 1, 1, { from: 0, to: 150 });
  bench.arrive(2, 'plain');
  bench.arrive(3, 'floor');
  bench.arrive(4, 'plain');
  expect(bench.complete(12, 2)).toContain('dispatch 4');
});
