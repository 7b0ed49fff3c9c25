import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { InputParameters, OutputParameters } from '../../src/config/schema.js';
import { BadOutput } from '../../src/governor/bad-output.js';
import type { OutputTensor } from '../../src/governor/ports.js';
import { codecOf, HEADER, imageOf } from './fixtures.js';

const NETWORK = { width: 64, height: 32 };
const CELLS = { width: 16, height: 8 };

/** A face in network pixels. */
interface Face {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly score: number;
}

/** What the network gives for faces, one at most in a cell. */
function outputsFor(faces: readonly Face[]): Record<'537' | '538' | '539', Float32Array> {
  const count = CELLS.width * CELLS.height;
  const [heat, scale, offset] = [new Float32Array(count), new Float32Array(2 * count), new Float32Array(2 * count)];
  for (const { x, y, width, height, score } of faces) {
    const [column, row] = [Math.floor(x / 4), Math.floor(y / 4)];
    const cell = row * CELLS.width + column;
    heat[cell] = score;
    scale[cell] = Math.log(height / 4);
    scale[count + cell] = Math.log(width / 4);
    offset[cell] = y / 4 - row - 0.5;
    offset[count + cell] = x / 4 - column - 0.5;
  }
  return { '537': heat, '538': scale, '539': offset };
}

function tensorsOf(maps: Readonly<Record<string, Float32Array>>): OutputTensor[] {
  return Object.entries(maps).map(([name, values]) => ({
    name,
    datatype: 'FP32',
    shape: [1, values.length / (CELLS.width * CELLS.height), CELLS.height, CELLS.width],
    data: new Uint8Array(values.buffer),
  }));
}

interface Setting {
  readonly source?: { readonly width: number; readonly height: number };
  readonly resize?: InputParameters['resize'];
  readonly output?: Partial<OutputParameters>;
}

function decode(outputs: readonly OutputTensor[], { source = NETWORK, resize = 'stretch', output = {} }: Setting = {}) {
  const codec = codecOf({
    input: { name: 'input.1', datatype: 'FP32', layout: 'nchw', ...NETWORK, resize },
    output: { decoder: 'centerface', labels: ['face'], ...output },
  });
  const frame = codec.frame(HEADER, imageOf({ ...source, step: source.width * 3, data: new Uint8Array(source.width * source.height * 3) }));
  return frame.decode('only', outputs);
}

const rounded = (detections: ReturnType<typeof decode>) =>
  detections.map(({ centerX, centerY, sizeX, sizeY, score }) =>
    [centerX, centerY, sizeX, sizeY, score].map((value) => Math.round(value * 100) / 100),
  );

const FACE: Face = { x: 20.5, y: 17, width: 10, height: 14, score: 0.9 };

