import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { InputParameters } from '../../src/config/schema.js';
import { resizeGeometry, sourceX, sourceY } from '../../src/tensor/resize-geometry.js';
import { codecOf, floatsIn, HEADER, imageOf, sourceOf, tensorOf } from './fixtures.js';

const COLOURS: Record<string, readonly [number, number, number, number]> = {
  rgb8: [3, 0, 1, 2],
  bgr8: [3, 2, 1, 0],
  rgba8: [4, 0, 1, 2],
  bgra8: [4, 2, 1, 0],
  mono8: [1, 0, 0, 0],
};

interface Image {
  readonly width: number;
  readonly height: number;
  readonly encoding: string;
  readonly step: number;
  readonly data: Uint8Array;
}

type Normalised = Pick<InputParameters, 'layout' | 'datatype' | 'resize' | 'color_order' | 'batch_dimension' | 'scale' | 'mean' | 'std'> & {
  readonly width?: number;
  readonly height?: number;
};

/** Values of one pixel in the order of the target; coordinates beyond the border repeat it. */
function pixel(image: Image, x: number, y: number, order: InputParameters['color_order']): readonly number[] {
  const [channels, red, green, blue] = COLOURS[image.encoding] ?? [0, 0, 0, 0];
  const at = Math.min(Math.max(y, 0), image.height - 1) * image.step + Math.min(Math.max(x, 0), image.width - 1) * channels;
  const [r, g, b] = [red, green, blue].map((offset) => image.data[at + offset] ?? Number.NaN) as [number, number, number];
  if (order === 'gray') return [channels === 1 ? r : 0.299 * r + 0.587 * g + 0.114 * b];
  return order === 'rgb' ? [r, g, b] : [b, g, r];
}

/** Bilinear interpolation by definition: every pixel centre within one pixel counts with (1 - dx)(1 - dy). */
function sample(image: Image, x: number, y: number, order: InputParameters['color_order']): readonly number[] {
  const centreX = Math.min(Math.max(x, 0.5), image.width - 0.5);
  const centreY = Math.min(Math.max(y, 0.5), image.height - 0.5);
  const sums = order === 'gray' ? [0] : [0, 0, 0];
  for (let row = Math.floor(centreY) - 1; row <= centreY + 1; row++) {
    for (let column = Math.floor(centreX) - 1; column <= centreX + 1; column++) {
      const weight = Math.max(0, 1 - Math.abs(column + 0.5 - centreX)) * Math.max(0, 1 - Math.abs(row + 0.5 - centreY));
      pixel(image, column, row, order).forEach((value, channel) => {
        sums[channel] = (sums[channel] ?? 0) + weight * value;
      });
    }
  }
  return sums;
}

/** The tensor by definition, element by element, before rounding to its datatype. */
function reference(image: Image, input: Normalised): number[] {
  const target = { width: input.width ?? image.width, height: input.height ?? image.height };
  const geometry = resizeGeometry(image, target, input.resize);
  const { left, top, width, height } = geometry.content;
  const channels = input.color_order === 'gray' ? 1 : 3;
  const elements = new Array<number>(target.width * target.height * channels);
  for (let y = 0; y < target.height; y++) {
    for (let x = 0; x < target.width; x++) {
      const inside = x >= left && x < left + width && y >= top && y < top + height;
      const values = inside
        ? sample(image, sourceX(geometry, x + 0.5), sourceY(geometry, y + 0.5), input.color_order)
        : new Array<number>(channels).fill(114);
      values.forEach((value, c) => {
        const element = input.layout === 'nchw' ? (c * target.height + y) * target.width + x : (y * target.width + x) * channels + c;
        elements[element] = input.datatype === 'UINT8' ? value : (value * input.scale - (input.mean[c] ?? 0)) / (input.std[c] ?? 1);
      });
    }
  }
  return elements;
}

const side = fc.integer({ min: 1, max: 24 });
const encoding = fc.constantFrom(...Object.keys(COLOURS));

const anyImage: fc.Arbitrary<Image> = fc
  .record({ width: side, height: side, encoding, padding: fc.constantFrom(0, 0, 1, 5), surplus: fc.constantFrom(0, 3), seed: fc.nat() })
  .map(({ width, height, encoding: name, padding, surplus, seed }) => {
    const step = width * (COLOURS[name]?.[0] ?? 0) + padding;
    const data = Uint8Array.from({ length: step * height + surplus }, (_, i) => Math.imul(i + seed, 2_654_435_761) >>> 24);
    return { width, height, encoding: name, step, data };
  });

