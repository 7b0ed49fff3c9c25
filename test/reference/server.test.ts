/** What the contract suite does not reach: constant models, named dimensions, limits, ports, ends. */
import { credentials } from '@grpc/grpc-js';
import { afterEach, expect, test } from 'vitest';
import { DEMO_MODELS, loadModels, parseModels } from '../../src/reference/model-file.js';
import { ReferenceServer } from '../../src/reference/server.js';
import type { GRPCInferenceServiceClient } from '../../src/triton/generated/inference/GRPCInferenceService.js';
import { loadProtocol } from '../../src/triton/protocol.js';
import { codeOf, floats, infer, request, service, unary } from '../contract/client.js';
import { modelMetric } from '../support/model-metric.js';

const MEBIBYTE = 1_048_576;

const MODELS = `models:
  echo:
    behaviour: echo
    inputs: [{name: IN, datatype: FP32, shape: [N]}]
    outputs: [{name: OUT, datatype: FP32, shape: [N]}]
  long:
    behaviour: echo
    runtime: {fixed_ms: 600000}
    inputs: [{name: IN, datatype: FP32, shape: [N]}]
    outputs: [{name: OUT, datatype: FP32, shape: [N]}]
  two:
    behaviour: constant
    inputs: [{name: A, datatype: UINT8, shape: [N]}, {name: B, datatype: UINT8, shape: [N, M]}]
    outputs:
      - {name: SUM, datatype: INT64, shape: [M, N/2], fill: -3, centre: 9}
      - {name: TEXT, datatype: BYTES, shape: [2], fill: "no"}
      - {name: HALF, datatype: FP16, shape: [N]}
  huge:
    behaviour: constant
    inputs: [{name: IN, datatype: FP32, shape: [N]}]
    outputs: [{name: OUT, datatype: FP64, shape: [N, 1048576]}]
`;

const owned: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of owned.splice(0).reverse()) await end();
});

async function start(
  models = parseModels(MODELS, 'models.yaml'),
): Promise<{ server: ReferenceServer; client: GRPCInferenceServiceClient }> {
  const server = await ReferenceServer.start({ models, port: 0, metricsPort: 0, version: '1.2.3' });
  owned.push(() => server.close());
  const client = new (loadProtocol())(`127.0.0.1:${server.port}`, credentials.createInsecure(), {
    'grpc.max_receive_message_length': 64 * MEBIBYTE,
  });
  owned.push(() => client.close());
  return { server, client };
}

test('constant outputs have the shape, the fill and the centre that they declare', async () => {
  const { client } = await start();
  const { outputs, raw_output_contents } = await infer(client, {
    model_name: 'two',
    inputs: [
      { name: 'B', datatype: 'UINT8', shape: [5, 2] },
      { name: 'A', datatype: 'UINT8', shape: [5] },
    ],
    raw_input_contents: [Buffer.alloc(10), Buffer.alloc(5)],
  });
  expect(outputs.map(({ name, datatype, shape }) => [name, datatype, shape])).toEqual([
    ['SUM', 'INT64', ['2', '3']],
    ['TEXT', 'BYTES', ['2']],
    ['HALF', 'FP16', ['5']],
  ]);
  const [sum, text, half] = raw_output_contents;
  expect(sum).toEqual(Buffer.from(BigInt64Array.of(-3n, -3n, -3n, -3n, 9n, -3n).buffer));
  expect(text).toEqual(Buffer.from([2, 0, 0, 0, 110, 111, 2, 0, 0, 0, 110, 111]));
  expect(half).toEqual(Buffer.alloc(10));
});

test('a named dimension has one size in a request', async () => {
  const { client } = await start();
  const call = infer(client, {
    model_name: 'two',
    inputs: [
      { name: 'A', datatype: 'UINT8', shape: [5] },
      { name: 'B', datatype: 'UINT8', shape: [4, 2] },
    ],
    raw_input_contents: [Buffer.alloc(5), Buffer.alloc(8)],
  });
  expect(await codeOf(call)).toBe('INVALID_ARGUMENT');
});

test('the detector of the demo finds one face in the middle', async () => {
  const { client } = await start(loadModels(DEMO_MODELS));
  const image = { name: 'input.1', datatype: 'FP32', shape: [1, 3, 96, 128] };
  const { outputs, raw_output_contents } = await infer(client, {
    model_name: 'centerface',
    inputs: [image],
    raw_input_contents: [Buffer.alloc(4 * 3 * 96 * 128)],
  });
  expect(outputs.map(({ name, shape }) => [name, shape.join()])).toEqual([
    ['537', '1,1,24,32'],
    ['538', '1,2,24,32'],
    ['539', '1,2,24,32'],
    ['540', '1,10,24,32'],
  ]);
  const heat = raw_output_contents[0] ?? Buffer.alloc(0);
  const values = Array.from({ length: 24 * 32 }, (_, index) => heat.readFloatLE(4 * index));
  expect(values.flatMap((value, index) => (value > 0.5 ? [index] : []))).toEqual([12 * 32 + 16]);
});

test('a 1080p image of floats goes in and out', async () => {
  const { client } = await start();
  const bytes = Buffer.alloc(4 * 3 * 1920 * 1080, 1);
  const { raw_output_contents } = await infer(client, request('echo', bytes));
  expect(raw_output_contents[0]?.equals(bytes)).toBe(true);
});

test('outputs beyond the limit of a message are refused before anything is allocated', async () => {
  const { client } = await start();
  expect(await codeOf(infer(client, request('huge', floats(...Array<number>(64).fill(0)))))).toBe('RESOURCE_EXHAUSTED');
});

test('the server says its version', async () => {
  const { client } = await start();
  expect(await unary(client, service.ServerMetadata, {})).toMatchObject({ version: '1.2.3' });
});

test('the metrics page stands on loopback', async () => {
  const { server, client } = await start();
  await infer(client, request('echo'));
  const response = await fetch(`http://127.0.0.1:${server.metricsPort}/metrics`);
  expect(await response.text()).toContain('nv_inference_request_success{model="echo",version="1"} 1\n');
});

test('a port in use is named with a remedy, and nothing stays open', async () => {
  const { server } = await start();
  const options = { models: parseModels(MODELS, 'models.yaml'), version: '1' };
  await expect(ReferenceServer.start({ ...options, port: server.port, metricsPort: 0 })).rejects.toThrow(
    `port ${server.port} on 127.0.0.1 cannot be had; choose another with --port`,
  );
  await expect(ReferenceServer.start({ ...options, port: 0, metricsPort: server.metricsPort })).rejects.toThrow(
    `metrics port ${server.metricsPort} on 127.0.0.1 cannot be had; choose another with --metrics-port`,
  );
});

test('closed, open calls and streams end and the ports are free', async () => {
  const { server, client } = await start();
  const calls = [codeOf(infer(client, request('long'))), codeOf(infer(client, request('long')))];
  const stream = client.ModelStreamInfer();
  const ended = new Promise((resolve) => stream.once('error', resolve));
  stream.write(request('long'));
  await expect.poll(() => modelMetric(server.metricsPort, 'nv_inference_pending_request_count', 'long')).toBe(2);
  await server.close();
  expect(await Promise.all(calls)).toEqual(['UNAVAILABLE', 'UNAVAILABLE']);
  await ended;
  const again = await ReferenceServer.start({
    models: parseModels(MODELS, 'm'),
    port: server.port,
    metricsPort: server.metricsPort,
    version: '1',
  });
  await again.close();
});
