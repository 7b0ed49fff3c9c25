/** Which files a bag has: those that metadata.yaml names, or those that lie there. */
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { messageOf } from '../../governor/error-message.js';
import { type BagMetadata, readMetadata } from './metadata.js';
import { BagError, BagProblems } from './problem.js';

const METADATA = 'metadata.yaml';
const STORAGES: readonly string[] = ['mcap', 'sqlite3'];
const COMPRESSIONS: readonly string[] = ['', 'zstd'];
const BAG_FILE = /\.(mcap|db3)(\.zstd)?$/;

export interface NamedFiles {
  readonly paths: readonly string[];
  readonly metadata: BagMetadata | undefined;
}

/** @param name a folder, its metadata.yaml, or one file of a bag @throws {BagError} */
export async function filesOf(name: string, problems: BagProblems): Promise<NamedFiles> {
  const there = await stat(name).catch((cause: unknown) => {
    throw new BagError('not_found', { file: name, text: `cannot be opened: ${messageOf(cause)}` }, { cause });
  });
  if (!there.isDirectory() && path.basename(name) !== METADATA) return { paths: [name], metadata: undefined };
  const folder = there.isDirectory() ? name : path.dirname(name);
  const metadata = await metadataOf(path.join(folder, METADATA), problems);
  const names = metadata === undefined ? await lying(folder, problems) : await named(folder, metadata, problems);
  return { paths: names.map((file) => path.join(folder, file)), metadata };
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

/** What is named and not there is a problem, and what is there and not named; where nothing of it is there, what lies there is taken. */
async function named(folder: string, { file, files }: BagMetadata, problems: BagProblems): Promise<readonly string[]> {
  const all = await readdir(folder);
  const there = new Set(all);
  const missing: string[] = [];
  const found = new Set<string>();
  const twice: string[] = [];
  for (const one of files) {
    // Old recorders write the folder in front, and some leave the ending of the compression away.
    const base = path.basename(one);
    const name = [base, `${base}.zstd`, base.replace(/\.zstd$/, '')].find((candidate) => there.has(candidate));
    if (name === undefined) missing.push(base);
    else if (found.has(name)) twice.push(base);
    else found.add(name);
  }
  if (missing.length > 0) {
    const text = `${missing.length} of ${files.length} files named here are not there, what they recorded is missing: ${some(missing)}`;
    problems.add({ file, text });
  }
  if (twice.length > 0) problems.add({ file, text: `files are named more than once, they are replayed once: ${some(twice)}` });
  const others = inOrder(all.filter((name) => BAG_FILE.test(name) && !isCopy(name, found)));
  if (found.size === 0) return unnamed(file, others, missing, problems);
  if (others.length > 0) {
    const text = `bag files that lie beside it and are not named here are left out: ${some(others)}. Name them here, or replay them by themselves`;
    problems.add({ file, text });
  }
  return [...found];
}

/** @throws {BagError} */
function unnamed(file: string, there: readonly string[], missing: readonly string[], problems: BagProblems): readonly string[] {
  if (there.length === 0) {
    const what = missing.length === 0 ? 'it names no files' : `none of the files that it names is there: ${some(missing)}`;
    throw new BagError('not_found', { file, text: `${what}; and there is no other bag file beside it` });
  }
  const what = missing.length === 0 ? 'it names no files' : 'none of its files is there';
  problems.add({ file, text: `${what}; those that lie beside it are replayed: ${some(there)}` });
  return there;
}

/** Without metadata: in the order of their numbers. */
async function lying(folder: string, problems: BagProblems): Promise<readonly string[]> {
  const all = (await readdir(folder)).filter((name) => BAG_FILE.test(name));
  const whole = new Set(all.filter((name) => !name.endsWith('.zstd')));
  const copies = all.filter((name) => !whole.has(name) && isCopy(name, whole));
  if (copies.length > 0)
    problems.add({ file: folder, text: `files are there once more, compressed, and are replayed once: ${some(copies)}` });
  const names = inOrder(all.filter((name) => !copies.includes(name)));
  const recordings = new Set(names.map((name) => name.replace(BAG_FILE, '').replace(/_\d+$/, '')));
  if (recordings.size > 1) {
    const text = `there is no ${METADATA}, and the files have the names of ${recordings.size} recordings, which are replayed as one: ${some(names)}. Name one file to replay it by itself`;
    problems.add({ file: folder, text });
  }
  return names;
}

/** Whether it is one of the files, or the same compressed or unpacked. */
function isCopy(name: string, files: ReadonlySet<string>): boolean {
  return [name, `${name}.zstd`, name.replace(/\.zstd$/, '')].some((one) => files.has(one));
}

function inOrder(names: readonly string[]): string[] {
  return [...names].sort(new Intl.Collator('en', { numeric: true }).compare);
}

const SHOWN_FILES = 5;

function some(names: readonly string[]): string {
  return [...names.slice(0, SHOWN_FILES), ...(names.length > SHOWN_FILES ? ['…'] : [])].join(', ');
}

const SQLITE_LOGS = ['-wal', '-shm', '-journal'];

/** Every file that belongs to a bag, also those beside the one that is named: none of them may be written. Nothing is opened. */
export async function partsOf(name: string): Promise<readonly string[]> {
  const named = await filesOf(name, new BagProblems()).catch(() => ({ paths: [name] }));
  const folder = (await stat(name).catch(() => undefined))?.isDirectory() ? name : path.dirname(name);
  const beside = (await readdir(folder).catch(() => [])).filter((file) => BAG_FILE.test(file)).map((file) => path.join(folder, file));
  const all = [...new Set([...named.paths, ...beside])];
  return [path.join(folder, METADATA), ...all, ...all.flatMap((file) => SQLITE_LOGS.map((ending) => file + ending))];
}
