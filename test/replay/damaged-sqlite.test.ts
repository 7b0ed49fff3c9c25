import sqlite from 'node-sqlite3-wasm';
import { expect, it } from 'vitest';
import { copiedFile, damaged, missing, readBag, sent } from './damage.js';
import { truth } from './foreign.js';

const ALL = truth.messages.length;
const PAGE_BYTES = 4096;
const INDEX_LEAF = 10;

/** Where the stamp of a message stands in a file: it is the only one of its kind. */
function placeOf(bytes: Buffer, message: number): number {
  const [, , sec = 0, nanosec = 0] = truth.messages[message] ?? [];
  const stamp = Buffer.alloc(8);
  stamp.writeInt32LE(sec, 0);
  stamp.writeUInt32LE(nanosec, 4);
  return bytes.indexOf(stamp);
}

function changed(name: string, ...statements: string[]): string {
  const file = copiedFile(name);
  const database = new sqlite.Database(file);
  for (const statement of statements) database.exec(statement);
  database.close();
  return file;
}

it.each([[[200]], [[200, 600]]])('rows whose heads are damaged are counted: messages %j', async (messages) => {
  const heads = (bytes: Buffer) => {
    for (const message of messages) {
      const place = placeOf(bytes, message);
      bytes.fill(0, place - 26, place);
    }
    return undefined;
  };
  const read = await readBag(damaged('oldest.db3', heads));
  const counts = read.problems.map((line) =>
    Number(/: (\d+) messages, the first/.exec(line)?.[1] ?? (line.includes('this message is') ? 1 : 0)),
  );
  expect(read.messages).toBeLessThanOrEqual(ALL - messages.length);
  expect(read.messages + counts.reduce((sum, count) => sum + count, 0)).toBe(ALL);
  expect(read.problems[0]).toMatch(/oldest\.db3: message \d+: .* damaged and left out: rows that name no topic, or no time/);
});

it('rows without a topic or a time are told with the first of them', async () => {
  const file = changed(
    'definitions.db3',
    'UPDATE messages SET topic_id = 99 WHERE id IN (300, 301)',
    "UPDATE messages SET timestamp = 'x' WHERE id = 400",
  );
  const read = await readBag(file);
  expect(read.messages).toBe(ALL - 3);
  expect(read.problems).toEqual([expect.stringMatching(/message 300: 3 messages, the first of them here, are damaged and left out/)]);
});

it('messages that are lost to the index are found without it', async () => {
  const file = damaged('definitions.db3', (bytes) => {
    const page = Array.from({ length: bytes.byteLength / PAGE_BYTES }, (_, index) => index * PAGE_BYTES).find(
      (at) => bytes[at] === INDEX_LEAF,
    );
    bytes.writeUInt16BE(1, (page ?? 0) + 3); // so many entries
    return undefined;
  });
  const read = await readBag(file);
  expect(read.messages).toBe(ALL);
  expect(read.problems).toEqual([
    expect.stringMatching(
      /the file is damaged: its index has \d+ messages, 911 are there; what can still be found is replayed: 911 messages, which are numbered up to 911$/,
    ),
  ]);
});

it('messages that are lost with a page are counted by their numbers', async () => {
  const file = damaged('definitions.db3', (bytes) => {
    const page = Math.floor(placeOf(bytes, 500) / PAGE_BYTES) * PAGE_BYTES;
    bytes.fill(0x5a, page, page + PAGE_BYTES);
    return undefined;
  });
  const read = await readBag(file);
  expect(read.messages).toBeLessThan(ALL);
  expect(read.problems[0]).toMatch(new RegExp(`damaged: .* is replayed: ${read.messages} messages, which are numbered up to 911$`));
});

it.each([0n, 4_000_000_000_000_000_000n, 9_000_000_000_000_000_000n, -5n])('a log time of %s ns costs its own message', async (time) => {
  const read = await readBag(changed('definitions.db3', `UPDATE messages SET timestamp = ${time} WHERE id = 100`));
  const [topic = '', log] = truth.messages[99] ?? [];
  expect(read.messages).toBe(ALL - 1);
  expect(read.counts.get(topic)).toBe(sent(topic) - 1);
  expect(read.spanNs).toBeLessThan(6_000_000_000n);
  expect(log).toBeDefined();
  expect(missing(read).told).toEqual({});
  expect(read.problems).toEqual([
    expect.stringMatching(
      new RegExp(`topic ${topic}: message 100: this message is left out, with a log time outside of the bag: .*: log time ${time} ns`),
    ),
  ]);
});

it.each([0.15, 0.27, 0.4, 0.6, 0.9])('a file that is cut off at %d of its length keeps its time', async (share) => {
  const read = await readBag(damaged('definitions.db3', (bytes) => bytes.subarray(0, Math.floor(bytes.byteLength * share))));
  expect(read.messages).toBeGreaterThan(0);
  expect(read.spanNs).toBeLessThan(6_000_000_000n);
  expect(read.problems[0]).toMatch(/the file is cut off here, it should have \d+ bytes; what can still be found is replayed: \d+ messages/);
});
