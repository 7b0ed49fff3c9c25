/** A file that one process on this machine holds at a time, by flock(2): the system gives it free when that process ends, whichever way. */
import { closeSync, existsSync, fstatSync, openSync, rmSync, statSync } from 'node:fs';
import { constants } from 'node:os';

const LOCK_EX = 2;
const LOCK_NB = 4;

/** @returns whether it is ours now. */
type TryLock = (descriptor: number) => boolean;

/**
 * It is made where it is not there, and goes with the release.
 * @returns what releases it; undefined when another process holds it. @throws {Error} of the operating system when it cannot be made.
 */
export async function lockFile(name: string): Promise<(() => void) | undefined> {
  const tryLock = await loadFlock();
  for (;;) {
    const descriptor = openSync(name, 'a', 0o644);
    if (!tryLock(descriptor)) {
      closeSync(descriptor);
      return undefined;
    }
    if (isAt(descriptor, name)) return once(() => release(descriptor, name));
    closeSync(descriptor); // who held it released it just then: it is another file now
  }
}

/** Whether another process, or another part of this one, holds it. */
export async function isLocked(name: string): Promise<boolean> {
  const tryLock = await loadFlock();
  if (!existsSync(name)) return false;
  const descriptor = openSync(name, 'r');
  const isFree = tryLock(descriptor);
  closeSync(descriptor);
  return !isFree;
}

/** What holds something is of somebody else, and what took its place is of who holds it now. */
function release(descriptor: number, name: string): void {
  try {
    if (isAt(descriptor, name) && fstatSync(descriptor).size === 0) rmSync(name, { force: true });
  } catch {
    // it stays, and is free all the same
  } finally {
    closeSync(descriptor);
  }
}

function once(task: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) task();
    isDone = true;
  };
}

/** Whether the file of this name is the one that is open. */
export function isAt(descriptor: number, name: string): boolean {
  const there = statSync(name, { throwIfNoEntry: false, bigint: true });
  const open = fstatSync(descriptor, { bigint: true });
  return there?.dev === open.dev && there.ino === open.ino;
}

/** Where koffi has no binary for this machine, or the file system knows no locks, nobody is kept out. */
async function loadFlock(): Promise<TryLock> {
  try {
    const { default: koffi } = await import('koffi');
    const flock = koffi.load(null).func('flock', 'int', ['int', 'int']);
    return (descriptor) => flock(descriptor, LOCK_EX | LOCK_NB) === 0 || koffi.errno() !== constants.errno.EWOULDBLOCK;
  } catch {
    return () => true;
  }
}
