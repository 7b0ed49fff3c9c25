/** Names of shared-memory regions: unique to a process and its start, and telling whose they are. */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { SHARED_MEMORY_FOLDER } from './region.js';

/** vig-<PID namespace>-<PID>-<start in ticks since boot>-<random>-<count, or what it is for> */
const NAME = /^vig-(\d+)-(\d+)-(\d+)-[0-9a-f]+-(?:\d+|witness)$/;

interface ProcessIdentity {
  /** PIDs of another namespace (a container that shares /dev/shm) mean other processes. */
  readonly namespace: string;
  readonly pid: number;
  /** A PID that was given out again has another start. */
  readonly start: string;
}

export interface RegionNames {
  /** Another one at each call. */
  next(): string;
  readonly witness: string;
}

export function regionNames(): RegionNames {
  const { namespace, pid, start } = ownIdentity();
  const prefix = `vig-${namespace}-${pid}-${start}-${randomBytes(4).toString('hex')}`;
  let count = 0;
  return {
    next: () => {
      count += 1;
      return `${prefix}-${count}`;
    },
    witness: `${prefix}-witness`,
  };
}

/**
 * Removes the regions of processes like this one that have ended without doing so; never another living process's, never a file of
 * another kind. @returns the names removed
 */
export function removeLeftovers(): readonly string[] {
  const removed = leftoversAmong(readdirSync(SHARED_MEMORY_FOLDER));
  for (const name of removed) rmSync(join(SHARED_MEMORY_FOLDER, name), { force: true });
  return removed;
}

/** Those of these names that belong to a process like this one that has ended. */
export function leftoversAmong(names: readonly string[]): readonly string[] {
  const { namespace } = ownIdentity();
  return names.filter((name) => {
    const [, ofNamespace, pid, start] = NAME.exec(name) ?? [];
    return ofNamespace === namespace && pid !== undefined && start !== startOf(pid);
  });
}

function ownIdentity(): ProcessIdentity {
  const namespace = /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0];
  const start = startOf(String(process.pid));
  if (namespace === undefined || start === undefined) throw new Error('/proc does not tell who this process is');
  return { namespace, pid: process.pid, start };
}

/** Start of a living process; undefined when there is none. */
function startOf(pid: string): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Field 22; the second one is a name in brackets that may hold blanks and brackets.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
