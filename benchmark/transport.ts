/**
 * Unary calls against ModelStreamInfer on the real Triton over loopback: a small tensor, 6 MB inside the message, 6 MB in shared memory;
 * and what an open stream does to calls behind a slow one, and to a server that is stopped.
 * Usage: npm run bench -- transport [REPEATS]
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { type ClientDuplexStream, credentials } from '@grpc/grpc-js';
import type { GRPCInferenceServiceClient } from '../src/triton/generated/inference/GRPCInferenceService.js';
import type { ModelInferRequest } from '../src/triton/generated/inference/ModelInferRequest.js';
import type { ModelStreamInferResponse__Output } from '../src/triton/generated/inference/ModelStreamInferResponse.js';
import { loadMemoryMap } from '../src/triton/memory-map.js';
import { loadProtocol } from '../src/triton/protocol.js';
import { createRegion, type Region } from '../src/triton/region.js';
import { regionNames } from '../src/triton/region-names.js';
import { echoModel, slowModel, sumModel } from '../test/support/triton-models.js';
import { TritonServer } from '../test/support/triton-server.js';

const LARGE_BYTES = 6_220_800; // 1080p rgb8
const repeats = Number(process.argv[2] ?? 5);

type Stream = ClientDuplexStream<ModelInferRequest, ModelStreamInferResponse__Output>;

interface Payload {
  readonly name: string;
  readonly calls: number;
  /** Makes the request anew, writing the tensor as for a new frame. */
  request(): ModelInferRequest;
}

interface Measured {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuMs: number;
}

function connect(endpoint: string): GRPCInferenceServiceClient {
  return new (loadProtocol())(endpoint, credentials.createInsecure(), {
    'grpc.enable_retries': 0,
    'grpc.use_local_subchannel_pool': 1,
    'grpc.enable_channelz': 0,
    'grpc.max_receive_message_length': -1,
  });
}

function unary(client: GRPCInferenceServiceClient, request: ModelInferRequest): Promise<void> {
  return new Promise((resolve, reject) => {
    client.ModelInfer(request, (error) => (error === null ? resolve() : reject(error)));
  });
}

function overStream(stream: Stream, request: ModelInferRequest): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.once('data', (message: ModelStreamInferResponse__Output) => {
      if (message.error_message === '') resolve();
      else reject(new Error(message.error_message));
    });
    stream.write(request);
  });
}

async function measure(payload: Payload, call: (request: ModelInferRequest) => Promise<void>): Promise<Measured> {
  for (let index = 0; index < 20; index += 1) await call(payload.request());
  const times: number[] = [];
  const cpu = process.cpuUsage();
  for (let index = 0; index < payload.calls; index += 1) {
    const start = performance.now();
    await call(payload.request());
    times.push(performance.now() - start);
  }
  const { user, system } = process.cpuUsage(cpu);
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor((times.length - 1) * share)] ?? Number.NaN;
  return { p50Ms: at(0.5), p99Ms: at(0.99), cpuMs: (user + system) / 1000 / payload.calls };
}

function payloads(region: Region): readonly Payload[] {
  const small = Buffer.from(new Float32Array(16).buffer);
  const large = Buffer.alloc(LARGE_BYTES, 1);
  const input = (elements: number, parameters = {}) => ({ name: 'IN', datatype: 'FP32', shape: [elements], parameters });
  const elements = LARGE_BYTES / 4;
  const shared = {
    shared_memory_region: { string_param: region.name },
    shared_memory_byte_size: { int64_param: LARGE_BYTES },
  };
  return [
    { name: '64 B inline', calls: 1000, request: () => ({ model_name: 'echo', inputs: [input(16)], raw_input_contents: [small] }) },
    { name: '6.2 MB inline', calls: 60, request: () => ({ model_name: 'sum', inputs: [input(elements)], raw_input_contents: [large] }) },
    {
      name: '6.2 MB shared memory',
      calls: 60,
      request: () => {
        region.bytes.set(large);
        return { model_name: 'sum', inputs: [input(elements, shared)] };
      },
    },
  ];
}

