/** What docs/counted-ends.md says: by how much the counters of a model move for each way a call can end, on the real Triton. */
import { setTimeout as sleep } from 'node:timers/promises';
import { credentials, type ServiceError, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { classifyEnd } from '../../src/triton/call-end.js';
import { completedCount } from '../../src/triton/completed-count.js';
import { Connection } from '../../src/triton/connection.js';
import type { ModelInferRequest } from '../../src/triton/generated/inference/ModelInferRequest.js';
import { loadProtocol } from '../../src/triton/protocol.js';
import { INSECURE } from '../../src/triton/tls.js';
import { decoupledModel, echoModel, raisingModel, scriptedModel } from '../support/triton-models.js';
import { TritonServer } from '../support/triton-server.js';

/** Error codes that a model of the Python backend can answer with. */
const MODEL_CODES = ['INTERNAL', 'INVALID_ARG', 'NOT_FOUND', 'UNAVAILABLE', 'CANCELLED', 'UNSUPPORTED', 'ALREADY_EXISTS', 'UNKNOWN'];
/** Those of them after which nothing is known, since a proxy may have said it. */
const LEAVE_OPEN: readonly string[] = ['UNAVAILABLE', 'CANCELLED'];

const waiting = (policy: string) => `dynamic_batching { default_queue_policy { ${policy} } }`;

let server: TritonServer;
let connection: Connection;

beforeAll(async () => {
  server = await TritonServer.start({
    models: [
      echoModel(),
      echoModel('batched', '1', 4),
      raisingModel(),
      decoupledModel(),
      scriptedModel('sleeping', 'time.sleep(value)'),
      scriptedModel('limited', 'time.sleep(value)', waiting('max_queue_size: 1')),
      scriptedModel('impatient', 'time.sleep(value)', waiting('timeout_action: REJECT default_timeout_microseconds: 100000')),
      scriptedModel('dying', 'time.sleep(value)\nos._exit(3)'),
      scriptedModel('forgetful', 'continue'),
      ...MODEL_CODES.map((code) =>
        scriptedModel(`answers_${code}`, `error = pb.TritonError('words of the model', pb.TritonError.${code})`),
      ),
    ],
    extraArguments: ['--model-control-mode=explicit', '--load-model=*'],
  });
  connection = await connect();
});

afterAll(async () => {
  connection.close();
  await server.stop();
});

async function connect(receiveLimitBytes = 4 * 1024 * 1024): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const opened: Connection = new Connection(
      { endpoint: server.endpoint, security: INSECURE, receiveLimitBytes, connectTimeoutMs: 5000 },
      { ready: () => resolve(opened), lost: (reason) => reject(new Error(reason)) },
    );
  });
}

const ID = '77';
const input = (count: number, change: object = {}) => ({ name: 'IN', datatype: 'FP32', shape: [count], ...change });
const request = (model: string, values: readonly number[] = [0], change: ModelInferRequest = {}): ModelInferRequest => ({
  model_name: model,
  id: ID,
  inputs: [input(values.length)],
  raw_input_contents: [Buffer.from(Float32Array.from(values).buffer)],
  ...change,
});

/** How a call ended, by the words of the port. */
async function resultOf(what: ModelInferRequest, over = connection): Promise<string> {
  const answer = await over.infer(what);
  if (answer.kind !== 'end') return answer.kind;
  const end = classifyEnd(answer.end, { model: what.model_name ?? '', id: ID });
  return end.result === 'failed' ? end.cause : end.result;
}

async function completed(model: string): Promise<number> {
  return completedCount(model, await connection.control((service) => service.ModelStatistics, { name: model }, 2000));
}

/** The counter must come to stand there, and stay. */
async function expectCounted(model: string, before: number, calls: number): Promise<void> {
  await expect.poll(() => completed(model), { timeout: 5000 }).toBe(before + calls);
  await sleep(100);
  expect(await completed(model)).toBe(before + calls);
}

const REFUSED: readonly (readonly [string, ModelInferRequest])[] = [
  ['another version', request('echo', [0], { model_version: '9' })],
  ['a version that is no number', request('echo', [0], { model_version: 'new' })],
  ['no input', request('echo', [0], { inputs: [] })],
  ['an input of another name', request('echo', [0], { inputs: [input(1, { name: 'X' })] })],
  ['another datatype', request('echo', [0], { inputs: [input(1, { datatype: 'INT32' })] })],
  ['too few bytes', request('echo', [0], { inputs: [input(3)] })],
  ['no bytes', request('echo', [0], { raw_input_contents: [] })],
  ['an unknown output', request('echo', [0], { outputs: [{ name: 'X' }] })],
  ['a batch that is too large', request('batched', [1, 2, 3, 4, 5], { inputs: [input(5, { shape: [5, 1] })] })],
  [
    'a region it was not told of',
    request('echo', [], { inputs: [input(1, { parameters: inRegion('vig-gone') })], raw_input_contents: [] }),
  ],
  ['one answer of a decoupled model', request('decoupled')],
];

function inRegion(name: string) {
  return { shared_memory_region: { string_param: name }, shared_memory_byte_size: { int64_param: 4 } };
}

