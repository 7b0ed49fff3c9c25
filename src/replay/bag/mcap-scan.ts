/** A walk over the records of an MCAP file that has no index, or ends in the middle. */
import type { FileHandle } from 'node:fs/promises';
import { McapConstants } from '@mcap/core';
import { messageOf } from '../../governor/error-message.js';
import { FileWindow } from './file-window.js';
import type { McapDirectory } from './mcap-directory.js';
import type { McapPart } from './mcap-file.js';
import { LOG_TIME_OFFSET, MESSAGE_HEAD_BYTES, RECORD_HEAD_BYTES } from './mcap-records.js';
import { type Statistics, statisticsOf } from './mcap-summary.js';
import { nextRecord, type RecordHead, recordAt } from './mcap-walk.js';
import type { BagProblems } from './problem.js';

const { MCAP_MAGIC, Opcode } = McapConstants;
/** Messages outside of chunks are read in stretches of about this length. */
const STRETCH_BYTES = 1 << 20;

export interface ScanOptions {
  readonly file: string;
  readonly handle: FileHandle;
  readonly size: number;
  readonly directory: McapDirectory;
  readonly problems: BagProblems;
}

export interface Scanned {
  readonly parts: readonly McapPart[];
  /** Where a summary is left that cannot be used as a whole. */
  readonly statistics: Statistics | undefined;
}

export async function scanMcap(options: ScanOptions): Promise<Scanned> {
  const scan = new Scan(options);
  const { parts } = scan;
  const dataEnd = await scan.run();
  return { parts, statistics: dataEnd === undefined ? undefined : await scan.findStatistics(dataEnd) };
}

class Scan {
  readonly parts: McapPart[] = [];
  readonly #options: ScanOptions;
  readonly #window: FileWindow;
  #stretch: { offset: number; startNs: bigint; endNs: bigint } | undefined;

  constructor(options: ScanOptions) {
    this.#options = options;
    this.#window = new FileWindow(options.handle, options.size);
  }

  /** @returns where the messages end, of a file that was finished. */
  async run(): Promise<number | undefined> {
    const { size } = this.#options;
    let offset: number = MCAP_MAGIC.length;
    /** From where on a record may have been overlooked: the length of the last one can be damaged. */
    let sure = offset;
    while (offset < size) {
      const record = await recordAt(this.#window, offset);
      if (typeof record === 'string') {
        const next = await this.#resume(offset, sure, record);
        if (next === undefined) return undefined;
        offset = next;
        sure = next;
        continue;
      }
      const { opcode, length, chunk } = record;
      const end = offset + RECORD_HEAD_BYTES + length;
      if (opcode === Opcode.DATA_END || opcode === Opcode.FOOTER) {
        this.#endStretch(offset);
        return offset;
      }
      await this.#note(record, offset, end);
      sure = opcode === Opcode.MESSAGE || (chunk !== undefined && chunk.compression !== '') ? offset + 1 : end;
      offset = end;
    }
    this.#endStretch(offset);
    this.#tell(offset, 'the file ends without a footer, its recorder did not finish it; what stands before is replayed');
    return undefined;
  }

  async findStatistics(from: number): Promise<Statistics | undefined> {
    let offset = from;
    for (;;) {
      const record = offset < this.#options.size ? await recordAt(this.#window, offset) : 'the end';
      if (typeof record === 'string' || record.opcode === Opcode.FOOTER) return undefined;
      const end = offset + RECORD_HEAD_BYTES + record.length;
      if (record.opcode === Opcode.STATISTICS) return statisticsOf(await this.#window.read(offset, end - offset));
      offset = end;
    }
  }

  /** @returns where records go on; undefined where none do. */
  async #resume(offset: number, sure: number, why: string): Promise<number | undefined> {
    this.#endStretch(offset);
    const { handle, size, directory } = this.#options;
    const from = sure < offset ? sure : offset + 1;
    const next = await nextRecord(this.#window, new FileWindow(handle, size), from, directory);
    const end = next ?? size;
    const lost = end > offset ? `${end - offset} bytes from here on could not be read` : 'the record before it is damaged';
    const rest = next === undefined ? 'what stands before is replayed' : `what stands before, and from offset ${next} on, is replayed`;
    this.#tell(offset, `${why}; ${lost}, ${rest}`);
    return next;
  }

  async #note({ opcode, chunk }: RecordHead, offset: number, end: number): Promise<void> {
    if (chunk !== undefined) {
      this.#endStretch(offset);
      this.parts.push({ kind: 'chunk', offset, length: end - offset, span: { startNs: chunk.startNs, endNs: chunk.endNs } });
    } else if (opcode === Opcode.MESSAGE) {
      const logNs = viewOf(await this.#window.read(offset + RECORD_HEAD_BYTES, MESSAGE_HEAD_BYTES)).getBigUint64(LOG_TIME_OFFSET, true);
      this.#lengthenStretch(offset, end, logNs);
    } else if (opcode === Opcode.SCHEMA || opcode === Opcode.CHANNEL) {
      this.#describe(offset, await this.#window.read(offset, end - offset));
    }
  }

  #describe(offset: number, record: Uint8Array): void {
    try {
      this.#options.directory.addRecord(record.slice());
    } catch (error) {
      this.#endStretch(offset); // nobody reads it once more
      this.#tell(offset, `a description is damaged: ${messageOf(error)}`);
    }
  }

  #lengthenStretch(offset: number, end: number, logNs: bigint): void {
    this.#stretch ??= { offset, startNs: logNs, endNs: logNs };
    if (logNs < this.#stretch.startNs) this.#stretch.startNs = logNs;
    if (logNs > this.#stretch.endNs) this.#stretch.endNs = logNs;
    if (end - this.#stretch.offset >= STRETCH_BYTES) this.#endStretch(end);
  }

  #endStretch(end: number): void {
    if (this.#stretch === undefined) return;
    const { offset, startNs, endNs } = this.#stretch;
    this.parts.push({ kind: 'records', offset, length: end - offset, span: { startNs, endNs } });
    this.#stretch = undefined;
  }

  #tell(offset: number, text: string): void {
    this.#options.problems.add({ file: this.#options.file, at: `offset ${offset}`, text });
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
