/** What a command or the node is asked to write, checked before the work: it can be written, and is nothing that is read or written besides. */
import { fstatSync } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { realPlace } from './real-place.js';

export interface Target {
  /** The option or parameter that asks for it. */
  readonly option: string;
  /** undefined when it was not asked for. */
  readonly path: string | undefined;
  /** Made by the command, which says itself whether it can. */
  readonly isFolder?: boolean;
  /** Why it may not take the place of what is there; undefined when it may. */
  readonly whyNotReplaceable?: (path: string) => Promise<string | undefined>;
}

/** What is read: the words name it for people. */
export interface Source {
  readonly what: string;
  readonly path: string;
}

/** @returns what is wrong with the first of them that is; undefined when all can be written. */
export async function faultOf(targets: readonly Target[], sources: readonly Source[]): Promise<string | undefined> {
  const clashes = await clashesOf(targets, sources);
  for (const target of targets) {
    const { option, path, isFolder = false, whyNotReplaceable } = target;
    if (path === undefined) continue;
    const writable = isFolder ? undefined : await whyNotWritable(path);
    const fault = writable ?? clashes.get(target) ?? (await whyNotReplaceable?.(path));
    if (fault !== undefined) return `${option} ${path}: ${fault}`;
  }
  return undefined;
}

/** @returns which of them are something that is read, one that stands before it, or where the standard output goes; with the words for it. */
export async function clashesOf(targets: readonly Target[], sources: readonly Source[]): Promise<ReadonlyMap<Target, string>> {
  const clashes = new Map<Target, string>();
  const taken = new Map<string, string>();
  for (const { what, path } of sources) await take(taken, path, what);
  const output = identityOfOutput();
  if (output !== undefined) taken.set(output, 'where the standard output goes');
  for (const target of targets) {
    const { option, path } = target;
    if (path === undefined) continue;
    const whose = taken.get((await identityOf(path)) ?? '');
    if (whose !== undefined) clashes.set(target, `is ${whose}; name another file`);
    await take(taken, path, `what ${option} writes`);
  }
  return clashes;
}

async function take(taken: Map<string, string>, path: string, what: string): Promise<void> {
  const identity = await identityOf(path);
  if (identity !== undefined && !taken.has(identity)) taken.set(identity, what);
}

/** The same for every name of a file; undefined for what holds nothing, a device or a pipe. */
async function identityOf(path: string): Promise<string | undefined> {
  const there = await stat(path, { bigint: true }).catch(() => undefined);
  if (there !== undefined) return there.isFile() || there.isDirectory() ? `${there.dev}:${there.ino}` : undefined;
  try {
    return realPlace(path);
  } catch {
    return undefined;
  }
}

function identityOfOutput(): string | undefined {
  try {
    const output = fstatSync(process.stdout.fd, { bigint: true });
    return output.isFile() ? `${output.dev}:${output.ino}` : undefined;
  } catch {
    return undefined; // it is closed
  }
}

/** @returns undefined when it can. */
async function whyNotWritable(file: string): Promise<string | undefined> {
  const there = await stat(file).catch(() => undefined);
  if (there?.isDirectory()) return 'is a folder; name a file in it';
  const place = there === undefined ? dirname(file) : file;
  return access(there === undefined ? `${place}/` : place, constants.W_OK).then(
    () => undefined,
    () => `cannot write to ${place}: it does not exist, is no folder, or is not yours to write`,
  );
}
