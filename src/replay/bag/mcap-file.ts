/** One MCAP file: by its index where it has one, else by what a walk over its records finds. */
import { type FileHandle, open } from 'node:fs/promises';
import { messageOf } from '../../governor/error-message.js';
import {
  type BagFile,
  type Channel,
  type LoadedSegment,
  type LogSpan,
  type MessageCounts,
  type Segment,
  sinceStartOf,
  spanOf,
  type TopicFilter,
} from './bag-file.js';
import { decompressorsReady } from './decompress.js';
import { readAt } from './file-window.js';
import { chunkRecords, type Packing } from './mcap-chunk.js';
import { McapDirectory } from './mcap-directory.js';
import { readRecords } from './mcap-records.js';
import { type Scanned, scanMcap } from './mcap-scan.js';
import { promisedBy, readSummary, type Statistics } from './mcap-summary.js';
import { MessageBlock, type MessageSink } from './message-block.js';
import type { BagProblems } from './problem.js';

/** A stretch of the file that is read in one go. */
export interface McapPart {
  readonly kind: 'chunk' | 'records';
  readonly offset: number;
  readonly length: number;
  readonly span: LogSpan;
  /** Of a chunk, as the index has it. */
  readonly packing?: Packing;
}

export class McapFile implements BagFile {
  readonly file: string;
  readonly span: LogSpan | undefined;
  readonly messageCount: number | undefined;
  readonly #statistics: Statistics | undefined;
  readonly #handle: FileHandle;
  readonly #parts: readonly McapPart[];
  readonly #directory: McapDirectory;
  readonly #problems: BagProblems;

  private constructor(file: string, handle: FileHandle, { parts, statistics }: Scanned, directory: McapDirectory, problems: BagProblems) {
    this.file = file;
    this.span = spanOf(parts.map(({ span }) => span).filter(({ endNs }) => endNs > 0n)); // nothing in a chunk: 0 and 0
    this.messageCount = statistics === undefined ? undefined : Number(statistics.messageCount);
    this.#statistics = statistics;
    this.#handle = handle;
    this.#parts = parts;
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
      const { parts, statistics } = await readSummary(handle, size, directory);
      const found = parts === undefined ? await scanMcap({ file, handle, size, directory, problems }) : { parts, statistics };
      return new McapFile(file, handle, { ...found, statistics: found.statistics ?? statistics }, directory, problems);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Once all of it has been read: some files describe their channels only where their messages are. */
  get promised(): MessageCounts | undefined {
    return this.#statistics === undefined ? undefined : promisedBy(this.#statistics, this.#directory);
  }

  segments(wanted: TopicFilter, span: LogSpan): readonly Segment[] {
    return this.#parts.map((part) => ({
      sinceStartNs: sinceStartOf(part.span.startNs, span),
      load: () => this.#load(part, wanted, span),
    }));
  }

  async logTimes(): Promise<readonly bigint[]> {
    const times: bigint[] = [];
    const add = (_channel: Channel, logNs: bigint) => times.push(logNs) > 0;
    for (const part of this.#parts)
      await this.#read(
        part,
        () => true,
        { add },
        () => 0,
      );
    return times;
  }

  channels(): Iterable<Channel> {
    return this.#directory.channels();
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  async #load(part: McapPart, wanted: TopicFilter, span: LogSpan): Promise<LoadedSegment> {
    const block = new MessageBlock(this.file, 'offset', span);
    await this.#read(part, wanted, block, () => block.count);
    block.sort();
    return { block };
  }

  /** @param count of what came into it so far */
  async #read(part: McapPart, wanted: TopicFilter, into: MessageSink, count: () => number): Promise<void> {
    const { offset, length } = part;
    const isChunk = part.kind === 'chunk';
    const tell = (text: string): void => this.#problems.add({ file: this.file, at: `offset ${offset}`, text });
    try {
      const bytes = await readAt(this.#handle, offset, length);
      if (bytes.byteLength < length) throw new Error(`${bytes.byteLength} of its ${length} bytes are there`);
      const { file } = this;
      const place = { file, offset, isChunk, directory: this.#directory, wanted, problems: this.#problems };
      readRecords(isChunk ? await this.#unpacked(bytes, part, tell) : bytes, place, into);
    } catch (error) {
      const what = isChunk ? 'chunk' : 'stretch';
      tell(`this ${what} is damaged, ${count() === 0 ? 'its messages are' : 'what follows in it is'} left out: ${messageOf(error)}`);
    }
  }

  async #unpacked(bytes: Uint8Array, { packing }: McapPart, tell: (text: string) => void): Promise<Uint8Array> {
    const { records, headDamaged } = await chunkRecords(bytes, packing);
    if (headDamaged)
      tell('the head of this chunk is damaged; the index of the file says how it is packed, and its messages are replayed unchecked');
    return records;
  }
}
