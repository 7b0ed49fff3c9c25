/** Files in /dev/shm that a process leaves behind when it is killed. Only those of our own children are ever touched. */
import { readdirSync, readlinkSync, rmSync } from 'node:fs';
import path from 'node:path';

const FOLDER = '/dev/shm';
/** Fast DDS locks `<name>_el` for as long as the process that made `<name>` lives. */
const LOCK = /^\/dev\/shm\/(fastrtps_[A-Za-z0-9]+|fastdds_[A-Za-z0-9]+)_el$/;

/** Segments and ports of Fast DDS that this process, which runs, has made. */
export function fastDdsFilesOf(pid: number): readonly string[] {
  const names = openFiles(pid).flatMap((file) => LOCK.exec(file)?.[1] ?? []);
  return names.flatMap((name) => [name, `${name}_el`, `sem.${name}_mutex`]);
}

export function removeSharedMemory(names: Iterable<string>): void {
  for (const name of names) rmSync(path.join(FOLDER, name), { force: true });
}

export function removeSharedMemoryWithPrefix(prefix: string): void {
  removeSharedMemory(readdirSync(FOLDER).filter((name) => name.startsWith(prefix)));
}

function openFiles(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).flatMap((descriptor) => {
      try {
        return [readlinkSync(path.join(folder, descriptor))];
      } catch {
        return []; // closed meanwhile
      }
    });
  } catch {
    return []; // the process has ended
  }
}
