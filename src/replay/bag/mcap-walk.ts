/** Where the records of an MCAP file can begin. */
import { McapConstants } from '@mcap/core';
import { MAX_PART_BYTES } from './decompress.js';
import type { FileWindow } from './file-window.js';
import { CHUNK_HEAD_BYTES, type ChunkHead, chunkHead } from './mcap-chunk.js';
import type { McapDirectory } from './mcap-directory.js';
import { lengthAt, MESSAGE_HEAD_BYTES, RECORD_HEAD_BYTES } from './mcap-records.js';

const { Opcode } = McapConstants;
/** The highest opcode of the format; those from `PRIVATE` on are anybody's. */
const LAST_OPCODE = Opcode.DATA_END;
const PRIVATE = 0x80;
const DATA_END_BYTES = 4;
const FOOTER_BYTES = 20;
const BLOCK_BYTES = 1 << 18;

export interface RecordHead {
  readonly opcode: number;
  readonly length: number;
  /** Of a chunk. */
  readonly chunk: ChunkHead | undefined;
}

/** The head of the record that begins at an offset, or why none does. */
export async function recordAt(window: FileWindow, offset: number): Promise<RecordHead | string> {
  const bytes = await window.read(offset, Math.min(CHUNK_HEAD_BYTES, window.size - offset));
  if (bytes.byteLength < RECORD_HEAD_BYTES) return 'a record begins here and the file ends';
  const opcode = bytes[0] ?? 0;
  const length = lengthAt(new DataView(bytes.buffer, bytes.byteOffset), 1);
  if (opcode === 0 || (opcode > LAST_OPCODE && opcode < PRIVATE)) return 'there is no record here';
  if (length > MAX_PART_BYTES) return 'the length of the record that begins here is damaged';
  const there = window.size - offset - RECORD_HEAD_BYTES;
  if (length > there) return `a record of ${length} bytes begins here, ${there} of them are there`;
  const chunk = chunkHead(bytes, RECORD_HEAD_BYTES + length);
  const isPossible = opcode === Opcode.CHUNK ? chunk !== undefined : isLongEnough(opcode, length);
  return isPossible ? { opcode, length, chunk } : 'the head of the record that begins here is damaged';
}

function isLongEnough(opcode: number, length: number): boolean {
  switch (opcode) {
    case Opcode.MESSAGE:
      return length >= MESSAGE_HEAD_BYTES;
    case Opcode.DATA_END:
      return length === DATA_END_BYTES;
    case Opcode.FOOTER:
      return length === FOOTER_BYTES;
    default:
      return true;
  }
}

/** Kinds of which a walk is sure when it lost its way. */
const SURE: ReadonlySet<number> = new Set([
  Opcode.MESSAGE,
  Opcode.CHUNK,
  Opcode.MESSAGE_INDEX,
  Opcode.SCHEMA,
  Opcode.CHANNEL,
  Opcode.DATA_END,
]);

/**
 * The first offset from which records follow each other again; undefined where there is none.
 * @param look another window on the same file
 */
export async function nextRecord(
  window: FileWindow,
  look: FileWindow,
  from: number,
  directory: McapDirectory,
): Promise<number | undefined> {
  for (let block = from; block + RECORD_HEAD_BYTES <= window.size; block += BLOCK_BYTES) {
    const bytes = await window.read(block, Math.min(BLOCK_BYTES + RECORD_HEAD_BYTES + 2, window.size - block));
    const last = Math.min(BLOCK_BYTES, bytes.byteLength - RECORD_HEAD_BYTES + 1);
    for (let index = 0; index < last; index += 1) {
      if (mayBegin(bytes, index, directory) && (await begins(look, block + index))) return block + index;
    }
  }
  return undefined;
}

/** What can be seen at once: a known kind, a length of less than 4 GB, a known channel. */
function mayBegin(bytes: Uint8Array, at: number, directory: McapDirectory): boolean {
  const opcode = bytes[at] ?? 0;
  if (!SURE.has(opcode)) return false;
  for (let index = at + 5; index < at + RECORD_HEAD_BYTES; index += 1) if (bytes[index] !== 0) return false;
  if (opcode !== Opcode.MESSAGE) return true;
  return directory.channel((bytes[at + RECORD_HEAD_BYTES] ?? 0) | ((bytes[at + RECORD_HEAD_BYTES + 1] ?? 0) << 8)) !== undefined;
}

/** Whether another record, or the end of the file, follows. */
async function begins(window: FileWindow, offset: number): Promise<boolean> {
  const record = await recordAt(window, offset);
  if (typeof record === 'string') return false;
  const end = offset + RECORD_HEAD_BYTES + record.length;
  return end === window.size || typeof (await recordAt(window, end)) !== 'string';
}
