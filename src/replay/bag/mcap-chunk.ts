/** The records of one chunk of an MCAP file, unpacked. */
import { crc32 } from '@foxglove/crc';
import { McapConstants } from '@mcap/core';
import { decompressChunk } from './decompress.js';
import { lengthAt, RECORD_HEAD_BYTES } from './mcap-records.js';

/** Start and end time, uncompressed size and its CRC, and the length of the name of the compression. */
const FIXED_BYTES = 8 + 8 + 8 + 4 + 4;
const LENGTH_BYTES = 8;
const LONGEST_NAME = 32;
/** What a head takes at most, with opcode and length of the record. */
export const CHUNK_HEAD_BYTES = RECORD_HEAD_BYTES + FIXED_BYTES + LONGEST_NAME + LENGTH_BYTES;

/** How the records are packed: the head of a chunk says it, and once more the index of the file. */
export interface Packing {
  readonly compression: string;
  readonly compressedBytes: number;
  readonly bytes: number;
}

export interface ChunkHead extends Packing {
  readonly startNs: bigint;
  readonly endNs: bigint;
  /** Of the records; 0 where nobody computed it. */
  readonly crc: number;
}

export interface ChunkRecords {
  readonly records: Uint8Array;
  /** Whether the index of the file had to say how they are packed. */
  readonly headDamaged: boolean;
}

/** @param record the beginning of a chunk, from its opcode on @param length of all of it @returns undefined for one that cannot be. */
export function chunkHead(record: Uint8Array, length: number): ChunkHead | undefined {
  const body = RECORD_HEAD_BYTES;
  if (record[0] !== McapConstants.Opcode.CHUNK || record.byteLength < body + FIXED_BYTES + LENGTH_BYTES) return undefined;
  const view = new DataView(record.buffer, record.byteOffset, record.byteLength);
  const nameBytes = view.getUint32(body + FIXED_BYTES - 4, true);
  const data = body + FIXED_BYTES + nameBytes + LENGTH_BYTES;
  if (nameBytes > LONGEST_NAME || data > record.byteLength) return undefined;
  const compressedBytes = lengthAt(view, data - LENGTH_BYTES);
  if (data + compressedBytes !== length) return undefined;
  return {
    startNs: view.getBigUint64(body, true),
    endNs: view.getBigUint64(body + 8, true),
    bytes: lengthAt(view, body + 16),
    crc: view.getUint32(body + 24, true),
    compression: new TextDecoder().decode(record.subarray(body + FIXED_BYTES, data - LENGTH_BYTES)),
    compressedBytes,
  };
}

/** @param record a chunk from its opcode on @param index what the file says of it elsewhere @throws {Error} when it is damaged. */
export async function chunkRecords(record: Uint8Array, index: Packing | undefined): Promise<ChunkRecords> {
  const head = chunkHead(record, record.byteLength);
  const headDamaged = head === undefined || (index !== undefined && !isSame(head, index));
  const packing = index ?? head;
  if (packing === undefined) throw new Error('its head is damaged');
  const stored = record.subarray(record.byteLength - packing.compressedBytes);
  const records = await decompressChunk(packing.compression, stored, packing.bytes);
  if (!headDamaged && head.crc !== 0 && crc32(records) !== head.crc) throw new Error('its checksum is wrong');
  return { records, headDamaged };
}

function isSame(a: Packing, b: Packing): boolean {
  return a.compression === b.compression && a.compressedBytes === b.compressedBytes && a.bytes === b.bytes;
}
