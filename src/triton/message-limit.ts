/** How long an answer may be, from what the model says about its outputs. */

import { ELEMENT_BYTES, elementCount } from '../governor/datatype.js';
import type { ModelMetadata, TensorMetadata } from '../governor/model-metadata.js';
import type { Datatype } from '../governor/ports.js';

/** Limit while nothing is known: enough for every control call. The default of gRPC. */
export const CONTROL_LIMIT_BYTES = 4 * 1024 * 1024;

/** Limit for a model with an output of unknown size: a dimension of any size, or text. Remedy: declare the dims in its configuration. */
export const UNKNOWN_SIZE_LIMIT_BYTES = 64 * 1024 * 1024;

/** Longer answers are not read, whatever the server says of its outputs: each one of them lies in our memory as a whole, and twice for a moment. */
const MAX_LIMIT_BYTES = 256 * 1024 * 1024;

/** Names, shapes and field tags. */
const OVERHEAD_BYTES = 64 * 1024;

/** The longest protobuf form of one element, raw or typed: a negative int32 takes ten bytes. */
const LONGEST_ELEMENT_BYTES: Readonly<Record<Exclude<Datatype, 'BYTES'>, number>> = {
  ...ELEMENT_BYTES,
  UINT8: 2,
  UINT16: 3,
  UINT32: 5,
  UINT64: 10,
  INT8: 10,
  INT16: 10,
  INT32: 10,
  INT64: 10,
};

/** Longest answer of this model that is read. */
export function receiveLimitBytes(metadata: ModelMetadata): number {
  let total = OVERHEAD_BYTES;
  for (const output of metadata.outputs) total += outputLimitBytes(output, metadata.maxBatchSize);
  return Math.min(MAX_LIMIT_BYTES, Math.max(CONTROL_LIMIT_BYTES, total));
}

function outputLimitBytes(output: TensorMetadata, maxBatchSize: number): number {
  const [first, ...rest] = output.shape;
  const shape = maxBatchSize > 0 && first === -1 ? [maxBatchSize, ...rest] : output.shape;
  const count = elementCount(shape);
  if (output.datatype === 'BYTES' || count === undefined || shape.includes(-1)) return UNKNOWN_SIZE_LIMIT_BYTES;
  return count * LONGEST_ELEMENT_BYTES[output.datatype];
}
