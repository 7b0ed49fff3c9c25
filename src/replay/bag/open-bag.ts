/** A bag as its owner names it: a folder with or without metadata.yaml, or one file of it. */
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { McapConstants } from '@mcap/core';
import { messageOf } from '../../governor/error-message.js';
import { type BagFile, type Channel, type LogSpan, spanOf, type TopicFilter } from './bag-file.js';
import { decompressFile, isZstd } from './decompress.js';
import { inLogOrder, type MessageRun } from './log-order.js';
import { McapFile } from './mcap-file.js';
import { type BagMetadata, readMetadata } from './metadata.js';
import { BagError, BagProblems } from './problem.js';
import { SqliteFile } from './sqlite-file.js';
import { Workspace } from './workspace.js';

const METADATA = 'metadata.yaml';
const STORAGES: readonly string[] = ['mcap', 'sqlite3'];
const COMPRESSIONS: readonly string[] = ['', 'zstd'];
const BAG_FILE = /\.(mcap|db3)(\.zstd)?$/;
/** Nobody records longer without a pause; a log time beyond it is damaged, or that of another clock. */
const LONGEST_NS = 31n * 86_400n * 1_000_000_000n;

export class Bag {
  /** As the user named it. */
  readonly name: string;
  readonly problems: BagProblems;
  readonly span: LogSpan | undefined;
  readonly #files: readonly BagFile[];
  readonly #workspace: Workspace;

  private constructor(name: string, files: readonly BagFile[], problems: BagProblems, workspace: Workspace) {
    this.name = name;
    this.#files = files;
    this.problems = problems;
    this.#workspace = workspace;
    this.span = spanOf(files.map(({ span }) => span));
  }

  /** @throws {BagError} when nothing of it can be read. */
  static async open(name: string): Promise<Bag> {
    const problems = new BagProblems();
    const workspace = await Workspace.create();
    const files: BagFile[] = [];
    try {
      const paths = await filesOf(name, problems);
      const failures: BagError[] = [];
      for (const file of paths) {
        try {
          files.push(await openFile(file, workspace, problems));
        } catch (error) {
          if (!(error instanceof BagError)) throw error;
          failures.push(error);
        }
      }
      const [first] = failures;
      if (files.length === 0) throw first ?? new BagError('not_found', { file: name, text: 'there is no bag file in this folder' });
      for (const { problem } of failures) problems.add(problem);
      const bag = new Bag(name, files, problems, workspace);
      bag.#checkSpan();
      return bag;
    } catch (error) {
      for (const file of files) await file.close();
      workspace.close();
      throw error;
    }
  }

  /** Messages as the files count them, of all topics; absent where one does not say. */
  get messageCount(): number | undefined {
    const counts = this.#files.map(({ messageCount }) => messageCount);
    return counts.includes(undefined) ? undefined : counts.reduce((sum: number, count) => sum + (count ?? 0), 0);
  }