describe('not counted', () => {
  test.each(REFUSED)('a call that asks for %s', async (_, what) => {
    const model = what.model_name ?? '';
    const before = await completed(model);
    expect(await resultOf(what)).toBe('not_counted');
    await expectCounted(model, before, 0);
  });

  test('a call to a model that it does not have', async () => {
    expect(await resultOf(request('nobody'))).toBe('not_counted');
  });

  test('a call beyond the limit of the queue', async () => {
    const before = await completed('limited');
    const results = await Promise.all([0, 1, 2, 3].map(() => resultOf(request('limited', [0.3]))));
    const rejected = results.filter((result) => result !== 'response');
    // One runs and one waits; a third is rejected where the first had not begun when the others came.
    expect(rejected.length).toBeGreaterThanOrEqual(2);
    expect(new Set(rejected)).toEqual(new Set(['not_counted']));
    await expectCounted('limited', before, results.length - rejected.length);
  });

  test('but not known as such: a call with another shape, whose answer has no text', async () => {
    const before = await completed('echo');
    expect(await resultOf(request('echo', [0], { inputs: [input(1, { shape: [1, 1] })] }))).toBe('model_error');
    await expectCounted('echo', before, 0);
  });
});

describe('counted once', () => {
  test.each([
    ['that raises', 'raising'],
    ['that answers nothing', 'forgetful'],
  ])('a call to a model %s', async (_, model) => {
    const before = await completed(model);
    expect(await resultOf(request(model))).toBe('model_error');
    await expectCounted(model, before, 1);
  });

  test.each(MODEL_CODES)('a call that its model answers with %s', async (code) => {
    const model = `answers_${code}`;
    const before = await completed(model);
    expect(await resultOf(request(model))).toBe(LEAVE_OPEN.includes(code) ? 'unknown' : 'model_error');
    await expectCounted(model, before, 1);
  });

  test('a call that waited too long in the queue', async () => {
    const before = await completed('impatient');
    const results = await Promise.all([0, 1].map(() => resultOf(request('impatient', [0.4]))));
    expect(results.toSorted()).toEqual(['rejected_by_server', 'response']);
    await expectCounted('impatient', before, 2);
  });

  test('a call whose answer is longer than we read', async () => {
    const narrow = await connect(100);
    const before = await completed('echo');
    expect(await resultOf(request('echo', Array(200).fill(1)), narrow)).toBe('response_too_large');
    await expectCounted('echo', before, 1);
    narrow.close();
  });

  test('calls that were given up, once they have run: the waiting one too', async () => {
    const given = await connect();
    const before = await completed('sleeping');
    const results = Promise.all([0.3, 0.3].map((seconds) => resultOf(request('sleeping', [seconds]), given)));
    await expect.poll(() => server.metric('nv_inference_pending_request_count', 'sleeping')).toBe(1);
    given.close();
    expect(await results).toEqual(['unknown', 'unknown']);
    expect(await completed('sleeping')).toBe(before);
    await expectCounted('sleeping', before, 2);
  });

  test('a call over a connection that the server ended for too many pings, once it has run', async () => {
    const { service } = loadProtocol();
    const impatient = new (loadProtocol())(server.endpoint, credentials.createInsecure(), {
      'grpc.keepalive_time_ms': 10,
      'grpc.keepalive_permit_without_calls': 1,
      'grpc.enable_retries': 0,
    });
    const before = await completed('sleeping');
    const error = await new Promise<ServiceError | null>((resolve) => {
      impatient.makeUnaryRequest(
        service.ModelInfer.path,
        service.ModelInfer.requestSerialize,
        service.ModelInfer.responseDeserialize,
        request('sleeping', [2]),
        (refusal) => resolve(refusal),
      );
    });
    impatient.close();
    expect(error).toMatchObject({ code: status.RESOURCE_EXHAUSTED, details: 'Bandwidth exhausted or memory limit exceeded' });
    await expectCounted('sleeping', before, 1);
  });

  test('calls to a model whose process has died: the one that ran, the one that waited, and all after them', async () => {
    const before = await completed('dying');
    const results = [resultOf(request('dying', [0.3]))];
    await sleep(50);
    results.push(resultOf(request('dying', [0.3])));
    expect(await Promise.all(results)).toEqual(['model_error', 'model_error']);
    expect(await resultOf(request('dying'))).toBe('model_error');
    await expectCounted('dying', before, 3);
  });
});

describe('a model that is taken away', () => {
  const control = (verb: 'load' | 'unload') =>
    connection.control(
      (service) => (verb === 'load' ? service.RepositoryModelLoad : service.RepositoryModelUnload),
      { model_name: 'sleeping' },
      10_000,
    );

  test('ends what it has accepted, refuses the rest, and counts from nothing when it is back', async () => {
    await resultOf(request('sleeping'));
    expect(await completed('sleeping')).toBeGreaterThan(0);
    const running = [0.5, 0.5].map((seconds) => resultOf(request('sleeping', [seconds])));
    await expect.poll(() => server.metric('nv_inference_pending_request_count', 'sleeping')).toBe(1);
    await control('unload');
    expect(await resultOf(request('sleeping'))).toBe('not_counted');
    await expect(completed('sleeping')).rejects.toMatchObject({ code: 'refused' });
    expect(await Promise.all(running)).toEqual(['response', 'response']);
    await control('load');
    expect(await completed('sleeping')).toBe(0);
  });

  test('and replaced while a call runs does not count that call at all', async () => {
    const running = resultOf(request('sleeping', [1]));
    await sleep(200);
    await server.load(scriptedModel('sleeping', 'time.sleep(value)', '# anew'));
    expect(await completed('sleeping')).toBe(0);
    expect(await running).toBe('response');
    await expectCounted('sleeping', 0, 0);
  });
});
