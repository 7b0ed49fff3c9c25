import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Micros, micros, millis } from '../../src/core/units.js';
import { StatisticsPoller } from '../../src/triton/statistics-poller.js';

/** A server that answers when the test says so, on the steady clock of the test. */
class World {
  readonly #startMs = performance.now();
  /** When questions came, in ms. */
  readonly askedMs: number[] = [];
  readonly told: [completed: number, polledMs: number][] = [];
  readonly #open: ((completed: number | undefined) => void)[] = [];
  readonly poller = new StatisticsPoller({
    now: () => this.#now(),
    counted: (completed, polledUs) => void this.told.push([completed, polledUs / 1000]),
  });
  /** Answers at once while it is set. */
  answer: number | undefined;

  readonly ask = (): Promise<number | undefined> => {
    this.askedMs.push(this.#now() / 1000);
    if (this.answer !== undefined) return Promise.resolve(this.answer);
    return new Promise((resolve) => this.#open.push(resolve));
  };

  async end(completed: number | undefined): Promise<void> {
    this.#open.shift()?.(completed);
    await vi.advanceTimersByTimeAsync(0);
  }

  #now(): Micros {
    return micros(Math.round((performance.now() - this.#startMs) * 1000));
  }
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
let world: World;

beforeEach(() => {
  vi.useFakeTimers();
  world = new World();
});

afterEach(() => {
  world.poller.stop();
  vi.useRealTimers();
});

describe('a poller', () => {
  test('asks at once when there is a connection, then every 5 s until it is told otherwise', async () => {
    world.answer = 7;
    await pass(1000);
    expect(world.askedMs).toEqual([]);
    world.poller.start(world.ask);
    await pass(10_000);
    expect(world.askedMs).toEqual([1000, 6000, 11_000]);
    expect(world.told[0]).toEqual([7, 1000]);
  });

  test('asks at once when the pace gets quicker, but never again within 20 ms', async () => {
    world.answer = 0;
    world.poller.start(world.ask);
    await pass(100);
    world.poller.poll(millis(250));
    await pass(0);
    expect(world.askedMs).toEqual([0, 100]);
    world.poller.poll(millis(5000));
    world.poller.poll(millis(20));
    await pass(45);
    expect(world.askedMs).toEqual([0, 100, 120, 140]);
  });

  test('asks at once when a call was sent that nothing else can place, though a question sent before is on its way', async () => {
    world.answer = 0;
    world.poller.start(world.ask);
    await pass(1000);
    world.poller.hurry();
    await pass(0);
    expect(world.askedMs).toEqual([0, 1000]);
    world.answer = undefined;
    await pass(4990);
    world.poller.hurry(); // within 20 ms of nothing: asked at 5990
    await pass(0);
    expect(world.askedMs).toEqual([0, 1000, 5990]);
    world.poller.hurry();
    await pass(100);
    expect(world.askedMs).toHaveLength(3);
    await world.end(3);
    expect(world.askedMs).toEqual([0, 1000, 5990, 6090]);
    await pass(1000);
    await world.end(4);
    await pass(1000);
    expect(world.askedMs).toHaveLength(4);
  });

  test('keeps to a slower pace from the last question on', async () => {
    world.answer = 0;
    world.poller.poll(millis(20));
    world.poller.start(world.ask);
    await pass(50);
    world.poller.poll(millis(250));
    await pass(500);
    expect(world.askedMs).toEqual([0, 20, 40, 290, 540]);
  });

  test('has one question on its way, and says when it was sent', async () => {
    world.poller.poll(millis(20));
    world.poller.start(world.ask);
    await pass(500);
    world.poller.poll(millis(10));
    await pass(100);
    expect(world.askedMs).toEqual([0]);
    await world.end(3);
    expect(world.told).toEqual([[3, 0]]);
    expect(world.askedMs).toEqual([0, 600]);
  });

  test('goes on after a question without an answer', async () => {
    world.poller.poll(millis(250));
    world.poller.start(world.ask);
    await pass(10);
    await world.end(undefined);
    await pass(250);
    expect(world.askedMs).toEqual([0, 250]);
    expect(world.told).toEqual([]);
  });

  test('tells nothing that comes from the connection before', async () => {
    world.poller.start(world.ask);
    await pass(0);
    world.poller.stop();
    await pass(60_000);
    expect(world.askedMs).toEqual([0]);
    world.poller.start(() => world.ask());
    await world.end(100);
    expect(world.told).toEqual([]);
    await pass(0);
    await world.end(0);
    expect(world.told).toEqual([[0, 60_000]]);
  });

  test('reports on demand with a question of that moment, not with one that is on its way', async () => {
    world.poller.start(world.ask);
    await pass(30);
    let reported = false;
    const report = world.poller.report().then(() => {
      reported = true;
    });
    await world.end(1);
    expect(reported).toBe(false);
    await world.end(0);
    await report;
    expect(world.told).toEqual([
      [1, 0],
      [0, 30],
    ]);
  });

  test('reports nothing without a connection', async () => {
    await world.poller.report();
    expect(world.askedMs).toEqual([]);
  });
});
