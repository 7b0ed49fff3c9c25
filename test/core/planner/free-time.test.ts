import { expect, test } from 'vitest';
import { Bench, type StreamShort } from '../bench.js';

const PLANNED = { protectSupply: false, policy: 'planned' } as const;
const QUEUED: StreamShort = { class: 'best_effort', queue: { policy: 'fifo', capacity: 4 } };

/** Frames of `front` every 8 ms, of a background stream every `every` ms; calls run as long as their profile says, one at a time. */
function play(bench: Bench, runtimes: Readonly<Record<string, number>>, every: Readonly<Record<string, number>>, until: number): void {
  let running: { readonly id: number; readonly end: number } | undefined;
  for (let at = 0; at <= until; at += 0.5) {
    const step = (send: () => unknown) => {
      send();
      for (const action of bench.last)
        if (action.type === 'dispatch') running = { id: action.request, end: at + (runtimes[action.stream] ?? 0) };
    };
    const ended = running;
    if (ended !== undefined && ended.end <= at) {
      running = undefined;
      step(() => bench.complete(at, ended.id));
    }
    for (const [stream, period] of Object.entries(every)) if (at % period === 0) step(() => bench.arrive(at, stream));
    if (bench.wakeMs !== undefined && bench.wakeMs <= at) {
      bench.wakeMs = undefined;
      step(() => bench.tick(at));
    }
  }
}

const delivered = (bench: Bench, stream: string): number =>
  bench.actions.filter((action) => action.type === 'terminate' && action.stream === stream && action.state === 'delivered').length;

test('a frame that is waited for on purpose is not kept waiting by the background', () => {
  const bench = new Bench({
    scheduling: PLANNED,
    models: { front: 28, back: 8 },
    streams: { front: { class: 'protected', period: 8, deadline: 8, maxAge: 37 }, back: { ...QUEUED, maxAge: 5000 } },
  });
  play(bench, { front: 28, back: 8 }, { front: 8, back: 7 }, 1000);
  expect(delivered(bench, 'front')).toBeGreaterThan(20);
});

test('a queue whose frames have all grown old while one ran is served on', () => {
  const bench = new Bench({
    scheduling: PLANNED,
    models: { back: { variants: { only: { p50: 10, p99: 19 } } } },
    streams: { back: { ...QUEUED, period: 3, maxAge: 20 } },
  });
  play(bench, { back: 10 }, { back: 3 }, 1000);
  expect(delivered(bench, 'back')).toBeGreaterThan(50);
});

test('runs that took very different times keep nothing from being tried again', () => {
  const bench = new Bench({
    scheduling: PLANNED,
    models: { back: { variants: { only: {} } } },
    streams: { back: { class: 'best_effort', period: 3, maxAge: 19 } },
  });
  const runs = [6, 6, 6, 35, 6, 6, 6, 6, 6, 6, 35, 6, 6, 6, 6, 6];
  let at = 0;
  for (const [i, run] of runs.entries()) {
    bench.arrive(at, 'back');
    bench.complete(at + run, i + 1);
    at += 40;
  }
  bench.arrive(at, 'back');
  expect(bench.dispatchOf(runs.length + 1)).toBeDefined();
});
