/** What may be set aside, written over or removed under the name of a trace: what is a trace itself. */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { constants, gunzipSync } from 'node:zlib';
import { isLocked } from '../files/file-lock.js';
import { realPlace } from '../files/real-place.js';
import { messageOf } from '../governor/error-message.js';

const BEGIN = '{"vig_trace":';
const GZIP_MAGIC = Buffer.of(0x1f, 0x8b);
/** Enough for the begin of a trace in either form. */
const LOOKED_AT_BYTES = 512;

/** As far as it goes: an empty file does, since nothing is lost with it. */
export function beginsAsTrace(path: string): boolean {
  try {
    const bytes = firstBytes(path);
    const isCompressed = bytes.subarray(0, GZIP_MAGIC.length).equals(GZIP_MAGIC);
    const text = (isCompressed ? gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }) : bytes).toString('latin1');
    return text.startsWith(BEGIN) || BEGIN.startsWith(text);
  } catch {
    return false; // it cannot be read, is a folder, or is compressed otherwise
  }
}

export function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** A device or a pipe. */
export function holdsNothing(path: string): boolean {
  const there = statSync(path, { throwIfNoEntry: false });
  return there !== undefined && !there.isFile() && !there.isDirectory();
}

/** Held by the node that writes a trace. @param file where it is, links followed. */
export function lockOf(file: string): string {
  return `${file}.lock`;
}

/** @returns why a new trace may not take the place of what is there, for people; undefined when it may. */
export async function whyNotReplaceable(file: string): Promise<string | undefined> {
  if (!isFile(file)) return undefined;
  if (!beginsAsTrace(file)) return 'is there already, and is no trace; name another file';
  try {
    return (await isLocked(lockOf(realPlace(file)))) ? 'is being written by a running node; name another file' : undefined;
  } catch (error) {
    return `may be written by a running node: whether it is cannot be found out (${messageOf(error)}); name another file`;
  }
}

function firstBytes(path: string): Buffer {
  const descriptor = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(LOOKED_AT_BYTES);
    return bytes.subarray(0, readSync(descriptor, bytes));
  } finally {
    closeSync(descriptor);
  }
}
