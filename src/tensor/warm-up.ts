/** Inputs for calls outside all counts, so that the first real frame does not pay for what a server does lazily. */

import { ELEMENT_BYTES, elementCount } from '../governor/datatype.js';
import type { ModelMetadata } from '../governor/model-metadata.js';
import type { TensorSource } from '../governor/ports.js';
import { DYNAMIC } from './shapes.js';

/** For an image side that only messages will tell: small, and a multiple of the strides networks commonly have. */
const DEFAULT_SIDE_PX = 320;

/** An element of BYTES is its length in four bytes, then its content: all zero is an empty text. */
const EMPTY_TEXT_BYTES = 4;

/** Fewest dimensions of an image tensor. */
const IMAGE_DIMENSIONS = 3;

/**
 * @param streamed name of the input that the stream feeds, undefined when none is known.
 * @param expected the shape that the stream will send to it, -1 where each message decides.
 * @throws {Error} when an input is larger than can be counted.
 */
export function zeroInputs(
  metadata: ModelMetadata,
  streamed: string | undefined,
  expected: readonly number[] | undefined,
): readonly TensorSource[] {
  return metadata.inputs.map(({ name, datatype, shape: open }) => {
    const shape = concreteShape(open, name === streamed ? expected : undefined);
    const count = elementCount(shape);
    if (count === undefined) throw new Error(`model '${metadata.name}' input '${name}' has the impossible shape [${open}]`);
    return {
      name,
      datatype,
      shape,
      byteLength: count * (datatype === 'BYTES' ? EMPTY_TEXT_BYTES : ELEMENT_BYTES[datatype]),
      write: (target) => {
        target.fill(0);
      },
    };
  });
}

/** A dimension both sides leave open is a side of an image where there can be one, else 1. */
function concreteShape(shape: readonly number[], expected: readonly number[] | undefined): readonly number[] {
  const sent = expected?.length === shape.length ? expected : undefined;
  return shape.map((size, i) => {
    if (size !== DYNAMIC) return size;
    const declared = sent?.[i];
    if (declared !== undefined && declared !== DYNAMIC) return declared;
    return sent !== undefined && sent.length >= IMAGE_DIMENSIONS ? DEFAULT_SIDE_PX : 1;
  });
}
