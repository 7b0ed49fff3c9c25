import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { Bag } from '../../src/replay/bag/open-bag.js';
import { BagError } from '../../src/replay/bag/problem.js';
import { createHeaderReader, type HeaderReader } from '../../src/replay/header-reader.js';
import { foreignBag, type TrueMessage, truth } from './foreign.js';

/** A type without a header has the time of its reception. */
function asRead([topic, log, sec, nanosec, frameId]: TrueMessage): TrueMessage {
  if (topic !== '/text') return [topic, log, sec, nanosec, frameId];
  return [topic, log, Number(BigInt(log) / 1_000_000_000n), Number(BigInt(log) % 1_000_000_000n), ''];
}

/** What has a header that can be read, and what is said of the rest. */
async function readBag(name: string): Promise<{ messages: TrueMessage[]; problems: string[] }> {
  const bag = await Bag.open(foreignBag(name));
  const readers = new Map<object, HeaderReader | undefined>();
  const messages: TrueMessage[] = [];
  const problems: string[] = [];
  for await (const { block, from, to } of bag.messages(() => true)) {
    for (let index = from; index < to; index += 1) {
      const channel = block.channel(index);
      if (!readers.has(channel)) {
        try {
          readers.set(channel, createHeaderReader(channel));
        } catch (error) {
          readers.set(channel, undefined);
          problems.push(`topic ${channel.topic}: ${String(error)}`);
        }
      }
      const header = readers.get(channel)?.(block, index);
      if (header === undefined) continue;
      const { stamp, frameId } = header;
      messages.push([channel.topic, String(block.logNs(index)), stamp.sec, stamp.nanosec, frameId]);
    }
  }
  problems.unshift(...bag.problems.lines());
  await bag.close();
  return { messages, problems };
}

/** `topic /x: 3 of the 50 messages`, which a file has to say that knows how many it had. */
function missing(kept: readonly number[]): string[] {
  const topics = truth.messages.map(([topic]) => topic);
  const count = (of: readonly (string | undefined)[], topic: string) => of.filter((one) => one === topic).length;
  return [...new Set(topics)].sort().map((topic) => {
    const sent = count(topics, topic);
    return `topic ${topic}: ${
      sent -
      count(
        kept.map((place) => topics[place]),
        topic,
      )
    } of the ${sent} messages`;
  });
}

const COUNTED = /topic \S+: \d+ of the \d+ messages(?= that the file says it has could not be read)/;

describe.each(Object.entries(truth.bags))('%s', (name, { kept, problems, refused, some }) => {
  if (refused !== null) {
    it('is refused, with file and reason', async () => {
      await expect(Bag.open(foreignBag(name))).rejects.toThrow(BagError);
      await expect(Bag.open(foreignBag(name))).rejects.toThrow(new RegExp(refused));
    });
    return;
  }

  it(some ? 'gives what can be found' : 'gives every message that is there, in order of log time, with its header', async () => {
    const read = await readBag(name);
    const expected = kept.map((place) => asRead(truth.messages[place] as TrueMessage));
    if (some) {
      const all = new Set(expected.map((message) => message.join(' ')));
      expect(read.messages.length).toBeGreaterThan(100);
      expect(read.messages.filter((message) => !all.has(message.join(' ')))).toEqual([]);
    } else {
      expect(read.messages).toEqual(expected);
    }
    const counted = read.problems.flatMap((problem) => COUNTED.exec(problem) ?? []).sort();
    expect(counted).toEqual(name.startsWith('corrupt-') ? missing(kept) : []);
    const patterns = problems.map((pattern) => new RegExp(pattern));
    const others = read.problems.filter((problem) => !COUNTED.test(problem));
    expect(others.filter((problem) => !patterns.some((pattern) => pattern.test(problem)))).toEqual([]);
    expect(patterns.filter((pattern) => !read.problems.some((problem) => pattern.test(problem)))).toEqual([]);
  });
});

it.each(['big-endian.mcap', 'zero-stamps.mcap'] as const)('%s: headers are read as they are', async (name) => {
  const { messages, problems } = await readBag(name);
  expect(messages).toEqual(truth[name].map(asRead));
  expect(problems).toEqual([]);
});

it('writes nothing beside a bag, and leaves nothing behind', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'vig-test-'));
  vi.stubEnv('TMPDIR', folder);
  const before = readdirSync(foreignBag('.'));
  const bag = await Bag.open(foreignBag('file-zstd-sqlite3'));
  for await (const { to } of bag.messages(() => true)) expect(to).toBeGreaterThan(0);
  expect(readdirSync(foreignBag('.'))).toEqual(before);
  expect(readdirSync(folder)).not.toEqual([]);
  await bag.close();
  expect(readdirSync(folder)).toEqual([]);
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});
