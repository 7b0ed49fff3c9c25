/** What a server says its model takes and gives, as far as tensors are concerned, and how shapes are compared with it. */
import type { Datatype } from '../governor/ports.js';

/** A dimension the server leaves open, and in what a stream sends: one that each message decides. */
export const DYNAMIC = -1;

export interface TensorSignature {
  readonly name: string;
  readonly datatype: string;
  /** Batch dimension included; -1 = any. */
  readonly shape: readonly number[];
}

export interface ModelSignature {
  /** The model's name at the server. */
  readonly name: string;
  readonly inputs: readonly TensorSignature[];
  readonly outputs: readonly TensorSignature[];
}

export function fits(shape: readonly number[], model: readonly number[]): boolean {
  if (shape.length !== model.length) return false;
  return shape.every((size, i) => size === DYNAMIC || model[i] === DYNAMIC || size === model[i]);
}

export function elementCount(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}

export function formatTensor(datatype: string, shape: readonly number[]): string {
  return `${datatype} [${shape.join(',')}]`;
}

const ELEMENT_BYTES: ReadonlyMap<string, number> = new Map<Datatype, number>([
  ['BOOL', 1],
  ['UINT8', 1],
  ['INT8', 1],
  ['UINT16', 2],
  ['INT16', 2],
  ['FP16', 2],
  ['BF16', 2],
  ['UINT32', 4],
  ['INT32', 4],
  ['FP32', 4],
  ['UINT64', 8],
  ['INT64', 8],
  ['FP64', 8],
]);

/** Bytes of one element; undefined for BYTES, whose elements differ in length. */
export function elementBytes(datatype: Datatype): number | undefined {
  return ELEMENT_BYTES.get(datatype);
}
