/** What a client asks for, checked against the model before anything waits or runs. */
import type { Datatype } from '../governor/ports.js';
import type { InferParameter__Output } from '../triton/generated/inference/InferParameter.js';
import type { ModelInferRequest__Output } from '../triton/generated/inference/ModelInferRequest.js';
import { encodeContents, hasContents } from './contents.js';
import { ELEMENT_BYTES, elementCount } from './datatypes.js';
import type { Dimension, ModelDescription, OutputDescription, TensorDescription } from './model-description.js';
import { RpcFailure } from './rpc-failure.js';
import type { RegionSlice, SharedMemory } from './shared-memory.js';

/** No message is larger, in or out: an image of 4K as floats fits twice. */
export const MAX_MESSAGE_BYTES = 256 * 1024 * 1024;

export interface CheckedInput {
  readonly datatype: Datatype;
  readonly source: Buffer | RegionSlice;
  /** Elements of BYTES do not add up: found when the model takes them in. */
  readonly broken: boolean;
}

export interface CheckedOutput {
  readonly output: OutputDescription;
  readonly shape: readonly number[];
  /** Absent: in the answer. */
  readonly target?: RegionSlice;
}

export interface CheckedRequest {
  /** In the order of the model. */
  readonly inputs: readonly CheckedInput[];
  /** Those asked for, in the order of the request; all of the model when it names none. */
  readonly outputs: readonly CheckedOutput[];
}

type RequestInput = ModelInferRequest__Output['inputs'][number];
type Parameters = Readonly<Record<string, InferParameter__Output>>;

/** @throws {RpcFailure} with Triton's code for the first thing that is wrong. */
export function checkRequest(model: ModelDescription, request: ModelInferRequest__Output, memory: SharedMemory): CheckedRequest {
  const sources = inputSources(model, request, memory);
  const names = request.inputs.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw invalid(`input '${twice}' already exists in request`);
  if (names.length !== model.inputs.length) {
    const missing = model.inputs.filter(({ name }) => !names.includes(name)).map(({ name }) => `'${name}'`);
    throw invalid(
      `expected ${model.inputs.length} inputs but got ${names.length} inputs for model '${model.name}'; missing: ${missing.join(', ') || 'none'}`,
    );
  }
  const dimensions = new Map<string, number>();
  const inputs = model.inputs.map((description) => {
    const index = names.indexOf(description.name);
    const [input, source] = [request.inputs[index], sources[index]];
    if (input === undefined || source === undefined)
      throw invalid(`missing required input '${description.name}' for model '${model.name}'`);
    return checkInput(model, description, input, source, dimensions);
  });
  return { inputs, outputs: requestedOutputs(model, request, memory, dimensions) };
}

/** Where the bytes of each input of the request are: the raw entries belong, in order, to the inputs that are not in shared memory. */
function inputSources(model: ModelDescription, request: ModelInferRequest__Output, memory: SharedMemory): (Buffer | RegionSlice)[] {
  let raw = 0;
  return request.inputs.map((input) => {
    const described = model.inputs.find(({ name }) => name === input.name);
    if (described === undefined) throw invalid(`unexpected inference input '${input.name}' for model '${model.name}'`);
    const explicit = hasContents(input.contents);
    const slice = sliceOf(input.name, input.parameters, memory);
    if (slice !== undefined) {
      if (explicit)
        throw invalid(`unexpected 'content' provided when using shared memory for input tensor '${input.name}' for model '${model.name}'`);
      return slice;
    }
    if (request.raw_input_contents.length > 0) {
      if (explicit)
        throw invalid(`contents field must not be specified when using raw_input_contents for '${input.name}' for model '${model.name}'`);
      const bytes = request.raw_input_contents[raw];
      raw += 1;
      if (bytes === undefined) throw invalid(`unable to find data for input tensor '${input.name}' for model '${model.name}' in request.`);
      return bytes;
    }
    if (!hasContents(input.contents))
      throw invalid(`unable to find data for input tensor '${input.name}' for model '${model.name}' in request.`);
    return encodeContents(input.name, described.datatype, input.contents);
  });
}

/** @param dimensions what the named dimensions are in this request; filled here. */
function checkInput(
  model: ModelDescription,
  description: TensorDescription,
  input: RequestInput,
  source: Buffer | RegionSlice,
  dimensions: Map<string, number>,
): CheckedInput {
  const { name, datatype } = description;
  if (input.datatype !== datatype)
    throw invalid(`inference input '${name}' data-type is '${input.datatype}', but model '${model.name}' expects '${datatype}'`);
  const shape = input.shape.map(Number);
  if (!shape.every((dimension) => Number.isSafeInteger(dimension) && dimension >= 0)) {
    throw invalid(`All input dimensions should be specified for input '${name}' for model '${model.name}', got [${input.shape.join(',')}]`);
  }
  if (!fits(shape, description.shape, dimensions)) {
    throw invalid(
      `unexpected shape for input '${name}' for model '${model.name}'. Expected [${shapeText(description.shape)}], got [${shape.join(',')}]`,
    );
  }
  const size = 'region' in source ? source.byteSize : source.byteLength;
  const count = elementCount(shape);
  if (datatype === 'BYTES') return { datatype, source, broken: hasBrokenText(name, bytesIn(source), count) };
  const expected = count * ELEMENT_BYTES[datatype];
  if (size !== expected)
    throw invalid(`input byte size mismatch for input '${name}' for model '${model.name}'. Expected ${expected}, got ${size}`);
  return { datatype, source, broken: false };
}

