/** The datatypes of KServe v2 as bytes and as the model configuration names them. All little endian, as the machines are. */
import type { Datatype } from '../governor/ports.js';

export const ELEMENT_BYTES: Readonly<Record<Exclude<Datatype, 'BYTES'>, number>> = {
  BOOL: 1,
  UINT8: 1,
  UINT16: 2,
  UINT32: 4,
  UINT64: 8,
  INT8: 1,
  INT16: 2,
  INT32: 4,
  INT64: 8,
  FP16: 2,
  FP32: 4,
  FP64: 8,
  BF16: 2,
};

/** The name in a model configuration: text is BYTES in the protocol and STRING there. */
export function configurationType<D extends Datatype>(datatype: D): D extends 'BYTES' ? 'TYPE_STRING' : `TYPE_${D}`;
export function configurationType(datatype: Datatype): string {
  return datatype === 'BYTES' ? 'TYPE_STRING' : `TYPE_${datatype}`;
}

export function elementCount(shape: readonly number[]): number {
  return shape.reduce((product, dimension) => product * dimension, 1);
}

/** `count` times `value`; for BYTES each element is the text with its length before it. */
export function filled(datatype: Datatype, count: number, value: number | string): Buffer {
  switch (datatype) {
    case 'BYTES':
      return textElements(new Array<Uint8Array>(count).fill(Buffer.from(String(value))));
    case 'UINT64':
    case 'INT64':
      return bytesOf(new BigInt64Array(count).fill(BigInt(value)));
    case 'FP16':
    case 'BF16':
      return Buffer.alloc(2 * count); // the model file allows no other value than 0 here
    default:
      return bytesOf(numberArray(datatype, count).fill(Number(value)));
  }
}

/** Elements of a BYTES tensor as they travel: a length of 32 bits, then the bytes, for each. */
export function textElements(elements: readonly Uint8Array[]): Buffer {
  return Buffer.concat(
    elements.flatMap((element) => {
      const length = Buffer.alloc(4);
      length.writeUInt32LE(element.byteLength);
      return [length, element];
    }),
  );
}

type PlainNumber = Exclude<Datatype, 'BYTES' | 'FP16' | 'BF16' | 'UINT64' | 'INT64'>;
type NumberArray = Uint8Array | Uint16Array | Uint32Array | Int8Array | Int16Array | Int32Array | Float32Array | Float64Array;

const NUMBER_ARRAYS: Readonly<Record<PlainNumber, new (length: number) => NumberArray>> = {
  BOOL: Uint8Array,
  UINT8: Uint8Array,
  UINT16: Uint16Array,
  UINT32: Uint32Array,
  INT8: Int8Array,
  INT16: Int16Array,
  INT32: Int32Array,
  FP32: Float32Array,
  FP64: Float64Array,
};

/** Zeros. */
export function numberArray(datatype: PlainNumber, length: number): NumberArray {
  return new NUMBER_ARRAYS[datatype](length);
}

export function bytesOf(view: ArrayBufferView): Buffer {
  return Buffer.from(view.buffer, view.byteOffset, view.byteLength);
}
