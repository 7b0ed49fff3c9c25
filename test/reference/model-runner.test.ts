import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { parseModels } from '../../src/reference/model-file.js';
import { type ModelCall, ModelRunner } from '../../src/reference/model-runner.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function runner(instances: number, maxQueueSize: number): ModelRunner {
  const tensor = '{name: T, datatype: FP32, shape: [1]}';
  const text = `models: {m: {behaviour: echo, instances: ${instances}, max_queue_size: ${maxQueueSize}, runtime: {fixed_ms: 100}, inputs: [${tensor}], outputs: [${tensor}]}}`;
  const [model] = parseModels(text, 'm.yaml');
  if (model === undefined) throw new Error('no model');
  return new ModelRunner(model);
}

/** A call that fits with no other. */
function alone(begin: () => void): ModelCall {
  return { size: 1, shape: '', begin };
}

/** Starts calls that write down when they begin and end. */
function follow(model: ModelRunner, log: string[]) {
  return (id: string) =>
    model.run(alone(() => void log.push(`begin ${id}`))).then(
      () => log.push(`end ${id}`),
      (error: Error) => log.push(`${id}: ${error.message}`),
    );
}

test('as many run as there are instances, the rest waits in order', async () => {
  const model = runner(2, 10);
  const log: string[] = [];
  const call = follow(model, log);
  for (const id of ['a', 'b', 'c', 'd']) void call(id);
  expect(log).toEqual(['begin a', 'begin b']);
  expect(model.pending).toBe(2);
  await vi.advanceTimersByTimeAsync(100);
  expect(log.slice(2).sort()).toEqual(['begin c', 'begin d', 'end a', 'end b']);
  expect(model.pending).toBe(0);
  await vi.advanceTimersByTimeAsync(100);
  expect(log.slice(6)).toEqual(['end c', 'end d']);
});

test('the counters move when an execution ends; a refusal moves none', async () => {
  const model = runner(1, 1);
  const log: string[] = [];
  const call = follow(model, log);
  const calls = ['a', 'b', 'c'].map(call);
  await vi.advanceTimersByTimeAsync(99);
  expect([model.counters.success.count, model.counters.fail.count]).toEqual([0, 0]);
  expect(log).toEqual(['begin a', 'c: Exceeds maximum queue size']);
  await vi.advanceTimersByTimeAsync(1);
  expect(model.counters.success.count).toBe(1);
  await vi.advanceTimersByTimeAsync(100);
  await Promise.all(calls);
  expect([model.counters.success.count, model.counters.fail.count, model.counters.queue.count, model.counters.compute.count]).toEqual([
    2, 0, 2, 2,
  ]);
});

test('an execution that fails is counted and gives its instance to the next', async () => {
  const model = runner(1, 10);
  const log: string[] = [];
  const call = follow(model, log);
  const first = call('a');
  const failing = model.run(
    alone(() => {
      throw new Error('broken input');
    }),
  );
  const outcome = expect(failing).rejects.toThrow('broken input');
  const last = call('b');
  await vi.advanceTimersByTimeAsync(200);
  await Promise.all([first, outcome, last]);
  expect([model.counters.success.count, model.counters.fail.count]).toEqual([2, 1]);
});

test('it is idle when the last one has ended', async () => {
  const model = runner(1, 10);
  const log: string[] = [];
  const call = follow(model, log);
  await model.idle();
  void call('a');
  void call('b');
  void model.idle().then(() => log.push('idle'));
  await vi.advanceTimersByTimeAsync(200);
  expect(log.at(-1)).toBe('idle');
  expect(log).toContain('end b');
});

test('abandoned, what runs and what waits is told, and nothing more happens', async () => {
  const model = runner(1, 10);
  const log: string[] = [];
  const call = follow(model, log);
  void call('a');
  void call('b');
  const idle = model.idle();
  model.abandon();
  await idle;
  await vi.advanceTimersByTimeAsync(1000);
  expect(log.sort()).toEqual(['a: Server exiting', 'b: Server exiting', 'begin a']);
  expect(model.counters.success.count).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});
