/** The datatypes of KServe v2 as bytes and as the model configuration names them. All little endian, as the machines are. */
import type { Datatype } from '../governor/ports.js';

/** The name in a model configuration: text is BYTES in the protocol and STRING there. */
export function configurationType<D extends Datatype>(datatype: D): D extends 'BYTES' ? 'TYPE_STRING' : `TYPE_${D}`;
export function configurationType(datatype: Datatype): string {
  return datatype === 'BYTES' ? 'TYPE_STRING' : `TYPE_${datatype}`;
}

/** `count` times `value`; for BYTES each element is the text with its length before it. */
export function filled(datatype: Datatype, count: number, value: number | string): Buffer {
  switch (datatype) {
    case 'BYTES':
      return Buffer.concat(new Array<Uint8Array>(count).fill(textElement(String(value))));
    case 'UINT64':
    case 'INT64':
      return bytesOf(new BigInt64Array(count).fill(BigInt(value)));
    case 'FP16':
    case 'BF16':
      return Buffer.alloc(2 * count); // the model file allows no other value than 0 here
    default:
      return bytesOf(new NUMBER_ARRAYS[datatype](count).fill(Number(value)));
  }
}

/** An element of BYTES as it travels: a length of 32 bits, then the bytes. */
function textElement(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.byteLength);
  return Buffer.concat([length, bytes]);
}

const NUMBER_ARRAYS = {
  BOOL: Uint8Array,
  UINT8: Uint8Array,
  UINT16: Uint16Array,
  UINT32: Uint32Array,
  INT8: Int8Array,
  INT16: Int16Array,
  INT32: Int32Array,
  FP32: Float32Array,
  FP64: Float64Array,
} as const;

function bytesOf(view: ArrayBufferView): Buffer {
  return Buffer.from(view.buffer, view.byteOffset, view.byteLength);
}
