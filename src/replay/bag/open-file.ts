/** Opens one file of a bag by what it contains, whatever its name says. */
import { type FileHandle, open, stat } from 'node:fs/promises';
import { McapConstants } from '@mcap/core';
import { WriteError } from '../../files/write-error.js';
import { messageOf } from '../../governor/error-message.js';
import type { BagFile } from './bag-file.js';
import { decompressFile, isZstd } from './decompress.js';
import { McapFile } from './mcap-file.js';
import { BagError, type BagProblems } from './problem.js';
import type { Workspace } from './workspace.js';

const HEAD_BYTES = 16;
const SQLITE_MAGIC = 'SQLite format 3\0';
const ROS1_MAGIC = '#ROSBAG';

/** @throws {BagError} @throws {WriteError} when there is no room for what has to be unpacked. */
export async function openBagFile(file: string, workspace: Workspace, problems: BagProblems): Promise<BagFile> {
  try {
    const head = await firstBytes(file);
    if (!isZstd(head)) return await openPlain(file, file, head, workspace, problems);
    const unpacked = await unpack(file, workspace, problems);
    return await openPlain(file, unpacked, await firstBytes(unpacked), workspace, problems);
  } catch (error) {
    if (error instanceof BagError || error instanceof WriteError) throw error;
    throw new BagError('unreadable', { file, text: `cannot be read: ${messageOf(error)}` }, { cause: error });
  }
}

/** @returns where it stands unpacked, as far as it can be. @throws {BagError} when nothing of it can. */
async function unpack(file: string, workspace: Workspace, problems: BagProblems): Promise<string> {
  const target = workspace.next();
  const damage = await decompressFile(file, target).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof WriteError) throw error;
      return `it is cut off, or its compression is damaged: ${messageOf(error)}`;
    },
  );
  const { size } = await stat(target);
  if (size < HEAD_BYTES) {
    const { size: there } = await stat(file);
    const text = `it is cut off, or its compression is damaged: of the ${there} bytes that are there nothing could be unpacked; copy it again`;
    throw new BagError('unreadable', { file, text });
  }
  if (damage !== undefined) problems.add({ file, text: `${damage}; what came before that is replayed` });
  return target;
}

async function openPlain(file: string, source: string, head: Uint8Array, workspace: Workspace, problems: BagProblems): Promise<BagFile> {
  const text = Buffer.from(head).toString('latin1');
  if (McapConstants.MCAP_MAGIC.every((byte, index) => head[index] === byte)) return McapFile.open(file, source, problems);
  if (text.startsWith(SQLITE_MAGIC)) {
    const { SqliteFile } = await import('./sqlite-file.js'); // a database engine takes its time to load
    return SqliteFile.open(file, source, workspace.next(), problems);
  }
  const what = text.startsWith(ROS1_MAGIC)
    ? 'is a bag of ROS 1; convert it, for instance with rosbags-convert'
    : `is no bag: it begins with ${head.byteLength === 0 ? 'nothing, it is empty' : JSON.stringify(text.slice(0, 8))}; known are MCAP and sqlite3`;
  throw new BagError('unknown_storage', { file, at: 'offset 0', text: what });
}

async function firstBytes(file: string): Promise<Uint8Array> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle?.close();
  }
}
