import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { parseModels } from '../../src/reference/model-file.js';
import { type ModelCall, ModelRunner } from '../../src/reference/model-runner.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function runner(instances: number, maxQueueSize: number, more = ''): ModelRunner {
  const tensor = '{name: T, datatype: FP32, shape: [1]}';
  const text = `models: {m: {behaviour: echo, instances: ${instances}, max_queue_size: ${maxQueueSize}, runtime: {fixed_ms: 100}, inputs: [${tensor}], outputs: [${tensor}]${more}}}`;
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

test('a batch waits its delay and is one execution', async () => {
  const model = runner(1, 10, ', max_batch_size: 2, max_queue_delay_ms: 50');
  const log: string[] = [];
  const call = follow(model, log);
  void call('a');
  await vi.advanceTimersByTimeAsync(49);
  expect([log, model.pending]).toEqual([[], 1]);
  await vi.advanceTimersByTimeAsync(1);
  expect([log, model.pending]).toEqual([['begin a'], 0]);
  void call('b');
  void call('c');
  await vi.advanceTimersByTimeAsync(100);
  expect(log).toEqual(['begin a', 'end a', 'begin b', 'begin c']);
  await vi.advanceTimersByTimeAsync(100);
  expect(log.slice(4)).toEqual(['end b', 'end c']);
  const { inferences, executions, success } = model.counters;
  expect([inferences, executions, success.count]).toEqual([3, 2, 3]);
});

test('abandoned, a batch that waits for more is told', async () => {
  const model = runner(1, 10, ', max_batch_size: 2, max_queue_delay_ms: 50');
  const log: string[] = [];
  void follow(model, log)('a');
  model.abandon();
  await model.idle();
  await vi.advanceTimersByTimeAsync(0);
  expect([log, vi.getTimerCount()]).toEqual([['a: Server exiting'], 0]);
});

test('several answers take a runtime each; only the ones before the last are told on the way', async () => {
  const model = runner(1, 10, ', decoupled: true, responses: 3');
  let [partial, ended] = [0, false];
  const call = { ...alone(() => undefined), partial: () => (partial += 1) };
  void model.run(call).then(() => {
    ended = true;
  });
  await vi.advanceTimersByTimeAsync(100);
  expect([partial, ended, model.counters.success.count]).toEqual([1, false, 0]);
  await vi.advanceTimersByTimeAsync(200);
  expect([partial, ended, model.counters.success.count]).toEqual([2, true, 1]);
});

test('crashed, what runs fails, what comes fails after a second, and all of it is counted', async () => {
  const model = runner(1, 10);
  const log: string[] = [];
  const call = follow(model, log);
  void call('a');
  void call('b');
  model.crash();
  await vi.advanceTimersByTimeAsync(0);
  const unhealthy = "Stub process 'm_0_0' is not healthy.";
  expect(log).toEqual(['begin a', `a: ${unhealthy}`]);
  await vi.advanceTimersByTimeAsync(999);
  expect(log.length).toBe(2);
  await vi.advanceTimersByTimeAsync(1);
  expect(log.slice(2)).toEqual([`b: ${unhealthy}`]);
  expect([model.counters.success.count, model.counters.fail.count, model.counters.executions]).toEqual([0, 2, 0]);
});
