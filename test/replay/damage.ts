/** Foreign bags that are damaged, and what can still be read of them. */
import { copyFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { McapIndexedReader } from '@mcap/core';
import { afterAll } from 'vitest';
import { Bag } from '../../src/replay/bag/open-bag.js';
import { foreignBag, truth } from './foreign.js';

const folders: string[] = [];

/** Gone when the tests of the file are over. */
export function ownFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'vig-damaged-'));
  folders.push(folder);
  return folder;
}

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** A copy of a bag of one file. @param change of its bytes, or what is there instead */
export function damaged(name: string, change: (bytes: Buffer) => Buffer | undefined): string {
  const bytes = readFileSync(foreignBag(name));
  const file = path.join(ownFolder(), path.basename(name));
  writeFileSync(file, change(bytes) ?? bytes);
  return file;
}

/** A copy of a bag that is a folder. */
export function copied(name: string): string {
  const folder = path.join(ownFolder(), name);
  cpSync(foreignBag(name), folder, { recursive: true });
  return folder;
}

export function copiedFile(name: string, folder = ownFolder()): string {
  const file = path.join(folder, name);
  copyFileSync(foreignBag(name), file);
  return file;
}

/** The file of a foreign bag that is a folder. */
export function onlyFile(name: string): string {
  return path.join(name, readdirSync(foreignBag(name)).find((file) => file !== 'metadata.yaml') ?? '');
}

export interface Read {
  readonly counts: ReadonlyMap<string, number>;
  readonly messages: number;
  readonly types: ReadonlySet<string>;
  readonly problems: readonly string[];
  readonly spanNs: bigint | undefined;
}

export async function readBag(name: string): Promise<Read> {
  const bag = await Bag.open(name);
  const counts = new Map<string, number>();
  const types = new Set<string>();
  let messages = 0;
  for await (const { block, from, to } of bag.messages(() => true)) {
    for (let index = from; index < to; index += 1) {
      const { topic, type } = block.channel(index);
      types.add(type);
      counts.set(topic, (counts.get(topic) ?? 0) + 1);
      messages += 1;
    }
  }
  await bag.close();
  return { counts, messages, types, problems: bag.problems.lines(), spanNs: bag.span && bag.span.endNs - bag.span.startNs };
}

/** How many messages of a topic were recorded. */
export function sent(topic: string): number {
  return truth.messages.filter((message) => message[0] === topic).length;
}

/** What is said to be missing, by topic, and what is missing. */
export function missing({ counts, problems }: Read): { told: Record<string, number>; true: Record<string, number> } {
  const topics = [...new Set(truth.messages.map(([topic]) => topic))].filter((topic) => (counts.get(topic) ?? 0) < sent(topic));
  const said = problems.flatMap((line) => {
    const [, topic, count] = /topic (\S+): (\d+) of the \d+ messages/.exec(line) ?? [];
    return topic === undefined ? [] : [[topic, Number(count)]];
  });
  return {
    told: Object.fromEntries(said),
    true: Object.fromEntries(topics.map((topic) => [topic, sent(topic) - (counts.get(topic) ?? 0)])),
  };
}

/** Where the chunks of a foreign MCAP file stand. */
export async function chunksOf(name: string): Promise<{ offset: number; length: number }[]> {
  const handle = await open(foreignBag(name));
  const { size } = await handle.stat();
  const read = async (offset: bigint, length: bigint) =>
    new Uint8Array((await handle.read(Buffer.alloc(Number(length)), 0, Number(length), Number(offset))).buffer);
  const { chunkIndexes } = await McapIndexedReader.Initialize({ readable: { size: async () => BigInt(size), read } });
  await handle.close();
  return chunkIndexes.map(({ chunkStartOffset, chunkLength }) => ({ offset: Number(chunkStartOffset), length: Number(chunkLength) }));
}

/** Where messages of an MCAP file without chunks stand. */
export function messagesOf(bytes: Buffer): number[] {
  const places: number[] = [];
  for (let offset = 8; offset + 9 < bytes.byteLength; offset += 9 + Number(bytes.readBigUInt64LE(offset + 1)))
    if (bytes[offset] === 5) places.push(offset);
  return places;
}