describe('centerface', () => {
  test('finds a face where it is', () => {
    const detections = decode(tensorsOf(outputsFor([FACE, { ...FACE, x: 50, score: 0.49 }])));
    expect(detections).toHaveLength(1);
    expect(detections[0]).toMatchObject({ classId: 0, label: 'face' });
    expect(rounded(detections)).toEqual([[20.5, 17, 10, 14, 0.9]]);
  });

  test('labels by number where there are no names', () => {
    expect(decode(tensorsOf(outputsFor([FACE])), { output: { labels: [] } })[0]?.label).toBe('0');
  });

  test('a score at the threshold counts', () => {
    expect(decode(tensorsOf(outputsFor([{ ...FACE, score: 0.75 }])), { output: { score_threshold: 0.75 } })).toHaveLength(1);
  });

  test('in source pixels, whatever the resizing', () => {
    const faces = tensorsOf(outputsFor([FACE]));
    expect(rounded(decode(faces, { source: { width: 128, height: 128 } }))).toEqual([[41, 68, 20, 56, 0.9]]);
    // 32x32 source in 64x32: 16 pixels of bar at each side
    expect(rounded(decode(faces, { source: { width: 32, height: 32 }, resize: 'letterbox' }))).toEqual([[4.75, 17, 9.5, 14, 0.9]]);
    // 128x128 source: the middle 128x64 is seen
    expect(rounded(decode(faces, { source: { width: 128, height: 128 }, resize: 'crop' }))).toEqual([[41, 66, 20, 28, 0.9]]);
  });

  test('of overlapping boxes the best stays, best first, at most so many', () => {
    const faces = [FACE, { ...FACE, x: 24.5, score: 0.95 }, { ...FACE, x: 50, score: 0.8 }, { ...FACE, x: 5, score: 0.7 }];
    const centres = (output: Partial<OutputParameters>) => rounded(decode(tensorsOf(outputsFor(faces)), { output })).map(([x]) => x);
    expect(centres({})).toEqual([24.5, 50, 5]);
    expect(centres({ iou_threshold: 0.6 })).toEqual([24.5, 20.5, 50, 5]);
    expect(centres({ max_detections: 2 })).toEqual([24.5, 50]);
  });

  test('a box is clipped to the source, and gone when it lies in a bar', () => {
    const clipped = decode(tensorsOf(outputsFor([{ ...FACE, x: 2, y: 30 }])));
    expect(rounded(clipped)).toEqual([[3.5, 27.5, 7, 9, 0.9]]);
    const inBar = decode(tensorsOf(outputsFor([{ ...FACE, x: 6 }])), { source: { width: 32, height: 32 }, resize: 'letterbox' });
    expect(inBar).toEqual([]);
  });

  test('stays finite and inside the source whatever the maps are, or says what is wrong', () => {
    const value = fc.float({ noNaN: false });
    const maps = fc.record({
      heat: fc.array(fc.tuple(fc.nat(127), value), { maxLength: 8 }),
      rest: fc.array(fc.tuple(fc.nat(255), value, value), { maxLength: 8 }),
    });
    fc.assert(
      fc.property(maps, ({ heat, rest }) => {
        const outputs = outputsFor([FACE]);
        for (const [cell, score] of heat) outputs['537'][cell] = score;
        for (const [cell, scale, offset] of rest) {
          outputs['538'][cell] = scale;
          outputs['539'][cell] = offset;
        }
        try {
          for (const { centerX, centerY, sizeX, sizeY } of decode(tensorsOf(outputs))) {
            expect(centerX - sizeX / 2).toBeGreaterThanOrEqual(-1e-9);
            expect(centerY - sizeY / 2).toBeGreaterThanOrEqual(-1e-9);
            expect(centerX + sizeX / 2).toBeLessThanOrEqual(NETWORK.width + 1e-9);
            expect(centerY + sizeY / 2).toBeLessThanOrEqual(NETWORK.height + 1e-9);
          }
        } catch (error) {
          if (!(error instanceof BadOutput)) throw error;
        }
      }),
    );
  });
});

describe('outputs that cannot be read', () => {
  const broken = (change: (maps: Record<'537' | '538' | '539', Float32Array>) => void) => () => {
    const maps = outputsFor([FACE]);
    change(maps);
    return decode(tensorsOf(maps));
  };
  const cell = 4 * CELLS.width + 5;

  test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])('%s in the heat map', (value) => {
    expect(broken((maps) => maps['537'].fill(value, 3, 4))).toThrow(`the heat map holds ${value} at cell 3`);
  });

  test.each([
    ['538', Number.NaN],
    ['538', 1000],
    ['539', Number.NaN],
    ['539', Number.NEGATIVE_INFINITY],
  ] as const)('a face whose %s is %s', (name, value) => {
    const without = 'the face at column 5, row 4 of the heat map has no finite box';
    expect(broken((maps) => maps[name].fill(value, cell, cell + 1))).toThrow(without);
  });

  test('NaN beside the faces does not count', () => {
    expect(broken((maps) => maps['538'].fill(Number.NaN, 0, 1))()).toHaveLength(1);
  });

  test('a missing output', () => {
    const [heat, scale] = tensorsOf(outputsFor([]));
    expect(() => decode([heat, scale].filter((output) => output !== undefined))).toThrow(
      "output '539' is missing, the model gave '537', '538'",
    );
  });

  test('another shape', () => {
    const [heat, ...rest] = tensorsOf(outputsFor([]));
    if (heat === undefined) throw new Error('no heat map');
    expect(() => decode([{ ...heat, shape: [1, 1, 16, 8] }, ...rest])).toThrow(
      "output '537' is [1,1,16,8], centerface expects [1,1,8,16] for an input of 64x32",
    );
  });

  test('other names are read where they are declared', () => {
    const { '537': heat, '538': scale, '539': offset } = outputsFor([FACE]);
    const outputs = tensorsOf({ scales: scale, heat, offsets: offset });
    expect(decode(outputs, { output: { tensors: ['heat', 'scales', 'offsets'] } })).toHaveLength(1);
  });
});

test('without a decoder nothing is decoded', () => {
  expect(decode([], { output: { decoder: 'none' } })).toEqual([]);
});

test('floats have no boxes to decode', () => {
  const codec = codecOf({ type: 'sensor_msgs/msg/Imu', output: { decoder: 'centerface' } });
  const zero = { x: 0, y: 0, z: 0, w: 1 };
  const frame = codec.frame(HEADER, { orientation: zero, angular_velocity: zero, linear_acceleration: zero });
  expect(() => frame.decode('only', [])).toThrow("decoder 'centerface' needs images; this is an Imu of 10 values");
});
