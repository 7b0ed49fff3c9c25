/** What an MCAP file says of itself at its end. */
import type { FileHandle } from 'node:fs/promises';
import { McapIndexedReader, McapStreamReader, type McapTypes } from '@mcap/core';
import type { MessageCounts } from './bag-file.js';
import { readAt } from './file-window.js';
import type { McapDirectory } from './mcap-directory.js';
import type { McapPart } from './mcap-file.js';

export interface McapSummary {
  /** In the order of the file; undefined where there is no index of all messages. */
  readonly parts: readonly McapPart[] | undefined;
  readonly statistics: Statistics | undefined;
}

/** Its schemas and channels go to the directory. A file without a summary may be whole, all the same. */
export async function readSummary(handle: FileHandle, size: number, directory: McapDirectory): Promise<McapSummary> {
  const readable = {
    size: async () => BigInt(size),
    read: (offset: bigint, length: bigint) => readAt(handle, Number(offset), Number(length)),
  };
  let reader: McapIndexedReader;
  try {
    reader = await McapIndexedReader.Initialize({ readable });
  } catch {
    return { parts: undefined, statistics: undefined }; // unfinished, damaged or written without one: the walk tells
  }
  for (const schema of reader.schemasById.values()) directory.addSchema(schema);
  for (const channel of reader.channelsById.values()) directory.addChannel(channel);
  const { chunkIndexes, statistics } = reader;
  const isIndexed = chunkIndexes.length > 0 || statistics?.messageCount === 0n;
  return { statistics, parts: isIndexed ? chunkIndexes.map(partOf).sort((a, b) => a.offset - b.offset) : undefined };
}

export type Statistics = McapTypes.TypedMcapRecords['Statistics'];
type ChunkIndex = McapIndexedReader['chunkIndexes'][number];

/** @param record from its opcode on @returns undefined for one that is damaged. */
export function statisticsOf(record: Uint8Array): Statistics | undefined {
  const reader = new McapStreamReader({ noMagicPrefix: true });
  try {
    reader.append(record);
    const parsed = reader.nextRecord();
    return parsed?.type === 'Statistics' ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** @returns undefined where topics do not amount to the whole: a writer that does not count by them. */
export function promisedBy({ messageCount, channelMessageCounts }: Statistics, directory: McapDirectory): MessageCounts | undefined {
  const counts = new Map<string, number>();
  let sum = 0n;
  for (const [id, count] of channelMessageCounts) {
    const topic = directory.channel(id)?.topic;
    if (topic === undefined) continue;
    counts.set(topic, (counts.get(topic) ?? 0) + Number(count));
    sum += count;
  }
  return sum === messageCount ? counts : undefined;
}

function partOf(index: ChunkIndex): McapPart {
  return {
    kind: 'chunk',
    offset: Number(index.chunkStartOffset),
    length: Number(index.chunkLength),
    span: { startNs: index.messageStartTime, endNs: index.messageEndTime },
    packing: {
      compression: index.compression,
      compressedBytes: Number(index.compressedSize),
      bytes: Number(index.uncompressedSize),
    },
  };
}
