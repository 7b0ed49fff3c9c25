import { expect, test } from 'vitest';
import { type ModelMetadata, signatureOf, type TensorMetadata } from '../../src/governor/model-metadata.js';

const tensor = (name: string, shape: readonly number[], datatype: TensorMetadata['datatype'] = 'FP32'): TensorMetadata => ({
  name,
  datatype,
  shape,
});
const model = (inputs: readonly TensorMetadata[], outputs: readonly TensorMetadata[]): ModelMetadata => ({
  name: 'm',
  versions: ['1'],
  inputs,
  outputs,
  maxBatchSize: 0,
  decoupled: false,
});
const image = tensor('image', [1, 3, -1, -1]);
const boxes = tensor('boxes', [1, 100, 4]);
const scores = tensor('scores', [1, 100]);
const signature = signatureOf(model([image], [boxes, scores]));

test('models that take and give the same have one signature, whatever the order in which their server lists it', () => {
  expect(signatureOf({ ...model([image], [scores, boxes]), name: 'other', instances: 3 })).toBe(signature);
});

test.each([
  ['a name', model([tensor('picture', image.shape)], [boxes, scores])],
  ['a type', model([tensor('image', image.shape, 'UINT8')], [boxes, scores])],
  ['a shape', model([image], [tensor('boxes', [1, 50, 4]), scores])],
  ['an output less', model([image], [boxes])],
  ['an output in the place of an input', model([image, scores], [boxes])],
])('%s makes a difference', (_, other) => {
  expect(signatureOf(other)).not.toBe(signature);
});
