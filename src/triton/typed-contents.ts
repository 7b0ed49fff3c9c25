/** Outputs that a server sends as typed fields instead of raw bytes, brought into the raw form. */

import { BadOutput } from '../governor/bad-output.js';
import { ELEMENT_BYTES } from '../governor/datatype.js';
import type { Datatype } from '../governor/ports.js';
import type { InferTensorContents__Output } from './generated/inference/InferTensorContents.js';

type Write = (view: DataView, offset: number, value: number) => void;
type WriteBig = (view: DataView, offset: number, value: bigint) => void;

const INTEGERS: Readonly<Record<'INT8' | 'INT16' | 'INT32' | 'UINT8' | 'UINT16' | 'UINT32', { min: number; max: number; write: Write }>> = {
  INT8: { min: -0x80, max: 0x7f, write: (view, offset, value) => view.setInt8(offset, value) },
  INT16: { min: -0x8000, max: 0x7fff, write: (view, offset, value) => view.setInt16(offset, value, true) },
  INT32: { min: -0x8000_0000, max: 0x7fff_ffff, write: (view, offset, value) => view.setInt32(offset, value, true) },
  UINT8: { min: 0, max: 0xff, write: (view, offset, value) => view.setUint8(offset, value) },
  UINT16: { min: 0, max: 0xffff, write: (view, offset, value) => view.setUint16(offset, value, true) },
  UINT32: { min: 0, max: 0xffff_ffff, write: (view, offset, value) => view.setUint32(offset, value, true) },
};

/**
 * The raw form of typed contents.
 * @throws {BadOutput} when the number of elements or a value does not fit
 */
export function encodeContents(name: string, datatype: Datatype, count: number, contents: InferTensorContents__Output | null): Uint8Array {
  if (contents === null) {
    if (count === 0) return new Uint8Array(0);
    throw new BadOutput(`output "${name}" came without contents`);
  }
  switch (datatype) {
    case 'BOOL':
      return encode(name, 1, count, contents.bool_contents, (view, offset, value) => view.setUint8(offset, value ? 1 : 0));
    case 'INT8':
    case 'INT16':
    case 'INT32':
      return encodeIntegers(name, datatype, count, contents.int_contents);
    case 'UINT8':
    case 'UINT16':
    case 'UINT32':
      return encodeIntegers(name, datatype, count, contents.uint_contents);
    case 'INT64':
      return encodeBig(name, count, contents.int64_contents, (view, offset, value) => view.setBigInt64(offset, value, true));
    case 'UINT64':
      return encodeBig(name, count, contents.uint64_contents, (view, offset, value) => view.setBigUint64(offset, value, true));
    case 'FP32':
      return encode(name, 4, count, contents.fp32_contents, (view, offset, value) => view.setFloat32(offset, value, true));
    case 'FP64':
      return encode(name, 8, count, contents.fp64_contents, (view, offset, value) => view.setFloat64(offset, value, true));
    case 'BYTES':
      return encodeBytes(name, count, contents.bytes_contents);
    case 'FP16':
    case 'BF16':
      throw new BadOutput(`output "${name}" is ${datatype}, which the protocol has no typed contents for`);
  }
}

function encode<T>(
  name: string,
  bytes: number,
  count: number,
  values: readonly T[],
  write: (view: DataView, offset: number, value: T) => void,
): Uint8Array {
  checkCount(name, count, values.length);
  const data = new Uint8Array(count * bytes);
  const view = new DataView(data.buffer);
  for (const [index, value] of values.entries()) write(view, index * bytes, value);
  return data;
}

function encodeIntegers(name: string, datatype: keyof typeof INTEGERS, count: number, values: readonly number[]): Uint8Array {
  const { min, max, write } = INTEGERS[datatype];
  return encode(name, ELEMENT_BYTES[datatype], count, values, (view, offset, value) => {
    if (value < min || value > max) throw new BadOutput(`output "${name}" is ${datatype}, but holds ${value}`);
    write(view, offset, value);
  });
}

function encodeBig(name: string, count: number, values: readonly string[], write: WriteBig): Uint8Array {
  return encode(name, 8, count, values, (view, offset, value) => write(view, offset, BigInt(value)));
}

function encodeBytes(name: string, count: number, values: readonly Uint8Array[]): Uint8Array {
  checkCount(name, count, values.length);
  const data = new Uint8Array(values.reduce((total, value) => total + 4 + value.length, 0));
  const view = new DataView(data.buffer);
  let offset = 0;
  for (const value of values) {
    view.setUint32(offset, value.length, true);
    data.set(value, offset + 4);
    offset += 4 + value.length;
  }
  return data;
}

function checkCount(name: string, count: number, found: number): void {
  if (count !== found) throw new BadOutput(`output "${name}" has ${found} elements, but its shape says ${count}`);
}
