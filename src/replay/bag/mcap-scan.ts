/** A walk over the records of an MCAP file that has no index, or ends in the middle. */
import type { FileHandle } from 'node:fs/promises';
import { McapConstants } from '@mcap/core';
import { FileWindow } from './file-window.js';
import type { McapDirectory } from './mcap-directory.js';
import type { FoundParts, McapPart } from './mcap-file.js';
import { LOG_TIME_OFFSET, lengthAt, MESSAGE_HEAD_BYTES, RECORD_HEAD_BYTES } from './mcap-records.js';
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

export async function scanMcap(options: ScanOptions): Promise<FoundParts> {
  const scan = new Scan(options);
  await scan.run();
  return { parts: scan.parts, messageCount: undefined };
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

  async run(): Promise<void> {
    const { size } = this.#options;
    let offset: number = MCAP_MAGIC.length;
    while (offset < size) {
      const head = await this.#window.read(offset, RECORD_HEAD_BYTES);
      const opcode = head[0] ?? 0;
      if (head.byteLength < RECORD_HEAD_BYTES) return this.#cutOff(offset, 'a record begins here and the file ends');
      const length = lengthAt(new DataView(head.buffer, head.byteOffset), 1);
      const end = offset + RECORD_HEAD_BYTES + length;
      if (opcode === 0) return this.#cutOff(offset, 'there is no record here');
      if (end > size)
        return this.#cutOff(offset, `a record of ${length} bytes begins here, ${size - offset - RECORD_HEAD_BYTES} of them are there`);
      if (opcode === Opcode.DATA_END || opcode === Opcode.FOOTER) return this.#endStretch(offset);
      if (!(await this.#note(opcode, offset, end))) return;
      offset = end;
    }
    this.#cutOff(offset, 'the file ends without a footer: its recorder did not finish it');
  }

  /** @returns false where the walk has to end. */
  async #note(opcode: number, offset: number, end: number): Promise<boolean> {
    const body = offset + RECORD_HEAD_BYTES;
    if (opcode === Opcode.CHUNK) {
      this.#endStretch(offset);
      const view = viewOf(await this.#window.read(body, 16));
      if (view.byteLength < 16) return true;
      const span = { startNs: view.getBigUint64(0, true), endNs: view.getBigUint64(8, true) };
      this.parts.push({ kind: 'chunk', offset, length: end - offset, span });
    } else if (opcode === Opcode.MESSAGE) {
      if (end - body < MESSAGE_HEAD_BYTES) return true;
      const logNs = viewOf(await this.#window.read(body, MESSAGE_HEAD_BYTES)).getBigUint64(LOG_TIME_OFFSET, true);
      this.#lengthenStretch(offset, end, logNs);
    } else if (opcode === Opcode.SCHEMA || opcode === Opcode.CHANNEL) {
      return this.#describe(offset, await this.#window.read(offset, end - offset));
    }
    return true;
  }

  #describe(offset: number, record: Uint8Array): boolean {
    try {
      this.#options.directory.addRecord(record.slice());
      return true;
    } catch (error) {
      this.#cutOff(offset, `a description is damaged: ${String(error)}`);
      return false;
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

  #cutOff(offset: number, text: string): void {
    this.#endStretch(offset);
    this.#options.problems.add({ file: this.#options.file, at: `offset ${offset}`, text: `${text}; what stands before is replayed` });
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
