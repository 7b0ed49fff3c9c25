/** Output tensors as numbers: KServe v2 raw contents, little endian, row-major. */

import { BadOutput } from '../governor/bad-output.js';
import { ELEMENT_BYTES, elementCount } from '../governor/datatype.js';
import type { OutputTensor } from '../governor/ports.js';
import { formatTensor } from './shapes.js';

export type Numbers = Float64Array | Float32Array | Uint8Array | Int8Array | Uint16Array | Int16Array | Uint32Array | Int32Array;

/** Values beyond 2^53 of 64-bit integers are rounded. @throws {BadOutput} for BYTES, and when sizes do not fit together. */
export function readNumbers(tensor: OutputTensor): Numbers {
  const { datatype } = tensor;
  if (datatype === 'BYTES') throw new BadOutput(`output '${tensor.name}' holds texts, not numbers`);
  const buffer = alignedBytes(tensor, ELEMENT_BYTES[datatype]);
  switch (datatype) {
    case 'BOOL':
    case 'UINT8':
      return new Uint8Array(buffer);
    case 'INT8':
      return new Int8Array(buffer);
    case 'UINT16':
      return new Uint16Array(buffer);
    case 'INT16':
      return new Int16Array(buffer);
    case 'UINT32':
      return new Uint32Array(buffer);
    case 'INT32':
      return new Int32Array(buffer);
    case 'UINT64':
      return Float64Array.from(new BigUint64Array(buffer), Number);
    case 'INT64':
      return Float64Array.from(new BigInt64Array(buffer), Number);
    case 'FP16':
      return Float32Array.from(new Uint16Array(buffer), halfToNumber);
    case 'BF16':
      return new Float32Array(Uint32Array.from(new Uint16Array(buffer), (bits) => bits << 16).buffer);
    case 'FP32':
      return new Float32Array(buffer);
    case 'FP64':
      return new Float64Array(buffer);
  }
}

function alignedBytes({ name, datatype, shape, data }: OutputTensor, size: number): ArrayBuffer {
  const count = elementCount(shape);
  if (count === undefined || data.byteLength !== count * size) {
    throw new BadOutput(`output '${name}' has ${data.byteLength} bytes, which are not the elements of ${formatTensor(datatype, shape)}`);
  }
  return new Uint8Array(data).buffer; // a copy: the bytes came at any offset
}

/** IEEE 754 binary16: sign, 5 bits of exponent, 10 of fraction. */
function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
