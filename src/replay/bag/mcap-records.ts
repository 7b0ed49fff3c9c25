/** The records of a stretch of MCAP data: messages are taken out, schemas and channels kept, all else is passed over. */
import { McapConstants } from '@mcap/core';
import { messageOf } from '../../governor/error-message.js';
import type { Channel, TopicFilter } from './bag-file.js';
import { decompressZstd, isZstd } from './decompress.js';
import type { McapDirectory } from './mcap-directory.js';
import type { MessageSink } from './message-block.js';
import { type BagProblems, OUT_OF_SPAN } from './problem.js';

const { Opcode } = McapConstants;
/** Opcode and length. */
export const RECORD_HEAD_BYTES = 9;
/** Channel, sequence, log time and publish time of a message. */
export const MESSAGE_HEAD_BYTES = 22;
export const LOG_TIME_OFFSET = 6;

export interface RecordsPlace {
  readonly file: string;
  /** Of the chunk, which its messages are said to stand at, or of the first record. */
  readonly offset: number;
  readonly isChunk: boolean;
  readonly directory: McapDirectory;
  readonly wanted: TopicFilter;
  readonly problems: BagProblems;
}

/** @throws {Error} where the records are damaged; `into` has the messages before that. */
export function readRecords(bytes: Uint8Array, place: RecordsPlace, into: MessageSink): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let offset = 0;
  while (offset < bytes.byteLength) {
    if (offset + RECORD_HEAD_BYTES > bytes.byteLength) throw new Error(`a record is cut off ${offset} bytes in`);
    const body = offset + RECORD_HEAD_BYTES;
    const end = body + lengthAt(view, offset + 1);
    if (end > bytes.byteLength) throw new Error(`a record ${offset} bytes in reaches beyond its end`);
    const opcode = bytes[offset];
    if (opcode === Opcode.MESSAGE) addMessage(bytes, view, offset, end, place, into);
    else if (opcode === Opcode.SCHEMA || opcode === Opcode.CHANNEL) place.directory.addRecord(bytes.subarray(offset, end));
    offset = end;
  }
}

function addMessage(bytes: Uint8Array, view: DataView, offset: number, end: number, place: RecordsPlace, into: MessageSink): void {
  const body = offset + RECORD_HEAD_BYTES;
  if (end - body < MESSAGE_HEAD_BYTES) throw new Error(`a message ${offset} bytes in is shorter than its own head`);
  const id = view.getUint16(body, true);
  const channel = place.directory.channel(id);
  const at = place.isChunk ? place.offset : place.offset + offset;
  if (channel === undefined) {
    leaveOut(place, at, 'of a channel that is nowhere described, and left out', `channel ${id}`);
    return;
  }
  if (!place.wanted(channel.topic)) return;
  const logNs = view.getBigUint64(body + LOG_TIME_OFFSET, true);
  const start = body + MESSAGE_HEAD_BYTES;
  const inSpan = isZstd(bytes, start)
    ? addUnpacked(bytes.subarray(start, end), channel, logNs, at, place, into)
    : into.add(channel, logNs, bytes, start, end, at);
  if (!inSpan) leaveOut(place, at, OUT_OF_SPAN, `log time ${logNs} ns`, channel.topic);
}

/** @returns false when its log time is none of the bag. */
function addUnpacked(content: Uint8Array, channel: Channel, logNs: bigint, at: number, place: RecordsPlace, into: MessageSink): boolean {
  let buffer: Uint8Array;
  try {
    buffer = decompressZstd(content);
  } catch (error) {
    leaveOut(place, at, 'damaged and left out', messageOf(error), channel.topic);
    return true;
  }
  return into.add(channel, logNs, buffer, 0, buffer.byteLength, at);
}

function leaveOut({ file, problems }: RecordsPlace, offset: number, text: string, detail: string, topic?: string): void {
  problems.leaveOut({ file, at: `offset ${offset}`, text, detail, ...(topic === undefined ? {} : { topic }) });
}

/** A length of 64 bits; beyond what a number can hold it reaches too far in any case. */
export function lengthAt(view: DataView, offset: number): number {
  return view.getUint32(offset, true) + view.getUint32(offset + 4, true) * 2 ** 32;
}
