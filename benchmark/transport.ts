/**
 * Unary calls against ModelStreamInfer on the real Triton over loopback: a small tensor, 6 MB inside the message, 6 MB in shared memory;
 * and what an open stream does to calls behind a slow one, and to a server that is stopped.
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
import { echoModel } from '../test/support/triton-models.js';
import { TritonServer } from '../test/support/triton-server.js';
import type { BenchContext, Topic } from './context.js';
import type { Section } from './report.js';
import { percentile, shown, spreadOf } from './statistics.js';

const LARGE_BYTES = 6_220_800; // 1080p rgb8

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
  return { p50Ms: percentile(times, 0.5), p99Ms: percentile(times, 0.99), cpuMs: (user + system) / 1000 / payload.calls };
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

const WAYS = ['unary', 'stream'] as const;
interface Compared {
  readonly payload: string;
  readonly way: (typeof WAYS)[number];
  readonly repeats: readonly Measured[];
}

async function compare(client: GRPCInferenceServiceClient, region: Region, context: BenchContext): Promise<readonly Compared[]> {
  const compared: Compared[] = [];
  for (const payload of payloads(region)) {
    context.progress(`transport: ${payload.name}`);
    const results = { unary: [] as Measured[], stream: [] as Measured[] };
    for (let repeat = 0; repeat < context.repeats; repeat += 1) {
      if (context.abort.aborted) throw new Error('interrupted');
      results.unary.push(await measure(payload, (request) => unary(client, request)));
      const stream = client.ModelStreamInfer();
      results.stream.push(await measure(payload, (request) => overStream(stream, request)));
      stream.end();
    }
    compared.push(...WAYS.map((way) => ({ payload: payload.name, way, repeats: results[way] })));
  }
  return compared;
}

interface Behaviour {
  readonly unaryMs: number;
  readonly streamMs: number;
}

/** How long a short call takes that is sent right behind one of 300 ms to another model. */
async function behindASlowCall(client: GRPCInferenceServiceClient): Promise<Behaviour> {
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
  const unaryMs = performance.now() - start;
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
  stream.end();
  return { unaryMs, streamMs: performance.now() - from };
}

/** Longer is not waited for. */
const STOPPING_LIMIT_MS = 15_000;

/** How long the server takes to end after SIGTERM while we hold an idle connection. */
async function stopping(withStream: boolean): Promise<number> {
  const server = await TritonServer.start({ models: [echoModel()] });
  const client = connect(server.endpoint);
  try {
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
    while (!server.ended && performance.now() - start < STOPPING_LIMIT_MS) await sleep(50);
    return server.ended ? performance.now() - start : Number.POSITIVE_INFINITY;
  } finally {
    await server.kill();
    client.close();
  }
}

export const transport: Topic = {
  name: 'transport',
  description: 'unary calls against one open ModelStreamInfer',
  async measure(context) {
    const server = await context.triton();
    const region = createRegion(regionNames().next(), LARGE_BYTES, await loadMemoryMap());
    const client = connect(server.endpoint);
    try {
      await register(client, region);
      const compared = await compare(client, region, context);
      context.progress('transport: behaviour');
      const behind = await behindASlowCall(client);
      const stopped = { unaryMs: await stopping(false), streamMs: await stopping(true) };
      return section(compared, behind, stopped, context);
    } finally {
      client.close();
      region.release();
    }
  },
};

function register(client: GRPCInferenceServiceClient, region: Region): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = { name: region.name, key: `/${region.name}`, byte_size: LARGE_BYTES };
    client.SystemSharedMemoryRegister(request, (error) => (error === null ? resolve() : reject(error)));
  });
}

function section(compared: readonly Compared[], behind: Behaviour, stopped: Behaviour, { repeats }: BenchContext): Section {
  const column = (values: readonly Measured[], key: keyof Measured): string => shown(spreadOf(values.map((one) => one[key])));
  return {
    title: 'Unary calls against one open stream',
    method: [
      `From Node, one call at a time, ${repeats} repeats in turn; median of the repeats, in brackets the lowest and the highest, ms. The choice and ` +
        'its reasons: adr/0006-unary-or-stream.md.',
    ],
    tables: [
      {
        columns: ['', 'p50', 'p99', 'own CPU a call'],
        rows: compared.map((one) => [
          `${one.payload}, ${one.way}`,
          ...(['p50Ms', 'p99Ms', 'cpuMs'] as const).map((key) => column(one.repeats, key)),
        ]),
      },
      {
        columns: ['', 'unary', 'stream'],
        rows: [
          behaviour('A short call right behind one of 300 ms to another model is answered after', behind),
          behaviour('The server ends after SIGTERM, while we are idle, within', stopped),
        ],
      },
    ],
    conclusions: [
      'A stream saves time and processor on each call. Its price: a short call waits behind a slow one of another model, and a server that is ' +
        'told to end waits for an idle stream. So the node makes unary calls.',
    ],
    figures: { compared, behind, stopped },
  };
}

function behaviour(what: string, { unaryMs, streamMs }: Behaviour): readonly string[] {
  const text = (value: number): string => (Number.isFinite(value) ? `${value.toFixed(0)} ms` : `more than ${STOPPING_LIMIT_MS / 1000} s`);
  return [what, text(unaryMs), text(streamMs)];
}
