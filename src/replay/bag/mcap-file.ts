/** One MCAP file: by its index where it has one, else by what a walk over its records finds. */
import { type FileHandle, open } from 'node:fs/promises';
import { crc32 } from '@foxglove/crc';
import { McapConstants, McapIndexedReader } from '@mcap/core';
import { messageOf } from '../../governor/error-message.js';
import { type BagFile, type Channel, type LoadedSegment, type LogSpan, type Segment, spanOf, type TopicFilter } from './bag-file.js';
import { decompressChunk, decompressorsReady, MAX_PART_BYTES } from './decompress.js';
import { readAt } from './file-window.js';
import { McapDirectory } from './mcap-directory.js';
import { lengthAt, RECORD_HEAD_BYTES, readRecords } from './mcap-records.js';
import { scanMcap } from './mcap-scan.js';
import { MessageBlock } from './message-block.js';
import type { BagProblems } from './problem.js';

/** A stretch of the file that is read in one go. */
export interface McapPart {
  readonly kind: 'chunk' | 'records';
  readonly offset: number;
  readonly length: number;
  readonly span: LogSpan;
}

/** Start and end time, uncompressed size and its CRC, and the length of the name of the compression. */
const CHUNK_HEAD_BYTES = 8 + 8 + 8 + 4 + 4;

export class McapFile implements BagFile {
  readonly file: string;
  readonly span: LogSpan | undefined;
  readonly messageCount: number | undefined;
  readonly #handle: FileHandle;
  readonly #parts: readonly McapPart[];
  readonly #directory: McapDirectory;
  readonly #problems: BagProblems;

  private constructor(file: string, handle: FileHandle, found: FoundParts, directory: McapDirectory, problems: BagProblems) {
    this.file = file;
    this.span = spanOf(found.parts.map(({ span }) => span).filter(({ endNs }) => endNs > 0n)); // nothing in a chunk: 0 and 0
    this.messageCount = found.messageCount;
    this.#handle = handle;
    this.#parts = found.parts;
    this.#directory = directory;
    this.#problems = problems;
  }

  /** @param file its name for messages to people @param path where it is read from @throws {Error} when it cannot be read at all. */
  static async open(file: string, path: string, problems: BagProblems): Promise<McapFile> {
    await decompressorsReady;
    const handle = await open(path);
    try {
      const { size } = await handle.stat();
      const directory = new McapDirectory();
      const found = (await readIndex(handle, size, directory)) ?? (await scanMcap({ file, handle, size, directory, problems }));
      return new McapFile(file, handle, found, directory, problems);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  segments(wanted: TopicFilter, startNs: bigint): readonly Segment[] {
    return this.#parts.map((part) => ({
      sinceStartNs: Number(part.span.startNs - startNs),
      load: () => this.#load(part, wanted, new MessageBlock(this.file, 'offset', startNs)),
    }));
  }

  channels(): Iterable<Channel> {
    return this.#directory.channels();
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  async #load(part: McapPart, wanted: TopicFilter, block: MessageBlock): Promise<LoadedSegment> {
    const { offset, length } = part;
    const isChunk = part.kind === 'chunk';
    try {
      const bytes = await readAt(this.#handle, offset, length);
      if (bytes.byteLength < length) throw new Error(`${bytes.byteLength} of its ${length} bytes are there`);
      readRecords(isChunk ? chunkRecords(bytes) : bytes, { offset, isChunk, directory: this.#directory, wanted }, block);
    } catch (error) {
      const what = isChunk ? 'chunk' : 'stretch';
      const text = `this ${what} is damaged, ${block.count === 0 ? 'its messages are' : 'what follows in it is'} left out: ${messageOf(error)}`;
      this.#problems.add({ file: this.file, at: `offset ${offset}`, text });
    }
    block.sort();
    return { block };
  }
}

export interface FoundParts {
  readonly parts: readonly McapPart[];
  readonly messageCount: number | undefined;
}

/** @returns undefined where there is no index of all messages; the file itself may be whole. */
async function readIndex(handle: FileHandle, size: number, directory: McapDirectory): Promise<FoundParts | undefined> {
  const readable = {
    size: async () => BigInt(size),
    read: (offset: bigint, length: bigint) => readAt(handle, Number(offset), Number(length)),
  };
  let reader: McapIndexedReader;
  try {
    reader = await McapIndexedReader.Initialize({ readable });
  } catch {
    return undefined; // unfinished, damaged or written without a summary: the walk tells
  }
  const { chunkIndexes, statistics } = reader;
  if (chunkIndexes.length === 0 && statistics?.messageCount !== 0n) return undefined;
  for (const schema of reader.schemasById.values()) directory.addSchema(schema);
  for (const channel of reader.channelsById.values()) directory.addChannel(channel);
  const parts = chunkIndexes.map(
    ({ chunkStartOffset, chunkLength, messageStartTime, messageEndTime }): McapPart => ({
      kind: 'chunk',
      offset: Number(chunkStartOffset),
      length: Number(chunkLength),
      span: { startNs: messageStartTime, endNs: messageEndTime },
    }),
  );
  parts.sort((a, b) => a.offset - b.offset);
  return { parts, messageCount: statistics === undefined ? undefined : Number(statistics.messageCount) };
}

/** @param record a chunk from its opcode on. @throws {Error} when it is damaged. */
function chunkRecords(record: Uint8Array): Uint8Array {
  const view = new DataView(record.buffer, record.byteOffset, record.byteLength);
  if (record[0] !== McapConstants.Opcode.CHUNK) throw new Error(`there is no chunk here but a record of kind ${record[0]}`);
  const body = RECORD_HEAD_BYTES;
  if (record.byteLength < body + CHUNK_HEAD_BYTES) throw new Error('it is shorter than its own head');
  const size = lengthAt(view, body + 16);
  const crc = view.getUint32(body + 24, true);
  const nameLength = view.getUint32(body + 28, true);
  const data = body + CHUNK_HEAD_BYTES + nameLength + 8;
  if (data > record.byteLength || size > MAX_PART_BYTES) throw new Error('its head is damaged');
  const compression = new TextDecoder().decode(record.subarray(body + CHUNK_HEAD_BYTES, data - 8));
  const stored = record.subarray(data, data + lengthAt(view, data - 8));
  const records = decompressChunk(compression, stored, size);
  if (crc !== 0 && crc32(records) !== crc) throw new Error('its checksum is wrong');
  return records;
}