function range(values: readonly number[]): string {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, middle, high] = [sorted[0], sorted[sorted.length >> 1], sorted[sorted.length - 1]].map((value) => value?.toFixed(2));
  return `${middle} (${low} - ${high})`;
}

async function compare(client: GRPCInferenceServiceClient, region: Region): Promise<void> {
  console.log(`${repeats} repeats in turn; median (lowest - highest) of the repeats, ms`);
  for (const payload of payloads(region)) {
    const results = { unary: [] as Measured[], stream: [] as Measured[] };
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      results.unary.push(await measure(payload, (request) => unary(client, request)));
      const stream = client.ModelStreamInfer();
      results.stream.push(await measure(payload, (request) => overStream(stream, request)));
      stream.end();
    }
    for (const [arm, measured] of Object.entries(results)) {
      const column = (pick: (one: Measured) => number): string => range(measured.map(pick)).padEnd(24);
      console.log(
        `${payload.name.padEnd(22)}${arm.padEnd(8)}p50 ${column((one) => one.p50Ms)}p99 ${column((one) => one.p99Ms)}CPU ${column((one) => one.cpuMs)}`,
      );
    }
  }
}

/** How long a short call takes that is sent right behind one of 300 ms to another model. */
async function behindASlowCall(client: GRPCInferenceServiceClient): Promise<void> {
  const slow: ModelInferRequest = {
    model_name: 'slow',
    inputs: [{ name: 'DELAY_MS', datatype: 'INT32', shape: [1] }],
    raw_input_contents: [Buffer.from(Int32Array.of(300).buffer)],
  };
  const echo: ModelInferRequest = {
    model_name: 'echo',
    inputs: [{ name: 'IN', datatype: 'FP32', shape: [1] }],
    raw_input_contents: [Buffer.alloc(4)],
  };
  const start = performance.now();
  const running = unary(client, slow);
  await unary(client, echo);
  console.log(`a short call behind a slow one: unary ${(performance.now() - start).toFixed(0)} ms`);
  await running;
  const stream: Stream = client.ModelStreamInfer();
  const from = performance.now();
  const answered = new Promise<void>((resolve) => {
    stream.on('data', (message: ModelStreamInferResponse__Output) => {
      if (message.infer_response?.model_name === 'echo') resolve();
    });
  });
  stream.write(slow);
  stream.write(echo);
  await answered;
  console.log(`a short call behind a slow one: on one stream ${(performance.now() - from).toFixed(0)} ms`);
  stream.end();
}

/** How long the server takes to end after SIGTERM while we hold an idle connection. */
async function stopping(withStream: boolean): Promise<void> {
  const server = await TritonServer.start({ models: [echoModel()] });
  const client = connect(server.endpoint);
  await unary(client, {
    model_name: 'echo',
    inputs: [{ name: 'IN', datatype: 'FP32', shape: [1] }],
    raw_input_contents: [Buffer.alloc(4)],
  });
  const stream = withStream ? client.ModelStreamInfer() : undefined;
  stream?.on('data', () => {}).on('error', () => {});
  await sleep(200);
  const start = performance.now();
  server.signal('SIGTERM');
  while (!server.ended && performance.now() - start < 15_000) await sleep(50);
  const took = server.ended ? `${(performance.now() - start).toFixed(0)} ms` : 'more than 15 s';
  console.log(`the server ends after SIGTERM, ${withStream ? 'an idle stream open' : 'no stream open'}: ${took}`);
  await server.kill();
  client.close();
}

const server = await TritonServer.start({ models: [echoModel(), sumModel(), slowModel()] });
const region = createRegion(regionNames()(), LARGE_BYTES, await loadMemoryMap());
const client = connect(server.endpoint);
await new Promise<void>((resolve, reject) => {
  const request = { name: region.name, key: `/${region.name}`, byte_size: LARGE_BYTES };
  client.SystemSharedMemoryRegister(request, (error) => (error === null ? resolve() : reject(error)));
});
await compare(client, region);
await behindASlowCall(client);
client.close();
region.release();
await server.stop();
await stopping(false);
await stopping(true);
