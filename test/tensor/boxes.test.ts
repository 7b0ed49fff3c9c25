import { expect, it } from 'vitest';
import { parametersSchema } from '../../src/config/schema.js';
import { type Box, bestBoxes, MAX_CANDIDATES } from '../../src/tensor/boxes.js';

const PARAMETERS = parametersSchema.parse({
  backends: { gpu: { slots: 1 } },
  models: { faces: { backend: 'gpu', variants: { only: { backend_model: 'centerface' } }, output: { max_detections: 10_000 } } },
  streams: {},
}).models['faces']?.output;

it('compares the best boxes with each other and no more than it can', () => {
  if (PARAMETERS === undefined) throw new Error('the schema lost the model');
  const box = (left: number, score: number): Box => ({ left, top: 0, right: left + 1, bottom: 1, score, classId: 0 });
  const alike = Array.from({ length: MAX_CANDIDATES - 1 }, () => box(0, 0.9));
  expect(bestBoxes([...alike, box(5, 0.8)], PARAMETERS)).toEqual([box(0, 0.9), box(5, 0.8)]);
  expect(bestBoxes([...alike, box(0, 0.9), box(5, 0.8)], PARAMETERS)).toEqual([box(0, 0.9)]);
});
