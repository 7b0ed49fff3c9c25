/** Bare gRPC, so that the suite sees what the server says and not what our client makes of it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type CallOptions, type ChannelOptions, type Client, credentials, type ServiceError, status } from '@grpc/grpc-js';
import type { GRPCInferenceServiceClient } from '../../src/triton/generated/inference/GRPCInferenceService.js';
import type { InferParameter } from '../../src/triton/generated/inference/InferParameter.js';
import type { ModelInferRequest } from '../../src/triton/generated/inference/ModelInferRequest.js';
import type { ModelInferResponse__Output } from '../../src/triton/generated/inference/ModelInferResponse.js';
import type { ModelStreamInferResponse__Output } from '../../src/triton/generated/inference/ModelStreamInferResponse.js';
import { loadProtocol } from '../../src/triton/protocol.js';

export function connect(endpoint: string, options: ChannelOptions = {}): GRPCInferenceServiceClient {
  return new (loadProtocol())(endpoint, credentials.createInsecure(), options);
}

export const { service } = loadProtocol();

interface Method<Question, Answer> {
  readonly path: string;
  readonly requestSerialize: (question: Question) => Buffer;
  readonly responseDeserialize: (bytes: Buffer) => Answer;
}

/** The answer of a unary call; an error becomes a rejection with its `code`. */
export function unary<Question, Answer>(
  client: Client,
  method: Method<Question, Answer>,
  question: Question,
  options: CallOptions = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(method.path, method.requestSerialize, method.responseDeserialize, question, options, (error, answer) => {
      if (error !== null) reject(error);
      else if (answer === undefined) reject(new Error('neither an answer nor an error'));
      else resolve(answer);
    });
  });
}

/** The code with which a call ends, by name. */
export async function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'OK',
    (error: ServiceError) => status[error.code] ?? String(error),
  );
}

export function floats(...values: number[]): Buffer {
  return Buffer.from(Float32Array.from(values).buffer);
}

/** A request with one FP32 input of one dimension. */
export function request(model: string, bytes = floats(1, 2), change: Partial<ModelInferRequest> = {}): ModelInferRequest {
  return {
    model_name: model,
    id: 'one',
    inputs: [{ name: 'IN', datatype: 'FP32', shape: [bytes.byteLength / 4] }],
    raw_input_contents: [bytes],
    ...change,
  };
}

export function infer(client: GRPCInferenceServiceClient, what: ModelInferRequest): Promise<ModelInferResponse__Output> {
  return unary(client, service.ModelInfer, what);
}

/** Long enough for an instance to take a call: unary calls that are sent together may be taken in any order. */
export async function taken(): Promise<void> {
  await sleep(100);
}

/** Parameters of a tensor that lies in a region. */
export function inRegion(name: string, byteSize: number, offset?: number): Record<string, InferParameter> {
  return {
    shared_memory_region: { string_param: name },
    shared_memory_byte_size: { int64_param: byteSize },
    ...(offset === undefined ? {} : { shared_memory_offset: { int64_param: offset } }),
  };
}

export interface Counts {
  readonly success: number;
  readonly fail: number;
}

export async function counts(client: GRPCInferenceServiceClient, model: string): Promise<Counts> {
  const { model_stats } = await unary(client, service.ModelStatistics, { name: model });
  const statistics = model_stats[0]?.inference_stats;
  return { success: Number(statistics?.success?.count), fail: Number(statistics?.fail?.count) };
}

export interface Executions {
  readonly inferences: number;
  readonly executions: number;
}

export async function executions(client: GRPCInferenceServiceClient, model: string): Promise<Executions> {
  const { model_stats } = await unary(client, service.ModelStatistics, { name: model });
  return { inferences: Number(model_stats[0]?.inference_count), executions: Number(model_stats[0]?.execution_count) };
}

/** Sends all requests over one stream and gathers what comes back until the server has closed it. */
export async function streamed(
  client: GRPCInferenceServiceClient,
  requests: readonly ModelInferRequest[],
): Promise<{ readonly answers: readonly ModelStreamInferResponse__Output[]; readonly end: string }> {
  const stream = client.ModelStreamInfer();
  const answers: ModelStreamInferResponse__Output[] = [];
  stream.on('data', (response: ModelStreamInferResponse__Output) => answers.push(response));
  stream.on('error', () => undefined); // comes as a status too
  const end = new Promise<string>((resolve) => stream.once('status', ({ code }) => resolve(status[code] ?? String(code))));
  for (const one of requests) stream.write(one);
  stream.end();
  return { answers, end: await end };
}
