/** Sizes of the KServe v2 datatypes. */
import { DATATYPES, type Datatype } from './ports.js';

/** Bytes of one element in raw form; BYTES elements have a length each. */
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

export function isDatatype(text: string): text is Datatype {
  return (DATATYPES as readonly string[]).includes(text);
}

/** Number of elements, or undefined when it is not a safe integer. An empty shape is a scalar. */
export function elementCount(shape: readonly number[]): number | undefined {
  let count = 1;
  for (const size of shape) count *= size;
  return Number.isSafeInteger(count) ? count : undefined;
}
