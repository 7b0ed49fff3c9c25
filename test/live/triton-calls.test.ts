import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Datatype } from '../../src/governor/ports.js';
import type { Transport } from '../../src/triton/tensor-transport.js';
import { delay, floats, floatsOf, outputsOf, source, TritonHarness } from '../support/triton-harness.js';
import { decoupledModel, echoModel, onnxModel, raisingModel, slowModel, sumModel, typesModel } from '../support/triton-models.js';
import { TritonServer } from '../support/triton-server.js';

const ONNX = fileURLToPath(new URL('../../.vig/models/centerface.onnx', import.meta.url));
const SOON = { timeout: 10_000, interval: 20 };

let server: TritonServer;

beforeAll(async () => {
  server = await TritonServer.start({
    models: [
      echoModel(),
      echoModel('batched', '4', 8),
      sumModel(),
      slowModel(),
      slowModel('limited', 'dynamic_batching { default_queue_policy { max_queue_size: 1 } }'),
      raisingModel(),
      typesModel(),
      decoupledModel(),
      onnxModel(
        'centerface',
        ONNX,
        '{ name: "input.1" data_type: TYPE_FP32 dims: [1, 3, -1, -1] }',
        '{ name: "537" data_type: TYPE_FP32 dims: [1, 1, -1, -1] }, { name: "538" data_type: TYPE_FP32 dims: [1, 2, -1, -1] }',
      ),
    ],
  });
});

afterAll(async () => server.stop());

async function connected(models: readonly string[], transport: Transport = 'inline'): Promise<TritonHarness> {
  const harness = new TritonHarness(server.endpoint, models, { transport });
  onTestFinished(() => harness.backend.close());
  await vi.waitFor(() => expect(models.every((model) => harness.isReady(model))).toBe(true), SOON);
  return harness;
}

const ourFiles = (): string[] => readdirSync('/dev/shm').filter((name) => name.startsWith('vig-') && name.includes(`-${process.pid}-`));
const ourRegions = (): string[] => ourFiles().filter((name) => !name.endsWith('-witness'));

