import { describe, expect, test } from 'vitest';
import type { SchedulingConfiguration } from '../../src/core/configuration.js';
import type { CoreEvent } from '../../src/core/events.js';
import { Bench } from './bench.js';
import { POLICIES } from './policies.js';

/**
 * One guarded `latest` stream beside background work that always waits, on one slot: whatever is started for the background, a result of
 * the stream is never older than bounded, nor is its consumer without for longer (scenarios.md 3, bounded age). All in ms.
 */
interface Case {
  readonly period: number;
  readonly deadline: number;
  readonly jitter: number;
  readonly transport: number;
  readonly runtime: number;
  readonly background: number;
  readonly every: number;
}

/** VIG_LONG_GRID=1: a finer grid and longer runs; half an hour and more. */
const LONG = process.env['VIG_LONG_GRID'] === '1';
const END = LONG ? 3000 : 500;
const SEEDS = [1, 2, 3, 4, 5];

const AXES = LONG
  ? {
      period: [20, 25, 33, 50],
      share: [0.5, 0.6, 0.7, 0.8, 0.9, 1],
      jitter: [0, 1, 2, 3],
      transport: [0, 2],
      runtime: [2, 4, 9, 14],
      background: [6, 12, 30, 46, 90, 200],
      every: [5, 17, 61],
    }
  : {
      period: [20, 33],
      share: [0.6, 0.8, 1],
      jitter: [0, 1, 3],
      transport: [2],
      runtime: [4, 9],
      background: [12, 46, 90],
      every: [5, 61],
    };

const GRID: readonly Case[] = AXES.period.flatMap((period) =>
  AXES.share.flatMap((share) =>
    AXES.jitter.flatMap((jitter) =>
      AXES.transport.flatMap((transport) =>
        AXES.runtime.flatMap((runtime) =>
          AXES.background.flatMap((background) =>
            AXES.every.map((every) => ({ period, deadline: round(share * period), jitter, transport, runtime, background, every })),
          ),
        ),
      ),
    ),
  ),
);

/** The bound holds where the stream alone fits its period and its deadline. */
const premise = ({ period, deadline, jitter, transport, runtime }: Case): boolean =>
  runtime + transport <= deadline && runtime + 2 * jitter <= period && deadline + 2 * jitter < period + runtime + transport;

/** Captures at the ends of their jitter as the bits of a linear congruential generator fall, the same in each run. */
function capturesOf({ period, jitter }: Case, seed: number): number[] {
  let state = seed;
  return Array.from({ length: Math.floor(END / period) }, (_, k) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    const at = k * period + jitter * ([-1, -1, 0, 1, 1][(state >> 16) % 5] ?? 0);
    return Math.max(0, Math.round(at * 1000) / 1000);
  });
}

interface Delivery {
  readonly at: number;
  readonly capture: number;
}

function play(one: Case, seed: number, scheduling: SchedulingConfiguration): Delivery[] {
  const { period, deadline, jitter, transport, runtime, background, every } = one;
  const bench = new Bench({
    scheduling,
    models: { front: runtime, back: background },
    streams: {
      front: { class: 'protected', period, deadline, maxAge: 2 * period, jitter },
      back: { class: 'best_effort', maxAge: 10_000, queue: { policy: 'fifo', capacity: 1000 } },
    },
  });
  const front = capturesOf(one, seed).map((capture) => ({ at: capture + transport, stream: 'front', capture }));
  // From when the stream has been seen on: before that nothing is expected.
  const instants = Array.from({ length: Math.floor(END / every) }, (_, k) => (k + 1) * every);
  const back = instants.map((at) => ({ at, stream: 'back', capture: at }));
  const arrivals = [...front, ...back].sort((a, b) => a.at - b.at);
  const captures = new Map<number, number>();
  const deliveries: Delivery[] = [];
  let running: { id: number; end: number } | undefined;
  for (let next = 0, id = 0; ; ) {
    const arrivalAt = arrivals[next]?.at ?? Number.POSITIVE_INFINITY;
    const wakeAt = bench.wakeMs ?? Number.POSITIVE_INFINITY;
    const now = Math.min(arrivalAt, wakeAt, running?.end ?? Number.POSITIVE_INFINITY);
    if (now > END) return deliveries;
    if (running !== undefined && running.end <= now) {
      const capture = captures.get(running.id);
      if (capture !== undefined) deliveries.push({ at: now, capture });
      const { id: ended } = running;
      running = undefined;
      bench.complete(now, ended);
    } else if (arrivalAt <= now) {
      const arrival = arrivals[next] as (typeof arrivals)[number];
      next += 1;
      id += 1;
      if (arrival.stream === 'front') captures.set(id, arrival.capture);
      bench.arrive(now, arrival.stream, { capture: arrival.capture });
    } else {
      bench.wakeMs = undefined;
      bench.send(now, { type: 'tick' } satisfies CoreEvent);
    }
    const started = bench.last.find((action) => action.type === 'dispatch');
    if (started !== undefined) running = { id: started.request, end: round(now + (captures.has(started.request) ? runtime : background)) };
  }
}

function round(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

/** Longest time within the run that no result younger than the maximum covers, from the first one on. */
function longestGap(deliveries: readonly Delivery[], maxAge: number): number {
  let coveredUntil = Number.POSITIVE_INFINITY;
  let gap = 0;
  for (const { at, capture } of deliveries) {
    gap = Math.max(gap, at - coveredUntil);
    coveredUntil = coveredUntil === Number.POSITIVE_INFINITY ? capture + maxAge : Math.max(coveredUntil, capture + maxAge);
  }
  return Math.max(gap, END - coveredUntil);
}

describe.each(POLICIES)('$name', ({ scheduling }) => {
  test.each(SEEDS)(
    'age and gaps stay within their bounds in the whole grid (captures %i)',
    (seed) => {
      const broken = GRID.filter(premise).filter((one) => {
        const { period, deadline, jitter, transport } = one;
        const deliveries = play(one, seed, scheduling);
        const oldest = Math.max(...deliveries.map(({ at, capture }) => at - capture));
        const gap = longestGap(deliveries, 2 * period);
        return (
          round(oldest) > round(2 * jitter + deadline + transport) ||
          round(gap) > round(Math.max(0, period + deadline + 4 * jitter + transport - 2 * period)) ||
          deliveries.length < END / period / 2
        );
      });
      expect(broken).toEqual([]);
    },
    7_200_000,
  );
});
