import { describe, expect, test } from 'vitest';
import { BadOutput } from '../../src/governor/bad-output.js';
import type { Datatype } from '../../src/governor/ports.js';
import { readNumbers } from '../../src/tensor/read-output.js';

/** The bytes at an odd address, as they may come out of a message. */
function tensor(datatype: Datatype, bytes: readonly number[], count: number) {
  const room = new Uint8Array(bytes.length + 1);
  room.set(bytes, 1);
  return { name: 'out', datatype, shape: [1, count], data: room.subarray(1) };
}

describe('numbers', () => {
  test.each([
    ['BOOL', [0, 1], [0, 1]],
    ['UINT8', [0, 255], [0, 255]],
    ['INT8', [127, 128], [127, -128]],
    ['UINT16', [1, 0, 0xff, 0xff], [1, 65_535]],
    ['INT16', [1, 0, 0xfe, 0xff], [1, -2]],
    ['UINT32', [0, 0, 0, 0x80], [2_147_483_648]],
    ['INT32', [0, 0, 0, 0x80], [-2_147_483_648]],
    ['UINT64', [0, 0, 0, 0, 0, 0, 0, 0x80], [2 ** 63]],
    ['INT64', [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], [-1]],
    ['FP32', [0, 0, 0x80, 0x3f, 0, 0, 0xc0, 0x7f], [1, Number.NaN]],
    ['FP64', [0, 0, 0, 0, 0, 0, 0xf0, 0xbf], [-1]],
    ['BF16', [0x80, 0x3f, 0x49, 0xc0], [1, -3.140625]],
    // one, smallest subnormal, largest, minus infinity, NaN, minus two, largest subnormal
    [
      'FP16',
      [0, 0x3c, 1, 0, 0xff, 0x7b, 0, 0xfc, 0, 0x7e, 0, 0xc0, 0xff, 0x03],
      [1, 2 ** -24, 65_504, Number.NEGATIVE_INFINITY, Number.NaN, -2, 1023 * 2 ** -24],
    ],
  ] as const)('of %s', (datatype, bytes, expected) => {
    expect([...readNumbers(tensor(datatype, bytes, expected.length))]).toEqual(expected);
  });

  test('of another size, or texts, are no numbers', () => {
    expect(() => readNumbers(tensor('FP32', [0, 0, 0, 0], 2))).toThrow(
      "output 'out' has 4 bytes, which are not the elements of FP32 [1,2]",
    );
    expect(() => readNumbers(tensor('BYTES', [0, 0, 0, 0], 1))).toThrow(BadOutput);
  });
});
