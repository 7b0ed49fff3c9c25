/** Shapes of tensors, compared and shown. */

/** A dimension the server leaves open, and in what a stream sends: one that each message decides. */
export const DYNAMIC = -1;

export function fits(shape: readonly number[], model: readonly number[]): boolean {
  if (shape.length !== model.length) return false;
  return shape.every((size, i) => size === DYNAMIC || model[i] === DYNAMIC || size === model[i]);
}

export function formatTensor(datatype: string, shape: readonly number[]): string {
  return `${datatype} [${shape.join(',')}]`;
}
