import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { STREAM_TYPES } from '../../src/config/stream-schema.js';
import { InvalidMessage } from '../../src/tensor/invalid-message.js';
import { codecOf, HEADER, imageOf, metadataOf, refusalOf, sourceOf } from './fixtures.js';

describe('an image is refused', () => {
  const codec = codecOf({ input: { name: 'x' }, maxMessageBytes: 1000 });
  test.each([
    ['no pixels', { width: 0 }, 'malformed_message: The image is 0x2: it has no pixels.'],
    ['no step', { step: 0 }, 'malformed_message: step is 0, but a row of 4 rgb8 pixels takes 12 bytes.'],
    ['a step shorter than a row', { step: 11 }, 'malformed_message: step is 11, but a row of 4 rgb8 pixels takes 12 bytes.'],
    ['truncated data', { data: new Uint8Array(23) }, 'malformed_message: data has 23 bytes, but 2 rows of 12 bytes are 24.'],
    ['empty data', { data: new Uint8Array(0) }, 'malformed_message: data has 0 bytes, but 2 rows of 12 bytes are 24.'],
    ['a mislabelled encoding', { encoding: 'rgba8' }, 'malformed_message: step is 12, but a row of 4 rgba8 pixels takes 16 bytes.'],
    ['a fraction', { height: 1.5 }, 'malformed_message: height is 1.5, not a whole number.'],
    ['a missing field', { height: undefined }, 'malformed_message: height is missing, not a whole number.'],
    ['text for bytes', { data: 'pixels' }, 'malformed_message: data is of type string, not bytes.'],
    ['encoding without text', { encoding: 7 }, 'malformed_message: encoding is of type number, not a text.'],
    ['another encoding', { encoding: 'nv12' }, 'unsupported_encoding: encoding is "nv12"; known are rgb8, bgr8, rgba8, bgra8, mono8.'],
    [
      'a name every object has',
      { encoding: 'constructor' },
      'unsupported_encoding: encoding is "constructor"; known are rgb8, bgr8, rgba8, bgra8, mono8.',
    ],
    [
      'gigantic sizes',
      { width: 4_294_967_295, height: 4_294_967_295 },
      /^too_large: The rgb8 image 4294967295x4294967295 takes .* allowed are 1000\.$/,
    ],
    ['a gigantic step', { step: 4_294_967_295 }, /^too_large: /],
    ['more data than allowed', { data: new Uint8Array(1001) }, 'too_large: The rgb8 image 4x2 takes 1001 bytes, allowed are 1000.'],
  ])('with %s', (_, fields, expected) => {
    const refusal = refusalOf(codec, imageOf(fields));
    if (typeof expected === 'string') expect(refusal).toBe(expected);
    else expect(refusal).toMatch(expected);
  });

  test('that is no message at all', () => {
    expect(refusalOf(codec, undefined)).toBe('malformed_message: The image is missing, not a message.');
  });

  test('whose tensor would be too large', () => {
    const large = codecOf({ input: { name: 'x', width: 16_384, height: 16_384, datatype: 'FP32' } });
    expect(refusalOf(large, imageOf())).toMatch(/^too_large: The rgb8 image 4x2 as a tensor of 16384x16384 takes 3221225472 bytes/);
  });

  test('that has a side no sensor has: the work on an image of one row must stay small', () => {
    const width = 65_537;
    const codec = codecOf({ input: { name: 'x', color_order: 'gray' } });
    const line = (of: number) => imageOf({ width: of, height: 1, step: of, encoding: 'mono8', data: new Uint8Array(of) });
    expect(refusalOf(codec, line(width))).toBe('too_large: The image is 65537x1; allowed are 65536 pixels a side.');
    expect(sourceOf(codec.frame(HEADER, line(width - 1))).byteLength).toBe(width - 1);
  });

  test('that has not the size of the model, with what to set', () => {
    const fixed = codecOf({});
    expect(fixed.mismatch('only', metadataOf([{ name: 'x', datatype: 'UINT8', shape: [1, 480, 640, 3] }]))).toBeUndefined();
    expect(refusalOf(fixed, imageOf())).toBe(
      "unsupported_type: The rgb8 image 4x2 makes UINT8 [1,2,4,3], but input 'x' of model 'faces' takes UINT8 [1,480,640,3]: " +
        'set models.faces.input to width: 640, height: 480.',
    );
  });
});

const number = fc.oneof(fc.integer({ min: 0, max: 8 }), fc.nat(), fc.double(), fc.constantFrom(-1, 4_294_967_295, 2 ** 53), fc.anything());
const bytes = fc.oneof(fc.uint8Array({ maxLength: 200 }), fc.array(fc.integer()), fc.anything());
const vector = fc.oneof(fc.record({ x: number, y: number, z: number, w: number }, { requiredKeys: [] }), fc.anything());
const messages = fc.oneof(
  fc.anything(),
  fc.record({ width: number, height: number, step: number, encoding: fc.constantFrom('rgb8', 'bgra8', 'mono8', 'x'), data: bytes }),
  fc.record({ orientation: vector, angular_velocity: vector, linear_acceleration: vector }, { requiredKeys: [] }),
  fc.record({
    layout: fc.oneof(
      fc.record({
        dim: fc.oneof(fc.array(fc.record({ size: number, stride: number }), { maxLength: 20 }), fc.anything()),
        data_offset: number,
      }),
      fc.anything(),
    ),
    data: fc.oneof(fc.float32Array({ maxLength: 20 }), fc.array(number, { maxLength: 20 }), fc.anything()),
  }),
);

test.each(STREAM_TYPES)('whatever a %s message is, it becomes a tensor or is refused as invalid', (type) => {
  const codec = codecOf({ type, maxMessageBytes: 300, input: { name: 'x' } });
  fc.assert(
    fc.property(messages, (message) => {
      try {
        const source = sourceOf(codec.frame(HEADER, message));
        source.write(new Uint8Array(source.byteLength));
      } catch (error) {
        if (!(error instanceof InvalidMessage)) throw error;
      }
    }),
    { numRuns: 2000 },
  );
});
