import type { OutputParameters } from '../config/schema.js';
import { BadOutput } from '../governor/bad-output.js';
import type { OutputTensor } from '../governor/ports.js';
import { type Box, bestBoxes, detectionOf, toSource } from './boxes.js';
import type { Decoder } from './decoder.js';
import { type Numbers, readNumbers } from './read-output.js';
import type { Size } from './resize-geometry.js';

/** Network pixels per cell of its outputs. */
const STRIDE = 4;

/** As the published model names them: heat map, scale, offset. Landmarks are left to those who read the tensors. */
const DEFAULT_NAMES = ['537', '538', '539'] as const;

/** Of a model that gives others, so many are named. */
const SHOWN_NAMES = 4;

/** Rows of `cells` values each; channel c, cell i at c * width * height + i. */
interface Maps {
  readonly heat: Numbers;
  readonly scale: Numbers;
  readonly offset: Numbers;
  readonly cells: Size;
}

/**
 * CenterFace, a face as a point: Xu et al., "CenterFace: Joint Face Detection and Alignment Using Face as Point" (2020), sections 3.2
 * and 3.3, with the order of channels of its published model (vertical first). A cell of the heat map at or above the score threshold
 * is a face; its centre is the middle of the cell plus the offset, its sides are exp(scale), all in cells of 4 network pixels.
 */
export const centerface: Decoder = {
  outputNames: namesIn,
  decode(outputs, geometry, parameters) {
    const boxes = facesIn(mapsIn(outputs, geometry.target, parameters), parameters.score_threshold)
      .map((box) => toSource(box, geometry))
      .filter((box) => box !== undefined);
    return bestBoxes(boxes, parameters).map((box) => detectionOf(box, parameters.labels));
  },
};

function namesIn({ tensors }: OutputParameters): readonly [string, string, string] {
  const [heat = DEFAULT_NAMES[0], scale = DEFAULT_NAMES[1], offset = DEFAULT_NAMES[2]] = tensors;
  return [heat, scale, offset];
}

function mapsIn(outputs: readonly OutputTensor[], network: Size, parameters: OutputParameters): Maps {
  const [heat, scale, offset] = namesIn(parameters);
  const cells = { width: Math.ceil(network.width / STRIDE), height: Math.ceil(network.height / STRIDE) };
  return { heat: mapOf(outputs, heat, 1, cells), scale: mapOf(outputs, scale, 2, cells), offset: mapOf(outputs, offset, 2, cells), cells };
}

function mapOf(outputs: readonly OutputTensor[], name: string, channels: number, { width, height }: Size): Numbers {
  const tensor = outputs.find((output) => output.name === name);
  if (tensor === undefined) {
    const names = outputs.slice(0, SHOWN_NAMES).map((output) => `'${output.name}'`);
    const more = outputs.length > SHOWN_NAMES ? ` and ${outputs.length - SHOWN_NAMES} more` : '';
    throw new BadOutput(`output '${name}' is missing, the model gave ${names.join(', ') || 'none'}${more}`);
  }
  const expected = [1, channels, height, width];
  if (tensor.shape.length !== expected.length || tensor.shape.some((size, i) => size !== expected[i])) {
    throw new BadOutput(
      `output '${name}' is [${tensor.shape}], centerface expects [${expected}] for an input of ${width * STRIDE}x${height * STRIDE}`,
    );
  }
  return readNumbers(tensor);
}

/** Boxes in network pixels. */
function facesIn({ heat, scale, offset, cells }: Maps, threshold: number): readonly Box[] {
  const count = cells.width * cells.height;
  const boxes: Box[] = [];
  for (let cell = 0; cell < count; cell++) {
    const score = heat[cell] as number;
    if (!Number.isFinite(score)) throw new BadOutput(`the heat map holds ${score} at cell ${cell}`);
    if (score < threshold) continue;
    const column = cell % cells.width;
    const row = (cell - column) / cells.width;
    const centerY = (row + 0.5 + (offset[cell] as number)) * STRIDE;
    const centerX = (column + 0.5 + (offset[count + cell] as number)) * STRIDE;
    const halfHeight = (Math.exp(scale[cell] as number) * STRIDE) / 2;
    const halfWidth = (Math.exp(scale[count + cell] as number) * STRIDE) / 2;
    const [left, top, right, bottom] = [centerX - halfWidth, centerY - halfHeight, centerX + halfWidth, centerY + halfHeight];
    if (!Number.isFinite(left + top + right + bottom))
      throw new BadOutput(`the face at column ${column}, row ${row} of the heat map has no finite box`);
    boxes.push({ left, top, right, bottom, score, classId: 0 });
  }
  return boxes;
}
