import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BadOutput } from '../../src/governor/bad-output.js';
import type { OutputTensor } from '../../src/governor/ports.js';
import type { ModelInferResponse } from '../../src/triton/generated/inference/ModelInferResponse.js';
import { readOutputs } from '../../src/triton/output-tensors.js';
import { loadProtocol } from '../../src/triton/protocol.js';

const { responseSerialize, responseDeserialize } = loadProtocol().service.ModelInfer;

/** Over the wire, as a server would send it. */
const read = (response: ModelInferResponse): readonly OutputTensor[] => readOutputs(responseDeserialize(responseSerialize(response)));

const raw = (datatype: string, shape: (number | string)[], bytes: Uint8Array): ModelInferResponse => ({
  outputs: [{ name: 'y', datatype, shape }],
  raw_output_contents: [Buffer.from(bytes)],
});

describe('raw outputs', () => {
  test('are read in order, with their bytes', () => {
    const outputs = read({
      outputs: [
        { name: 'a', datatype: 'FP16', shape: [2] },
        { name: 'b', datatype: 'INT64', shape: [] },
      ],
      raw_output_contents: [Buffer.from([1, 2, 3, 4]), Buffer.alloc(8, 5)],
    });
    expect(outputs.map(({ name, shape, data }) => [name, shape, [...data]])).toEqual([
      ['a', [2], [1, 2, 3, 4]],
      ['b', [], [5, 5, 5, 5, 5, 5, 5, 5]],
    ]);
  });

  test('of BYTES keep their lengths in front', () => {
    const bytes = Uint8Array.from([2, 0, 0, 0, 65, 66, 0, 0, 0, 0]);
    expect(read(raw('BYTES', [2], bytes))[0]?.data).toEqual(Buffer.from(bytes));
  });

  test.each<[string, ModelInferResponse, RegExp]>([
    ['no outputs', {}, /no outputs/],
    ['too few bytes', raw('FP32', [2], new Uint8Array(7)), /7 bytes, but FP32 \[2\] takes 8/],
    ['too many bytes', raw('BOOL', [2], new Uint8Array(3)), /3 bytes/],
    ['an unknown datatype', raw('FLOAT', [1], new Uint8Array(4)), /datatype "FLOAT"/],
    ['a negative size', raw('FP32', [-1], new Uint8Array(4)), /dimension of -1/],
    ['a size beyond what a number holds', raw('FP32', ['9007199254740993'], new Uint8Array(4)), /9007199254740993/],
    ['sizes whose product overflows', raw('FP32', [2 ** 40, 2 ** 40], new Uint8Array(4)), /shape/],
    [
      'a shape without end',
      raw(
        'FP32',
        Array.from({ length: 40 }, () => 1),
        new Uint8Array(4),
      ),
      /40 dimensions/,
    ],
    ['text cut short', raw('BYTES', [1], Uint8Array.from([9, 0, 0, 0, 65])), /elements take 13/],
    ['text that ends early', raw('BYTES', [3], Uint8Array.from([0, 0, 0, 0])), /ends before element 1 of 3/],
    ['text behind the end', raw('BYTES', [1], Uint8Array.from([0, 0, 0, 0, 1])), /elements take 4/],
    ['endless text', raw('BYTES', [2 ** 50], Uint8Array.from([0, 0, 0, 0])), /ends before/],
    ['contents missing', { outputs: [{ name: 'y', datatype: 'FP32', shape: [1] }] }, /without contents/],
    [
      'too many contents',
      { ...raw('FP32', [1], new Uint8Array(4)), raw_output_contents: [Buffer.alloc(4), Buffer.alloc(4)] },
      /2 raw contents/,
    ],
    ['no name', { outputs: [{ name: '', datatype: 'FP32', shape: [0] }] }, /no name/],
    [
      'one name twice',
      {
        outputs: [
          { name: 'y', datatype: 'FP32', shape: [0] },
          { name: 'y', datatype: 'FP32', shape: [0] },
        ],
      },
      /no name of its own: "y"/,
    ],
  ])('with %s are refused', (_what, response, message) => {
    expect(() => read(response)).toThrow(BadOutput);
    expect(() => read(response)).toThrow(message);
  });

  test('whatever they hold end in outputs or in BadOutput', () => {
    const datatype = fc.constantFrom('BOOL', 'FP32', 'BYTES', 'INT64', 'FP16', 'nonsense');
    const output = fc.record({
      name: fc.string({ maxLength: 3 }),
      datatype,
      shape: fc.array(fc.integer({ min: -2, max: 9 }), { maxLength: 3 }),
    });
    const response = fc.record({
      outputs: fc.array(output, { maxLength: 3 }),
      raw_output_contents: fc.array(fc.uint8Array({ maxLength: 40 }).map(Buffer.from), { maxLength: 3 }),
    });
    fc.assert(
      fc.property(response, (value) => {
        try {
          for (const { data } of read(value)) expect(data.length).toBeLessThanOrEqual(40);
        } catch (error) {
          expect(error).toBeInstanceOf(BadOutput);
        }
      }),
    );
  });
});

