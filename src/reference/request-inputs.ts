/** The inputs of a request, checked against the model. */

import { ELEMENT_BYTES, elementCount } from '../governor/datatype.js';
import type { Datatype } from '../governor/ports.js';
import type { InferTensorContents__Output } from '../triton/generated/inference/InferTensorContents.js';
import type { ModelInferRequest__Output } from '../triton/generated/inference/ModelInferRequest.js';
import { encodeContents } from '../triton/typed-contents.js';
import type { Dimension, ModelDescription, TensorDescription } from './model-description.js';
import { regionSlice } from './region-parameters.js';
import { RpcFailure } from './rpc-failure.js';
import type { RegionSlice, SharedMemory } from './shared-memory.js';

export interface CheckedInput {
  readonly source: Uint8Array | RegionSlice;
  /** The last text is cut off: found when the model takes it in. */
  readonly broken: boolean;
}

export interface CheckedInputs {
  /** In the order of the model. */
  readonly inputs: readonly CheckedInput[];
  /** What the named dimensions are in this request. */
  readonly dimensions: ReadonlyMap<string, number>;
}

type RequestInput = ModelInferRequest__Output['inputs'][number];
type Source = Uint8Array | RegionSlice | 'contents';

/** @throws {RpcFailure} for the first thing that is wrong. */
export function checkInputs(model: ModelDescription, request: ModelInferRequest__Output, memory: SharedMemory): CheckedInputs {
  const sources = findSources(model, request, memory);
  const names = request.inputs.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw invalid(`input '${twice}' already exists in request`);
  const dimensions = new Map<string, number>();
  const inputs = model.inputs.map((description) => {
    const index = names.indexOf(description.name);
    const [input, source] = [request.inputs[index], sources[index]];
    if (input === undefined || source === undefined)
      throw invalid(`missing required input '${description.name}' for model '${model.name}'`);
    return checkInput(model, description, input, source, dimensions);
  });
  return { inputs, dimensions };
}

export function bytesIn(source: Uint8Array | RegionSlice): Uint8Array {
  return 'region' in source ? source.region.read(source) : source;
}

/** Where the bytes of each input of the request are: the raw entries belong, in order, to the inputs that are not in shared memory. */
function findSources(model: ModelDescription, request: ModelInferRequest__Output, memory: SharedMemory): Source[] {
  let raw = 0;
  return request.inputs.map((input) => {
    const about = `for input tensor '${input.name}' for model '${model.name}'`;
    if (model.inputs.every(({ name }) => name !== input.name))
      throw invalid(`unexpected inference input '${input.name}' for model '${model.name}'`);
    const explicit = hasElements(input.contents);
    const slice = regionSlice(input.name, input.parameters, memory);
    if (slice !== undefined) {
      if (explicit) throw invalid(`unexpected 'content' provided when using shared memory ${about}`);
      return slice;
    }
    if (request.raw_input_contents.length === 0) {
      if (explicit) return 'contents';
      throw invalid(`unable to find data ${about} in request.`);
    }
    if (explicit) throw invalid(`contents field must not be specified when using raw_input_contents ${about}`);
    const bytes = request.raw_input_contents[raw];
    raw += 1;
    if (bytes === undefined) throw invalid(`unable to find data ${about} in request.`);
    return bytes;
  });
}

function hasElements(contents: InferTensorContents__Output | null): boolean {
  return contents !== null && Object.values(contents).some((elements) => elements.length > 0);
}

/** @param dimensions filled with what the input tells of them */
function checkInput(
  model: ModelDescription,
  { name, datatype, shape: described }: TensorDescription,
  input: RequestInput,
  from: Source,
  dimensions: Map<string, number>,
): CheckedInput {
  const about = `for input '${name}' for model '${model.name}'`;
  if (input.datatype !== datatype) throw invalid(`data-type is '${input.datatype}' ${about}, which expects '${datatype}'`);
  const shape = input.shape.map(Number);
  const count = shape.every((dimension) => Number.isSafeInteger(dimension) && dimension >= 0) ? elementCount(shape) : undefined;
  if (count === undefined) throw invalid(`all dimensions should be specified, and be possible, ${about}, got [${input.shape.join(',')}]`);
  if (!fits(shape, described, dimensions))
    throw invalid(`unexpected shape ${about}. Expected [${shapeText(described)}], got [${shape.join(',')}]`);
  const source = from === 'contents' ? elements(about, datatype, count, input.contents) : from;
  if (datatype === 'BYTES') return { source, broken: isCutOff(about, bytesIn(source), count) };
  const [size, expected] = ['region' in source ? source.byteSize : source.byteLength, count * ELEMENT_BYTES[datatype]];
  if (size !== expected) throw invalid(`input byte size mismatch ${about}. Expected ${expected}, got ${size}`);
  return { source, broken: false };
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

/** Elements that came one by one, in the field of the datatype. */
function elements(about: string, datatype: Datatype, count: number, contents: InferTensorContents__Output | null): Uint8Array {
  try {
    return encodeContents('', datatype, count, contents);
  } catch (cause) {
    throw new RpcFailure('INVALID_ARGUMENT', `unexpected explicit tensor data ${about}: expected ${count} elements of ${datatype}`, {
      cause,
    });
  }
}

/**
 * Whether the last text is cut off.
 * @throws {RpcFailure} when the number of texts is not that of the shape: this much is seen before the model runs.
 */
function isCutOff(about: string, bytes: Uint8Array, expected: number): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let [position, count] = [0, 0];
  while (position < bytes.byteLength) {
    if (position + 4 > bytes.byteLength) throw invalid(`incomplete string length indicator ${about}`);
    position += 4 + view.getUint32(position, true);
    count += 1;
  }
  if (count !== expected) throw invalid(`expected ${expected} string elements ${about}, got ${count}`);
  return position > bytes.byteLength;
}

function shapeText(shape: readonly Dimension[]): string {
  return shape.map((dimension) => (typeof dimension === 'number' ? dimension : -1)).join(',');
}

function invalid(details: string): RpcFailure {
  return new RpcFailure('INVALID_ARGUMENT', details);
}