const anyInput: fc.Arbitrary<Normalised> = fc
  .record({
    layout: fc.constantFrom('nhwc', 'nchw'),
    datatype: fc.constantFrom('UINT8', 'FP32'),
    size: fc.option(fc.record({ width: side, height: side }), { nil: {} }),
    resize: fc.constantFrom('stretch', 'letterbox', 'crop'),
    color_order: fc.constantFrom('rgb', 'bgr', 'gray'),
    batch_dimension: fc.boolean(),
    normalised: fc.boolean(),
  })
  .map(({ size, normalised, ...rest }) => {
    const [mean, std] =
      rest.color_order === 'gray'
        ? [[0.4], [0.2]]
        : [
            [0.485, 0.456, 0.406],
            [0.229, 0.224, 0.225],
          ];
    const norm = normalised && rest.datatype === 'FP32' ? { scale: 1 / 255, mean, std } : { scale: 1, mean: [], std: [] };
    return { ...rest, ...size, ...norm };
  });

describe('an image becomes a tensor', () => {
  test('as the definition says, for any size, encoding, padding and setting', () => {
    fc.assert(
      fc.property(anyImage, anyInput, (image, input) => {
        const { bytes, shape, datatype } = tensorOf(codecOf({ input: { name: 'x', ...input } }), image);
        const expected = reference(image, input);
        const isBytes = datatype === 'UINT8';
        const elements = isBytes ? bytes : floatsIn(bytes);
        const [width, height] = [input.width ?? image.width, input.height ?? image.height];
        const channels = input.color_order === 'gray' ? 1 : 3;
        const sizes = input.layout === 'nhwc' ? [height, width, channels] : [channels, height, width];
        expect(shape).toEqual(input.batch_dimension ? [1, ...sizes] : sizes);
        expect(elements.length).toBe(expected.length);
        const tolerance = isBytes ? 0.5001 : 0.0005;
        for (let i = 0; i < expected.length; i++) {
          const difference = Math.abs((elements[i] ?? Number.NaN) - (expected[i] ?? Number.NaN));
          if (!(difference <= tolerance)) expect.fail(`element ${i} is ${elements[i]}, by definition ${expected[i]}`);
        }
      }),
      { numRuns: 1500 },
    );
  });

  test('the same at any alignment of the target, and nothing beside it is touched', () => {
    fc.assert(
      fc.property(anyImage, anyInput, fc.integer({ min: 0, max: 9 }), (image, input, offset) => {
        const source = sourceOf(codecOf({ input: { name: 'x', ...input } }).frame(HEADER, image));
        const aligned = new Uint8Array(source.byteLength);
        source.write(aligned);
        const room = new Uint8Array(source.byteLength + 16).fill(0xee);
        source.write(room.subarray(offset, offset + source.byteLength));
        expect(Buffer.from(room.subarray(offset, offset + source.byteLength)).equals(aligned)).toBe(true);
        expect(room.filter((_, i) => i < offset || i >= offset + source.byteLength).every((byte) => byte === 0xee)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test('an image of the right size and colours is copied without its padding', () => {
    const data = Uint8Array.from([1, 2, 3, 4, 5, 6, 99, 99, 7, 8, 9, 10, 11, 12, 99, 99]);
    const { bytes } = tensorOf(codecOf({ input: { name: 'x' } }), imageOf({ width: 2, height: 2, step: 8, data }));
    expect([...bytes]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  });

  test('bgr8 to planar rgb floats', () => {
    const codec = codecOf({ input: { name: 'x', datatype: 'FP32', layout: 'nchw', scale: 0.5, mean: [1, 2, 3], std: [1, 1, 2] } });
    const { bytes, shape } = tensorOf(
      codec,
      imageOf({ width: 2, height: 1, step: 6, encoding: 'bgr8', data: Uint8Array.from([10, 20, 30, 40, 50, 60]) }),
    );
    expect(shape).toEqual([1, 3, 1, 2]);
    expect([...floatsIn(bytes)]).toEqual([14, 29, 8, 23, 1, 8.5]);
  });

  test('a letterbox has grey bars left and right of a tall image', () => {
    const codec = codecOf({ input: { name: 'x', width: 4, height: 2, resize: 'letterbox', color_order: 'gray' } });
    const { bytes } = tensorOf(codec, imageOf({ width: 2, height: 2, step: 2, encoding: 'mono8', data: Uint8Array.from([1, 2, 3, 4]) }));
    expect([...bytes]).toEqual([114, 1, 2, 114, 114, 3, 4, 114]);
  });

  test('follows a camera that changes its size and encoding', () => {
    const codec = codecOf({ input: { name: 'x', width: 1, height: 1 } });
    const grey = (value: number, fields: object) => imageOf({ data: new Uint8Array(24).fill(value), ...fields });
    expect([...tensorOf(codec, grey(7, {})).bytes]).toEqual([7, 7, 7]);
    expect([...tensorOf(codec, grey(8, { width: 2, height: 3, step: 8, encoding: 'bgra8' })).bytes]).toEqual([8, 8, 8]);
    expect([...tensorOf(codec, grey(9, { width: 2, height: 3, step: 8, encoding: 'mono8' })).bytes]).toEqual([9, 9, 9]);
  });

  test('a target of another size is the mistake of the caller', () => {
    const source = sourceOf(codecOf({ input: { name: 'x' } }).frame(HEADER, imageOf()));
    expect(() => source.write(new Uint8Array(source.byteLength + 1))).toThrow(RangeError);
  });
});
