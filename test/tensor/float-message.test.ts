import { describe, expect, test } from 'vitest';
import { codecOf, floatsIn, HEADER, metadataOf, refusalOf, sourceOf, tensorOf } from './fixtures.js';

const IMU = {
  orientation: { x: 0, y: 0.25, z: 0.5, w: 1 },
  angular_velocity: { x: -1, y: -2, z: Number.NaN },
  linear_acceleration: { x: 9, y: 8, z: Number.POSITIVE_INFINITY },
};

describe('an Imu', () => {
  const codec = codecOf({ type: 'sensor_msgs/msg/Imu', input: { name: 'x' } });

  test('becomes ten floats, NaN and Infinity unchanged', () => {
    const { shape, datatype, bytes } = tensorOf(codec, IMU);
    expect([shape, datatype]).toEqual([[1, 10], 'FP32']);
    expect([...floatsIn(bytes)]).toEqual([0, 0.25, 0.5, 1, -1, -2, Number.NaN, 9, 8, Number.POSITIVE_INFINITY]);
  });

  test('without a batch dimension', () => {
    expect(tensorOf(codecOf({ type: 'sensor_msgs/msg/Imu', input: { name: 'x', batch_dimension: false } }), IMU).shape).toEqual([10]);
  });

  test('with a field missing is refused', () => {
    expect(refusalOf(codec, { ...IMU, angular_velocity: { x: 1, y: 2 } })).toBe('malformed_message: z is missing, not a number.');
    expect(refusalOf(codec, { ...IMU, orientation: null })).toBe('malformed_message: orientation is null, not a message.');
  });
});

function arrayOf(data: unknown, sizes: readonly number[] = [], fields: { offset?: number; strides?: readonly number[] } = {}) {
  const dim = sizes.map((size, i) => ({ label: '', size, stride: fields.strides?.[i] ?? 0 }));
  return { layout: { dim, data_offset: fields.offset ?? 0 }, data };
}

const SIX = Float32Array.from([1, 2, 3, 4, 5, Number.NaN]);

describe('a Float32MultiArray', () => {
  const settings = { type: 'std_msgs/msg/Float32MultiArray', input: { name: 'x' }, maxMessageBytes: 100 } as const;
  const shapeFor = (model: readonly number[], message: unknown, input = {}) => {
    const codec = codecOf({ ...settings, input: { name: 'x', ...input } });
    expect(codec.mismatch('only', metadataOf([{ name: 'x', datatype: 'FP32', shape: model }]))).toBeUndefined();
    return sourceOf(codec.frame(HEADER, message)).shape;
  };

  test('keeps its values, from numbers or a typed array', () => {
    const codec = codecOf(settings);
    expect([...floatsIn(tensorOf(codec, arrayOf(SIX)).bytes)]).toEqual([...SIX]);
    expect([...floatsIn(tensorOf(codec, arrayOf([...SIX])).bytes)]).toEqual([...SIX]);
    expect([...floatsIn(tensorOf(codec, arrayOf(SIX, [], { offset: 4 })).bytes)]).toEqual([5, Number.NaN]);
    expect([...floatsIn(tensorOf(codec, arrayOf([...SIX], [2], { offset: 4 })).bytes)]).toEqual([5, Number.NaN]);
  });

  test('takes the shape of the model where it fits', () => {
    expect(shapeFor([1, 2, 3], arrayOf(SIX))).toEqual([1, 2, 3]);
    expect(shapeFor([-1, 6], arrayOf(SIX))).toEqual([1, 6]);
    expect(shapeFor([-1, 3, -1], arrayOf(SIX))).toEqual([1, 3, 2]);
    expect(shapeFor([-1, 2], arrayOf(SIX), { batch_dimension: false })).toEqual([3, 2]);
  });

  test('takes the shape of its layout where the model leaves it open', () => {
    expect(shapeFor([-1, -1, -1], arrayOf(SIX, [3, 2]))).toEqual([1, 3, 2]);
    expect(tensorOf(codecOf(settings), arrayOf(SIX, [3, 2])).shape).toEqual([1, 3, 2]);
    expect(tensorOf(codecOf(settings), arrayOf(SIX)).shape).toEqual([1, 6]);
  });

  test.each([
    [[1, 5], []],
    [[-1, 2], []],
    [[-1, 4, -1], []],
    [[-1, -1, -1], []],
    [
      [-1, -1, -1, 3],
      [3, 2],
    ],
  ])('that does not fit [%s] is refused', (model, sizes) => {
    expect(() => shapeFor(model, arrayOf(SIX, sizes))).toThrow(`takes FP32 [${model}]`);
  });

  test.each([
    ['sizes of another product', arrayOf(SIX, [2, 2]), 'malformed_message: layout.dim has sizes [2,2], that is 4 values; data has 6.'],
    [
      'padded strides',
      arrayOf(SIX, [2, 3], { strides: [8, 4] }),
      'malformed_message: layout.dim[1].stride is 4; dense rows of sizes [2,3] have 3.',
    ],
    ['no values', arrayOf(new Float32Array(0)), 'malformed_message: data has 0 values and data_offset is 0: nothing is left.'],
    [
      'an offset beyond its end',
      arrayOf(SIX, [], { offset: 6 }),
      'malformed_message: data has 6 values and data_offset is 6: nothing is left.',
    ],
    ['texts', arrayOf([1, 'two']), 'malformed_message: data holds something that is not a number.'],
    ['doubles', arrayOf(new Float64Array(2)), 'malformed_message: data is of type object, not numbers.'],
    ['too many values', arrayOf(new Float32Array(26)), 'too_large: data takes 104 bytes, allowed are 100.'],
    ['too many dimensions', arrayOf([1], new Array(17).fill(1)), 'malformed_message: layout.dim has 17 entries, allowed are 16.'],
  ])('with %s is refused', (_, message, expected) => {
    expect(refusalOf(codecOf(settings), message)).toBe(expected);
  });

  test('with dense strides is accepted', () => {
    expect(tensorOf(codecOf(settings), arrayOf(SIX, [2, 3], { strides: [6, 3] })).shape).toEqual([1, 2, 3]);
  });
});
