/** What a client asks for, checked against the model before anything waits or runs. */
import { ELEMENT_BYTES, elementCount } from '../governor/datatype.js';
import type { ModelInferRequest__Output } from '../triton/generated/inference/ModelInferRequest.js';
import { BATCH, type Dimension, type ModelDescription, type OutputDescription } from './model-description.js';
import { regionSlice, type TensorParameters } from './region-parameters.js';
import { type CheckedInput, checkInputs } from './request-inputs.js';
import { RpcFailure } from './rpc-failure.js';
import type { RegionSlice, SharedMemory } from './shared-memory.js';

/** No message is larger, in or out: an image of 4K as floats fits twice. */
export const MAX_MESSAGE_BYTES = 256 * 1024 * 1024;

export interface CheckedOutput {
  readonly output: OutputDescription;
  readonly shape: readonly number[];
  readonly count: number;
  /** Absent: in the answer. */
  readonly target?: RegionSlice;
}

export interface CheckedRequest {
  /** Elements of the batch dimension; 1 where there is none. */
  readonly size: number;
  /** The shapes of the inputs without that dimension: only equal ones share a batch. */
  readonly shape: string;
  /** In the order of the model. */
  readonly inputs: readonly CheckedInput[];
  /** Those asked for, in the order of the request; all of the model when it names none. */
  readonly outputs: readonly CheckedOutput[];
}

/** @throws {RpcFailure} with Triton's code for the first thing that is wrong. */
export function checkRequest(model: ModelDescription, request: ModelInferRequest__Output, memory: SharedMemory): CheckedRequest {
  const { inputs, dimensions } = checkInputs(model, request, memory);
  const batch = checkBatch(model, dimensions);
  const wanted = new Map<string, TensorParameters>(request.outputs.map(({ name, parameters }) => [name, parameters]));
  const names = wanted.size === 0 ? model.outputs.map(({ name }) => name) : [...wanted.keys()];
  const outputs = names.map((name) => {
    const output = model.outputs.find((candidate) => candidate.name === name);
    if (output === undefined) throw new RpcFailure('INVALID_ARGUMENT', `unexpected inference output '${name}' for model '${model.name}'`);
    const target = regionSlice(name, wanted.get(name) ?? {}, memory);
    const shape = output.shape.map((dimension) => resolve(dimension, dimensions));
    return { output, shape, count: elementCount(shape) ?? Infinity, ...(target === undefined ? {} : { target }) };
  });
  const size = outputs.reduce((sum, { output, count }) => sum + count * elementBytes(output), 0);
  if (size > MAX_MESSAGE_BYTES) {
    throw new RpcFailure('RESOURCE_EXHAUSTED', `the outputs of model '${model.name}' would be ${size} bytes; at most ${MAX_MESSAGE_BYTES}`);
  }
  return { ...batch, inputs, outputs };
}

function checkBatch({ name, batching }: ModelDescription, dimensions: ReadonlyMap<string, number>): { size: number; shape: string } {
  const size = batching === undefined ? 1 : (dimensions.get(BATCH.name) ?? 1);
  if (batching !== undefined && (size < 1 || size > batching.maxBatchSize)) {
    throw new RpcFailure('INVALID_ARGUMENT', `inference request batch-size must be from 1 to ${batching.maxBatchSize} for '${name}'`);
  }
  const others = [...dimensions].filter(([dimension]) => dimension !== BATCH.name);
  return { size, shape: others.map(([dimension, value]) => `${dimension}=${value}`).join() };
}

function resolve(dimension: Dimension, dimensions: ReadonlyMap<string, number>): number {
  return typeof dimension === 'number' ? dimension : Math.ceil((dimensions.get(dimension.name) ?? 0) / dimension.divisor);
}

function elementBytes({ datatype, fill }: OutputDescription): number {
  return datatype === 'BYTES' ? 4 + Buffer.byteLength(String(fill)) : ELEMENT_BYTES[datatype];
}
