/** Inputs for calls outside all counts, so that the first real frame does not pay for what a server does lazily. */
import { DATATYPES, type Datatype, type TensorSource } from '../governor/ports.js';
import { DYNAMIC, elementBytes, elementCount, type ModelSignature, type TensorSignature } from './model-signature.js';

/** For an image side that only messages will tell: small, and a multiple of the strides networks commonly have. */
const DEFAULT_SIDE_PX = 320;

/** An element of BYTES is its length in four bytes, then its content: all zero is an empty text. */
const EMPTY_TEXT_BYTES = 4;

const IMAGE_DIMENSIONS = 3;

/**
 * @param streamed name of the input that the stream feeds, undefined when none is.
 * @param expected the shape that the stream will send to it, -1 where each message decides.
 */
export function zeroInputs(
  metadata: ModelSignature,
  streamed: string | undefined,
  expected: readonly number[] | undefined,
): readonly TensorSource[] {
  return metadata.inputs.map((input) => {
    const shape = concreteShape(input.shape, input.name === streamed ? expected : undefined);
    const datatype = datatypeOf(metadata, input);
    return {
      name: input.name,
      datatype,
      shape,
      byteLength: elementCount(shape) * (elementBytes(datatype) ?? EMPTY_TEXT_BYTES),
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

function datatypeOf(metadata: ModelSignature, input: TensorSignature): Datatype {
  const datatype = DATATYPES.find((known) => known === input.datatype);
  if (datatype === undefined)
    throw new Error(`model '${metadata.name}' input '${input.name}' has the unknown datatype '${input.datatype}'`);
  return datatype;
}
