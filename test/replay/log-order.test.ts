import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Channel, Segment } from '../../src/replay/bag/bag-file.js';
import { inLogOrder } from '../../src/replay/bag/log-order.js';
import { MessageBlock } from '../../src/replay/bag/message-block.js';

const channel: Channel = { topic: '/a', type: 'std_msgs/msg/String', encoding: 'cdr' };
const nothing = new Uint8Array(0);

interface Told {
  loaded: number;
  released: number;
  most: number;
}

/** @param pieces loaded one after the other @param name of the segment, for the order of equal times */
function segmentOf(pieces: readonly (readonly number[])[], name: number, told: Told): Segment {
  const [piece = [], ...rest] = pieces;
  return {
    sinceStartNs: Math.min(...pieces.flat(), Number.MAX_SAFE_INTEGER),
    load: async () => {
      told.loaded += 1;
      told.most = Math.max(told.most, told.loaded - told.released);
      const block = new MessageBlock('file', 'message', { startNs: 0n, endNs: 1_000_000n });
      piece.forEach((time, index) => {
        block.add(channel, BigInt(time), nothing, name, index, 0);
      });
      block.sort();
      return { block, ...(rest.length === 0 ? {} : { next: segmentOf(rest, name, told) }) };
    },
  };
}

it('gives all messages of all segments by time, equal ones in the order of segments', async () => {
  const piece = fc.array(fc.nat(50), { maxLength: 8 });
  const sortedPieces = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => {
    const all = pieces.flat().sort((a, b) => a - b);
    return pieces.map(({ length }) => all.splice(0, length));
  });
  await fc.assert(
    fc.asyncProperty(fc.array(sortedPieces, { maxLength: 6 }), async (segments) => {
      const told: Told = { loaded: 0, released: 0, most: 0 };
      const got: [number, number][] = [];
      for await (const { block, from, to } of inLogOrder(segments.map((pieces, name) => segmentOf(pieces, name, told)))) {
        for (let index = from; index < to; index += 1) got.push([block.sinceStartNs(index), block.start(index)]);
      }
      const expected = segments.flatMap((pieces, name) => pieces.flat().map((time): [number, number] => [time, name]));
      expect(got).toEqual(expected.sort((a, b) => a[0] - b[0] || a[1] - b[1]));
    }),
  );
});

it('holds no more segments than overlap', async () => {
  const told: Told = { loaded: 0, released: 0, most: 0 };
  const segments = Array.from({ length: 20 }, (_, index) => segmentOf([[index * 10, index * 10 + 12]], index, told));
  for await (const { block, to } of inLogOrder(segments)) if (to === block.count) told.released += 1;
  expect(told).toMatchObject({ loaded: 20, released: 20 });
  expect(told.most).toBeLessThanOrEqual(3);
});
