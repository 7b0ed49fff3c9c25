import type { Datatype } from '../governor/ports.js';
import type { InferTensorContents__Output } from '../triton/generated/inference/InferTensorContents.js';
import { bytesOf, numberArray, textElements } from './datatypes.js';
import { RpcFailure } from './rpc-failure.js';

type Field = keyof InferTensorContents__Output;

/** The field in which elements of a datatype travel; FP16 and BF16 travel as raw bytes only. */
const FIELDS: Readonly<Partial<Record<Datatype, Field>>> = {
  BOOL: 'bool_contents',
  INT8: 'int_contents',
  INT16: 'int_contents',
  INT32: 'int_contents',
  INT64: 'int64_contents',
  UINT8: 'uint_contents',
  UINT16: 'uint_contents',
  UINT32: 'uint_contents',
  UINT64: 'uint64_contents',
  FP32: 'fp32_contents',
  FP64: 'fp64_contents',
  BYTES: 'bytes_contents',
};

export function hasContents(contents: InferTensorContents__Output | null): contents is InferTensorContents__Output {
  return contents !== null && Object.values(contents).some((elements) => elements.length > 0);
}

/** Elements that came one by one, as the bytes of the tensor. @throws {RpcFailure} when another field than the datatype's is used. */
export function encodeContents(input: string, datatype: Datatype, contents: InferTensorContents__Output): Buffer {
  const field = FIELDS[datatype];
  const used = Object.entries(contents).find(([name, elements]) => name !== field && elements.length > 0);
  if (used !== undefined)
    throw new RpcFailure(
      'INVALID_ARGUMENT',
      `unexpected explicit tensor data for input tensor '${input}': ${used[0]}, expected datatype '${datatype}'`,
    );
  switch (datatype) {
    case 'BYTES':
      return textElements(contents.bytes_contents);
    case 'INT64':
      return bytesOf(BigInt64Array.from(contents.int64_contents, BigInt));
    case 'UINT64':
      return bytesOf(BigUint64Array.from(contents.uint64_contents, BigInt));
    case 'FP16':
    case 'BF16':
      return Buffer.alloc(0);
    default: {
      const elements: readonly (number | boolean)[] = field === undefined ? [] : numbers(contents, field);
      const values = numberArray(datatype, elements.length);
      elements.forEach((element, index) => {
        values[index] = Number(element);
      });
      return bytesOf(values);
    }
  }
}

function numbers(contents: InferTensorContents__Output, field: Field): readonly (number | boolean)[] {
  const elements: readonly (number | boolean | string | Buffer)[] = contents[field];
  return elements.filter((element) => typeof element === 'number' || typeof element === 'boolean');
}