describe('a call', () => {
  test.each(['inline', 'shared_memory'] as const)('brings its outputs back, %s', async (transport) => {
    const harness = await connected(['echo'], transport);
    await harness.backend.warmUp('echo', [floats(0, 0, 0)], 2);
    expect(ourRegions()).toHaveLength(transport === 'inline' ? 0 : 2);
    const end = await harness.infer('echo', floats(1, 2.5, -3));
    expect(end).toMatchObject({ result: 'ok', modelVersion: '1', outputs: [{ name: 'OUT', datatype: 'FP32', shape: [3] }] });
    expect(floatsOf(outputsOf(end)[0])).toEqual([1, 2.5, -3]);
  });

  test('sends 6 MB through either way', async () => {
    const values = Float32Array.from({ length: 1_500_000 }, (_, index) => index % 7);
    const sum = values.reduce((a, b) => a + b, 0);
    for (const transport of ['inline', 'shared_memory'] as const) {
      const harness = await connected(['sum'], transport);
      const input = source('IN', 'FP32', [values.length], values);
      await harness.backend.warmUp('sum', [input], 1);
      const [count, total] = floatsOf(outputsOf(await harness.infer('sum', input))[0]);
      expect(count).toBe(values.length);
      expect(total).toBeCloseTo(sum, -2);
    }
  });

  test.each(['inline', 'shared_memory'] as const)('carries every datatype unchanged, %s', async (transport) => {
    const harness = await connected(['types'], transport);
    const text = Buffer.concat(
      ['', 'straße', '\u0000x'].map((word) =>
        Buffer.concat([Buffer.from(Uint32Array.of(Buffer.byteLength(word)).buffer), Buffer.from(word)]),
      ),
    );
    const cases: [string, Datatype, ArrayBufferView, number][] = [
      ['BOOL', 'BOOL', Uint8Array.of(1, 0), 2],
      ['UINT8', 'UINT8', Uint8Array.of(0, 255), 2],
      ['UINT16', 'UINT16', Uint16Array.of(1, 65535), 2],
      ['UINT32', 'UINT32', Uint32Array.of(1, 2 ** 32 - 1), 2],
      ['UINT64', 'UINT64', BigUint64Array.of(1n, 2n ** 64n - 1n), 2],
      ['INT8', 'INT8', Int8Array.of(-128, 127), 2],
      ['INT16', 'INT16', Int16Array.of(-32768, 32767), 2],
      ['INT32', 'INT32', Int32Array.of(-(2 ** 31), 1), 2],
      ['INT64', 'INT64', BigInt64Array.of(-(2n ** 63n), 1n), 2],
      ['FP16', 'FP16', Uint16Array.of(0x3c00, 0xc000, 0x7c00), 3],
      ['FP32', 'FP32', Float32Array.of(0.1, -1e30), 2],
      ['FP64', 'FP64', Float64Array.of(0.1, -1e300), 2],
      ['STRING', 'BYTES', text, 3],
      ['BF16', 'BF16', Uint16Array.of(0x3f80, 0xc000), 2],
    ];
    const inputs = cases.map(([name, datatype, bytes, count]) => source(`IN_${name}`, datatype, [count], bytes));
    await harness.backend.warmUp('types', inputs, 1);
    const outputs = outputsOf(await harness.infer('types', ...inputs));
    for (const [name, datatype, bytes, count] of cases) {
      const output = outputs.find((tensor) => tensor.name === `OUT_${name}`);
      expect(output).toMatchObject({ datatype, shape: [count] });
      expect(Buffer.from(output?.data ?? []), name).toEqual(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    }
  });

  test('runs an ONNX network behind the Python backend like any other model', async () => {
    const harness = await connected(['centerface'], 'auto');
    const input = source('input.1', 'FP32', [1, 3, 64, 96], new Float32Array(3 * 64 * 96));
    await harness.backend.warmUp('centerface', [input], 1);
    const outputs = outputsOf(await harness.infer('centerface', input));
    expect(outputs.find(({ name }) => name === '537')).toMatchObject({ datatype: 'FP32', shape: [1, 1, 16, 24] });
  });

  test('fails with the words of a model that raises', async () => {
    const harness = await connected(['raising']);
    const end = await harness.infer('raising', floats(1));
    expect(end).toMatchObject({ result: 'failed', cause: 'model_error', detail: expect.stringContaining('this model never works') });
    await expect(harness.backend.warmUp('raising', [floats(1)], 1)).rejects.toMatchObject({ code: 'warm_up_failed' });
  });

  test('is not counted where the server refuses the input', async () => {
    const harness = await connected(['echo']);
    const wrong = source('IN', 'FP32', [3], Float32Array.of(1, 2));
    expect(await harness.infer('echo', wrong)).toMatchObject({
      result: 'not_counted',
      detail: expect.stringContaining('size'),
    });
  });

  test('is not counted where the queue of the server is full', async () => {
    const harness = await connected(['limited']);
    const ends = await Promise.all(Array.from({ length: 4 }, () => harness.infer('limited', delay(300))));
    const results = ends.map(({ result }) => result);
    expect(results).toContain('ok');
    expect(results).toContain('not_counted');
    expect(results.every((result) => result === 'ok' || result === 'not_counted')).toBe(true);
  });

  test('does not wait behind a call to another model', async () => {
    const harness = await connected(['slow', 'echo']);
    const order: string[] = [];
    await Promise.all([
      harness.infer('slow', delay(500)).then(() => order.push('slow')),
      harness.infer('echo', floats(1)).then(() => order.push('echo')),
    ]);
    expect(order).toEqual(['echo', 'slow']);
  });

  test('whose inputs cannot be made is never started, and its region is used again', async () => {
    const harness = await connected(['echo'], 'shared_memory');
    await harness.backend.warmUp('echo', [floats(0)], 1);
    const broken = {
      ...floats(1),
      write: () => {
        throw new Error('no such frame');
      },
    };
    for (let index = 0; index < 5; index += 1) {
      expect(await harness.infer('echo', broken)).toMatchObject({
        result: 'not_started',
        detail: expect.stringContaining('no such frame'),
      });
    }
    expect(floatsOf(outputsOf(await harness.infer('echo', floats(4)))[0])).toEqual([4]);
    expect(ourRegions()).toHaveLength(2);
  });

  test('with larger inputs than were foreseen goes inside the message until regions of that size are made', async () => {
    const harness = await connected(['echo'], 'shared_memory');
    await harness.backend.warmUp('echo', [floats(0)], 1);
    const before = ourRegions();
    expect(floatsOf(outputsOf(await harness.infer('echo', floats(1, 2, 3, 4)))[0])).toEqual([1, 2, 3, 4]);
    await vi.waitFor(() => expect(ourRegions().filter((name) => !before.includes(name))).toHaveLength(2), SOON);
    expect(floatsOf(outputsOf(await harness.infer('echo', floats(5, 6, 7, 8)))[0])).toEqual([5, 6, 7, 8]);
    expect(ourRegions()).toHaveLength(2);
  });
});

describe('a model', () => {
  test('is described', async () => {
    const harness = await connected(['echo', 'batched', 'limited']);
    expect(await harness.backend.describe('echo')).toEqual({
      name: 'echo',
      versions: ['1'],
      inputs: [{ name: 'IN', datatype: 'FP32', shape: [-1] }],
      outputs: [{ name: 'OUT', datatype: 'FP32', shape: [-1] }],
      instances: 1,
      maxBatchSize: 0,
      decoupled: false,
    });
    expect(await harness.backend.describe('batched')).toMatchObject({ maxBatchSize: 8, inputs: [{ shape: [-1, 4] }] });
    expect(harness.last('limited')?.detail).toContain('refuses calls beyond 1');
  });

  test('that the server does not know is named, with those it has', async () => {
    const harness = await connected(['echo']);
    const other = new TritonHarness(server.endpoint, ['nosuch']);
    onTestFinished(() => other.backend.close());
    await vi.waitFor(() => expect(other.last('nosuch')?.detail).toMatch(/does not know model "nosuch".*echo/), SOON);
    expect(other.isReady('nosuch')).toBe(false);
    await expect(other.backend.describe('nosuch')).rejects.toMatchObject({ code: 'not_ready' });
    expect(await other.infer('nosuch', floats(1))).toMatchObject({ result: 'not_counted' });
    expect(harness.isReady('echo')).toBe(true);
  });

  test('that is decoupled is not ready, and says so', async () => {
    const harness = new TritonHarness(server.endpoint, ['decoupled']);
    onTestFinished(() => harness.backend.close());
    await vi.waitFor(() => expect(harness.last('decoupled')?.detail).toContain('decoupled'), SOON);
    expect(harness.isReady('decoupled')).toBe(false);
  });

  test('whose answers are of unknown size gets a connection that they fit', async () => {
    const harness = await connected(['echo'], 'inline');
    const count = 2_000_000; // 8 MB: twice the default of gRPC
    const end = await harness.infer('echo', source('IN', 'FP32', [count], new Float32Array(count)));
    expect(outputsOf(end)[0]?.data.length).toBe(4 * count);
  });
});

test('closing gives everything back', async () => {
  const sockets = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;
  const before = sockets();
  const harness = new TritonHarness(server.endpoint, ['echo', 'slow'], { transport: 'shared_memory' });
  await vi.waitFor(() => expect(harness.isReady('echo') && harness.isReady('slow')).toBe(true), SOON);
  await harness.backend.warmUp('slow', [delay(0)], 1);
  expect(ourRegions()).toHaveLength(2);
  const open = harness.infer('slow', delay(2000));
  await harness.backend.close();
  expect(await open).toMatchObject({ result: 'unknown' });
  expect(ourFiles()).toEqual([]);
  await vi.waitFor(() => expect(sockets()).toBeLessThanOrEqual(before), SOON);
});
