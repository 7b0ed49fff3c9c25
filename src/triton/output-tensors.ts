/** Reads the outputs of an answer. Nothing in it is trusted: shape, datatype and length must fit together. */

import { BadOutput } from '../governor/bad-output.js';
import { ELEMENT_BYTES, elementCount, isDatatype } from '../governor/datatype.js';
import type { OutputTensor } from '../governor/ports.js';
import type {
  _inference_ModelInferResponse_InferOutputTensor__Output,
  ModelInferResponse__Output,
} from './generated/inference/ModelInferResponse.js';
import { encodeContents } from './typed-contents.js';

const MAX_RANK = 32;
/** More than any model has; what is longer is not repeated to anybody. */
const MAX_OUTPUTS = 256;
const MAX_NAME_LENGTH = 256;

/**
 * Outputs in the server's order, little endian and row-major whichever form they came in; BYTES elements as in raw form, each behind its
 * length in four bytes. Raw data is a view into the message: it may start at any address.
 * @throws {BadOutput} when the answer contradicts itself
 */
export function readOutputs(response: ModelInferResponse__Output): readonly OutputTensor[] {
  const { outputs, raw_output_contents: raw, model_version: version } = response;
  if (outputs.length === 0) throw new BadOutput('the answer has no outputs');
  if (outputs.length > MAX_OUTPUTS) throw new BadOutput(`the answer has ${outputs.length} outputs; at most ${MAX_OUTPUTS} are read`);
  if (version.length > MAX_NAME_LENGTH) throw new BadOutput(`the version of the model has ${version.length} characters`);
  const isRaw = raw.length > 0;
  if (isRaw && raw.length !== outputs.length) throw new BadOutput(`${outputs.length} outputs, but ${raw.length} raw contents`);
  const names = new Set<string>();
  return outputs.map((output, index) => {
    if (output.name.length > MAX_NAME_LENGTH) throw new BadOutput(`output ${index} has a name of ${output.name.length} characters`);
    if (output.name === '' || names.has(output.name)) throw new BadOutput(`output ${index} has no name of its own: "${output.name}"`);
    names.add(output.name);
    return readOutput(output, isRaw ? raw[index] : undefined);
  });
}

function readOutput(output: _inference_ModelInferResponse_InferOutputTensor__Output, raw: Uint8Array | undefined): OutputTensor {
  const { name, datatype } = output;
  if (!isDatatype(datatype)) throw new BadOutput(`output "${name}" has the datatype ${JSON.stringify(datatype.slice(0, 80))}`);
  const shape = readShape(name, output.shape);
  const count = elementCount(shape);
  if (count === undefined) throw new BadOutput(`output "${name}" has the shape [${output.shape.join(', ')}]`);
  const data = raw ?? encodeContents(name, datatype, count, output.contents);
  if (datatype === 'BYTES') checkBytesElements(name, data, count);
  else if (data.length !== count * ELEMENT_BYTES[datatype]) {
    throw new BadOutput(
      `output "${name}" has ${data.length} bytes, but ${datatype} [${shape.join(', ')}] takes ${count * ELEMENT_BYTES[datatype]}`,
    );
  }
  return { name, datatype, shape, data };
}

function readShape(name: string, shape: readonly string[]): readonly number[] {
  if (shape.length > MAX_RANK) throw new BadOutput(`output "${name}" has ${shape.length} dimensions`);
  return shape.map((text) => {
    const size = Number(text);
    if (!Number.isSafeInteger(size) || size < 0) throw new BadOutput(`output "${name}" has a dimension of ${text}`);
    return size;
  });
}

/** Walks over the lengths: they must lead exactly to the end. */
function checkBytesElements(name: string, data: Uint8Array, count: number): void {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  let offset = 0;
  for (let index = 0; index < count; index += 1) {
    if (offset + 4 > data.length) throw new BadOutput(`output "${name}" ends before element ${index} of ${count}`);
    offset += 4 + view.getUint32(offset, true);
  }
  if (offset !== data.length) throw new BadOutput(`output "${name}" has ${data.length} bytes, but its ${count} elements take ${offset}`);
}