function fits(shape: readonly number[], described: readonly Dimension[], dimensions: Map<string, number>): boolean {
  if (shape.length !== described.length) return false;
  return described.every((dimension, index) => {
    const actual = shape[index] ?? 0;
    if (typeof dimension === 'number') return actual === dimension;
    const known = dimensions.get(dimension.name) ?? actual;
    dimensions.set(dimension.name, known);
    return actual === known;
  });
}

function requestedOutputs(
  model: ModelDescription,
  request: ModelInferRequest__Output,
  memory: SharedMemory,
  dimensions: ReadonlyMap<string, number>,
): CheckedOutput[] {
  const wanted = new Map<string, Parameters>(request.outputs.map(({ name, parameters }) => [name, parameters]));
  const unknown = [...wanted.keys()].find((name) => model.outputs.every((output) => output.name !== name));
  if (unknown !== undefined) throw invalid(`unexpected inference output '${unknown}' for model '${model.name}'`);
  const names = wanted.size === 0 ? model.outputs.map(({ name }) => name) : [...wanted.keys()];
  const outputs = names.flatMap((name) => {
    const output = model.outputs.find((candidate) => candidate.name === name);
    if (output === undefined) return [];
    const target = sliceOf(name, wanted.get(name) ?? {}, memory);
    return [
      { output, shape: output.shape.map((dimension) => resolve(dimension, dimensions)), ...(target === undefined ? {} : { target }) },
    ];
  });
  const size = outputs.reduce((sum, { output, shape }) => sum + elementCount(shape) * elementBytes(output), 0);
  if (size > MAX_MESSAGE_BYTES)
    throw new RpcFailure('RESOURCE_EXHAUSTED', `the outputs of model '${model.name}' would be ${size} bytes; at most ${MAX_MESSAGE_BYTES}`);
  return outputs;
}

function elementBytes({ datatype, fill }: OutputDescription): number {
  return datatype === 'BYTES' ? 4 + Buffer.byteLength(String(fill)) : ELEMENT_BYTES[datatype];
}

function resolve(dimension: Dimension, dimensions: ReadonlyMap<string, number>): number {
  return typeof dimension === 'number' ? dimension : Math.ceil((dimensions.get(dimension.name) ?? 0) / dimension.divisor);
}

/** The part of a region that the parameters of a tensor name, if they do. */
function sliceOf(tensor: string, parameters: Parameters, memory: SharedMemory): RegionSlice | undefined {
  const region = parameter(tensor, parameters, 'shared_memory_region', 'string_param');
  if (region === undefined) return undefined;
  const byteSize = parameter(tensor, parameters, 'shared_memory_byte_size', 'int64_param');
  if (byteSize === undefined)
    throw invalid(`'shared_memory_byte_size' must be specified along with 'shared_memory_region' parameter for tensor '${tensor}'`);
  const offset = parameter(tensor, parameters, 'shared_memory_offset', 'int64_param') ?? '0';
  return memory.slice(region, Number(offset), Number(byteSize));
}

function parameter(tensor: string, parameters: Parameters, name: string, kind: 'string_param' | 'int64_param'): string | undefined {
  const given = parameters[name];
  if (given === undefined) return undefined;
  const value = given[kind];
  if (given.parameter_choice !== kind || value === undefined)
    throw invalid(`invalid value type for '${name}' parameter for tensor '${tensor}', expected ${kind}.`);
  return value;
}

export function bytesIn(source: Buffer | RegionSlice): Buffer {
  return 'region' in source ? source.region.read(source) : source;
}

/**
 * Whether the last element of a BYTES tensor is cut off.
 * @throws {RpcFailure} when the number of elements is not that of the shape: this much is seen before the model runs.
 */
function hasBrokenText(input: string, bytes: Buffer, expected: number): boolean {
  let [position, count] = [0, 0];
  while (position < bytes.byteLength) {
    if (position + 4 > bytes.byteLength) throw invalid(`incomplete string length indicator for inference input '${input}'`);
    position += 4 + bytes.readUInt32LE(position);
    count += 1;
  }
  if (count !== expected) throw invalid(`expected ${expected} string elements for inference input '${input}', got ${count}`);
  return position > bytes.byteLength;
}

function shapeText(shape: readonly Dimension[]): string {
  return shape.map((dimension) => (typeof dimension === 'number' ? dimension : -1)).join(',');
}

function invalid(details: string): RpcFailure {
  return new RpcFailure('INVALID_ARGUMENT', details);
}
