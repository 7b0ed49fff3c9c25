import { describe, expect, it } from 'vitest';
import { chunksOf, damaged, messagesOf, missing, onlyFile, readBag } from './damage.js';
import { truth } from './foreign.js';

const ALL = truth.messages.length;
const HEAD_BYTES = 9;

describe('a chunk', () => {
  it('whose head is damaged is read by the index', async () => {
    const [, { offset = 0 } = {}] = await chunksOf('zstd.mcap');
    const read = await readBag(damaged('zstd.mcap', (bytes) => void bytes.fill(0, offset + HEAD_BYTES, offset + HEAD_BYTES + 40)));
    expect(read.messages).toBe(ALL);
    expect(read.problems).toEqual([
      expect.stringMatching(new RegExp(`offset ${offset}: the head of this chunk is damaged; .* replayed unchecked`)),
    ]);
  });

  it('that is damaged beyond its head costs its own messages, which are counted', async () => {
    const [, { offset = 0 } = {}] = await chunksOf('zstd.mcap');
    const read = await readBag(damaged('zstd.mcap', (bytes) => void bytes.fill(0, offset + HEAD_BYTES, offset + 300)));
    expect(read.messages).toBeLessThan(ALL);
    expect(read.messages).toBeGreaterThan(ALL - 80);
    expect(read.problems).toContainEqual(expect.stringMatching(`offset ${offset}: this chunk is damaged, its messages are left out`));
    expect(missing(read).told).toEqual(missing(read).true);
  });

  it('whose head is damaged costs its own messages in a file without an index', async () => {
    const whole = await readBag(damaged('unindexed.mcap', () => undefined));
    let offset = 0;
    const read = await readBag(
      damaged('unindexed.mcap', (bytes) => {
        offset = secondChunk(bytes);
        bytes.fill(0, offset + HEAD_BYTES, offset + HEAD_BYTES + 40);
        return undefined;
      }),
    );
    expect(whole.problems).toEqual([]);
    expect(read.messages).toBeLessThan(ALL);
    expect(read.messages).toBeGreaterThan(ALL - 80);
    expect(read.problems).toEqual([
      expect.stringMatching(
        new RegExp(`offset ${offset}: the head of the record .* is damaged; \\d+ bytes .* and from offset \\d+ on, is replayed`),
      ),
    ]);
  });

  it('that begins earlier than its head says is told, and replayed', async () => {
    const file = damaged('unindexed.mcap', (bytes) => {
      const start = secondChunk(bytes) + HEAD_BYTES;
      bytes.writeBigUInt64LE(bytes.readBigUInt64LE(start) + 1_000_000_000n, start);
      return undefined;
    });
    const read = await readBag(file);
    expect(read.messages).toBe(ALL);
    expect(read.problems[0]).toMatch(
      /topic \S+: offset \d+: \d+ messages, .* older than the head of their chunk says, and replayed too late/,
    );
  });

  it('describes its channels, whatever became of the summary', async () => {
    const file = damaged('none.mcap', (bytes) => {
      const summary = Number(bytes.readBigUInt64LE(bytes.byteLength - 28));
      bytes.fill(0, summary - 13, summary + 60);
      return undefined;
    });
    const read = await readBag(file);
    expect(read.messages).toBe(ALL);
    expect(read.types).not.toContain('');
  });

  it('of lz4 that is damaged costs no other', async () => {
    const [, second = { offset: 0, length: 0 }, third = { offset: 0, length: 0 }] = await chunksOf('lz4.mcap');
    for (const broken of [[second], [second, third]]) {
      const read = await readBag(
        damaged('lz4.mcap', (bytes) => {
          for (const { offset, length } of broken) bytes.fill(0xff, offset + 100, offset + length - 100);
          return undefined;
        }),
      );
      expect(read.messages).toBeLessThan(ALL);
      expect(read.messages).toBeGreaterThan(ALL - 80 * broken.length);
      expect(read.problems.filter((line) => line.includes('this chunk is damaged'))).toHaveLength(broken.length);
    }
  });
});

function secondChunk(bytes: Buffer): number {
  const chunks: number[] = [];
  for (let offset = 8; chunks.length < 2; offset += HEAD_BYTES + Number(bytes.readBigUInt64LE(offset + 1)))
    if (bytes[offset] === 6) chunks.push(offset);
  return chunks[1] ?? 0;
}