  /** In order of log time; what cannot be read is a problem. */
  messages(wanted: TopicFilter): AsyncGenerator<MessageRun, void, undefined> {
    const startNs = this.span?.startNs ?? 0n;
    return inLogOrder(this.#files.flatMap((file) => file.segments(wanted, startNs)));
  }

  /** The topics met so far; all of them once everything has been read. */
  channels(): readonly Channel[] {
    return this.#files.flatMap((file) => [...file.channels()]);
  }

  async close(): Promise<void> {
    for (const file of this.#files) await file.close();
    this.#workspace.close();
  }

  #checkSpan(): void {
    if (this.span === undefined || this.span.endNs - this.span.startNs <= LONGEST_NS) return;
    const { startNs, endNs } = this.span;
    const text = `its log times reach from ${startNs} to ${endNs} ns, more than 31 days: one of them is damaged, or from another clock`;
    throw new BagError('too_long', { file: this.name, text });
  }
}

/** @throws {BagError} */
async function filesOf(name: string, problems: BagProblems): Promise<readonly string[]> {
  const there = await stat(name).catch((cause: unknown) => {
    throw new BagError('not_found', { file: name, text: `cannot be opened: ${messageOf(cause)}` }, { cause });
  });
  if (!there.isDirectory() && path.basename(name) !== METADATA) return [name];
  const folder = there.isDirectory() ? name : path.dirname(name);
  const metadata = await metadataOf(path.join(folder, METADATA), problems);
  return metadata === undefined ? listed(folder) : named(folder, metadata, problems);
}

async function metadataOf(file: string, problems: BagProblems): Promise<BagMetadata | undefined> {
  if ((await stat(file).catch(() => undefined)) === undefined) return undefined;
  let metadata: BagMetadata;
  try {
    metadata = await readMetadata(file);
  } catch (error) {
    problems.add({ file, text: `cannot be read, the files beside it are taken: ${messageOf(error)}` });
    return undefined;
  }
  const { storage, compressionFormat } = metadata;
  if (!STORAGES.includes(storage))
    throw new BagError('unknown_storage', { file, text: `storage '${storage}' is unknown; known are ${STORAGES.join(' and ')}` });
  if (!COMPRESSIONS.includes(compressionFormat))
    throw new BagError('unknown_compression', { file, text: `compression '${compressionFormat}' is unknown; known is zstd` });
  return metadata;
}

const SHOWN_FILES = 5;

/** What is named and not there is a problem. */
async function named(folder: string, { files }: BagMetadata, problems: BagProblems): Promise<readonly string[]> {
  const there = new Set(await readdir(folder));
  const missing: string[] = [];
  const found = files.flatMap((file) => {
    // Old recorders write the folder in front, and some leave the ending of the compression away.
    const base = path.basename(file);
    const name = [base, `${base}.zstd`, base.replace(/\.zstd$/, '')].find((candidate) => there.has(candidate));
    if (name === undefined) missing.push(base);
    return name === undefined ? [] : [path.join(folder, name)];
  });
  if (missing.length > 0) {
    const shown = [...missing.slice(0, SHOWN_FILES), ...(missing.length > SHOWN_FILES ? ['…'] : [])].join(', ');
    const text = `${missing.length} of ${files.length} files named here are not there, what they recorded is missing: ${shown}`;
    problems.add({ file: path.join(folder, METADATA), text });
  }
  return found;
}

/** In the order of their numbers. */
async function listed(folder: string): Promise<readonly string[]> {
  const names = (await readdir(folder)).filter((name) => BAG_FILE.test(name));
  return names.sort(new Intl.Collator('en', { numeric: true }).compare).map((name) => path.join(folder, name));
}

/** By what it contains, whatever its name says. @throws {BagError} */
async function openFile(file: string, workspace: Workspace, problems: BagProblems): Promise<BagFile> {
  try {
    const head = await firstBytes(file);
    if (!isZstd(head)) return await openPlain(file, file, head, workspace, problems);
    const target = workspace.next();
    await decompressFile(file, target).catch((error: unknown) => {
      problems.add({ file, text: `its compression is damaged, what came before that is replayed: ${messageOf(error)}` });
    });
    return await openPlain(file, target, await firstBytes(target), workspace, problems);
  } catch (error) {
    if (error instanceof BagError) throw error;
    throw new BagError('unreadable', { file, text: `cannot be read: ${messageOf(error)}` }, { cause: error });
  }
}

const SQLITE_MAGIC = 'SQLite format 3\0';
const ROS1_MAGIC = '#ROSBAG';

function openPlain(file: string, source: string, head: Uint8Array, workspace: Workspace, problems: BagProblems): Promise<BagFile> {
  const text = Buffer.from(head).toString('latin1');
  if (McapConstants.MCAP_MAGIC.every((byte, index) => head[index] === byte)) return McapFile.open(file, source, problems);
  if (text.startsWith(SQLITE_MAGIC)) return SqliteFile.open(file, source, workspace.next(), problems);
  const what = text.startsWith(ROS1_MAGIC)
    ? 'is a bag of ROS 1; convert it, for instance with rosbags-convert'
    : `is no bag: it begins with ${head.byteLength === 0 ? 'nothing, it is empty' : JSON.stringify(text.slice(0, 8))}; known are MCAP and sqlite3`;
  throw new BagError('unknown_storage', { file, at: 'offset 0', text: what });
}

async function firstBytes(file: string): Promise<Uint8Array> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(16), 0, 16, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle?.close();
  }
}