describe('typed outputs', () => {
  const typed = (datatype: string, contents: object, count: number): ModelInferResponse => ({
    outputs: [{ name: 'y', datatype, shape: [count], contents }],
  });

  test.each<[string, object, number, Uint8Array]>([
    ['BOOL', { bool_contents: [true, false] }, 2, Uint8Array.of(1, 0)],
    ['INT8', { int_contents: [-128, 127] }, 2, Uint8Array.of(0x80, 0x7f)],
    ['INT16', { int_contents: [-2] }, 1, Uint8Array.of(0xfe, 0xff)],
    ['INT32', { int_contents: [-2] }, 1, Uint8Array.of(0xfe, 0xff, 0xff, 0xff)],
    ['UINT8', { uint_contents: [255] }, 1, Uint8Array.of(255)],
    ['UINT16', { uint_contents: [258] }, 1, Uint8Array.of(2, 1)],
    ['UINT32', { uint_contents: [2 ** 32 - 1] }, 1, Uint8Array.of(255, 255, 255, 255)],
    ['INT64', { int64_contents: ['-9223372036854775808'] }, 1, Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0x80)],
    ['UINT64', { uint64_contents: ['18446744073709551615'] }, 1, new Uint8Array(8).fill(255)],
    ['FP32', { fp32_contents: [1, Number.NaN] }, 2, Uint8Array.of(0, 0, 0x80, 0x3f, 0, 0, 0xc0, 0x7f)],
    ['FP64', { fp64_contents: [-0.5] }, 1, Uint8Array.of(0, 0, 0, 0, 0, 0, 0xe0, 0xbf)],
    ['BYTES', { bytes_contents: [Buffer.from('hi'), Buffer.alloc(0)] }, 2, Uint8Array.of(2, 0, 0, 0, 104, 105, 0, 0, 0, 0)],
  ])('%s take the raw form', (datatype, contents, count, expected) => {
    expect(read(typed(datatype, contents, count))[0]?.data).toEqual(expected);
  });

  test.each<[string, ModelInferResponse, RegExp]>([
    ['fewer elements than the shape', typed('FP32', { fp32_contents: [1] }, 2), /1 elements, but its shape says 2/],
    ['elements of another type', typed('FP32', { int_contents: [1] }, 1), /0 elements/],
    ['a value that does not fit', typed('INT8', { int_contents: [300] }, 1), /INT8, but holds 300/],
    ['a type that has no typed form', typed('FP16', { fp32_contents: [1] }, 1), /FP16/],
  ])('with %s are refused', (_what, response, message) => {
    expect(() => read(response)).toThrow(BadOutput);
    expect(() => read(response)).toThrow(message);
  });
});