describe('a record outside of chunks', () => {
  /** @param change of the bytes at a message in the middle */
  async function readWith(change: (bytes: Buffer, offset: number) => void) {
    let offset = 0;
    const file = damaged('unchunked.mcap', (bytes) => {
      offset = messagesOf(bytes)[400] ?? 0;
      change(bytes, offset);
      return undefined;
    });
    return { ...(await readBag(file)), offset };
  }

  it.each<[string, (bytes: Buffer, offset: number) => void]>([
    ['of another kind', (bytes, offset) => bytes.writeUInt8(0x0b, offset)],
    ['of an unknown kind', (bytes, offset) => bytes.writeUInt8(0x55, offset)],
    ['of no kind', (bytes, offset) => bytes.writeUInt8(0, offset)],
    ['that is endless', (bytes, offset) => bytes.writeUInt8(0x80, offset + 8)],
    ['that is longer than the file', (bytes, offset) => bytes.writeUInt8(0x10, offset + 4)],
    ['that is shorter than a message', (bytes, offset) => bytes.writeBigUInt64LE(3n, offset + 1)],
  ])('%s costs one message, which is counted', async (_what, change) => {
    const read = await readWith(change);
    expect(read.messages).toBe(ALL - 1);
    expect(missing(read).told).toEqual(missing(read).true);
    expect(Object.values(missing(read).told)).toEqual([1]);
    expect(read.problems.join('\n')).not.toMatch(/\d{11}/);
  });

  it('whose length swallows others costs none of them', async () => {
    const read = await readWith((bytes, offset) => bytes.writeBigUInt64LE(bytes.readBigUInt64LE(offset + 1) + 700n, offset + 1));
    expect(read.messages).toBe(ALL);
    expect(read.problems).toEqual([
      expect.stringMatching(/the record before it is damaged, what stands before, and from offset \d+ on, is replayed/),
    ]);
  });

  it('of a channel that nobody describes is left out', async () => {
    const read = await readWith((bytes, offset) => bytes.writeUInt16LE(999, offset + HEAD_BYTES));
    expect(read.messages).toBe(ALL - 1);
    expect(read.problems).toContainEqual(
      expect.stringMatching(
        new RegExp(`offset ${read.offset}: this message is of a channel that is nowhere described, and left out: channel 999`),
      ),
    );
  });

  it('that is gone without a trace is missed by the statistics, also where the index is damaged', async () => {
    const file = damaged('unchunked.mcap', (bytes) => {
      const [from = 0, to = 0] = messagesOf(bytes).slice(300, 302);
      return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
    });
    const read = await readBag(file);
    expect(read.messages).toBe(ALL - 1);
    expect(missing(read).told).toEqual(missing(read).true);
    expect(read.problems).toHaveLength(1);
  });

  it('is told once where log times have to be looked through first', async () => {
    const read = await readWith((bytes, offset) => {
      bytes.writeUInt16LE(999, offset + HEAD_BYTES);
      bytes.writeBigUInt64LE(1n, (messagesOf(bytes)[100] ?? 0) + HEAD_BYTES + 6);
    });
    expect(read.messages).toBe(ALL - 2);
    expect(read.problems).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/this message is of a channel that is nowhere described/),
        expect.stringMatching(/this message is left out, .*: log time 1 ns$/),
      ]),
    );
  });

  it('of another channel is missing here and too many there', async () => {
    const read = await readWith((bytes, offset) =>
      bytes.writeUInt16LE((bytes.readUInt16LE(offset + HEAD_BYTES) % 6) + 1, offset + HEAD_BYTES),
    );
    expect(read.problems).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/topic \S+: 1 of the \d+ messages that the file says it has could not be read/),
        expect.stringMatching(/topic \S+: 1 messages more were read than the \d+ that the file says it has/),
      ]),
    );
  });
});

describe('a file that is compressed as a whole', () => {
  const name = onlyFile('file-zstd-mcap');

  it('and cut off before anything came out is refused as that', async () => {
    await expect(readBag(damaged(name, (bytes) => bytes.subarray(0, 1000)))).rejects.toThrow(
      /zstd: it is cut off, or its compression is damaged: of the 1000 bytes that are there nothing could be unpacked/,
    );
  });

  it('and cut off later is replayed so far', async () => {
    const read = await readBag(damaged(name, (bytes) => bytes.subarray(0, bytes.byteLength - 20_000)));
    expect(read.messages).toBeGreaterThan(ALL / 3);
    expect(read.problems).toContainEqual(
      expect.stringMatching(/zstd: it is cut off, or its compression is damaged: .*; what came before that is replayed/),
    );
  });
});
