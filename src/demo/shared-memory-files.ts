/** Files in /dev/shm that a process leaves behind when it is killed. Only those of our own children are ever touched. */
import { readdirSync, readlinkSync, rmSync } from 'node:fs';
import path from 'node:path';

const FOLDER = '/dev/shm';
/**
 * The segments of Fast DDS, which locks `<name>_el` for as long as the process that made `<name>` lives. Not its ports (`fastrtps_port…`):
 * those who send to one would go on writing to the removed file, and the next process that takes the number would hear nothing.
 */
const LOCK = /^\/dev\/shm\/(fastrtps_[0-9a-f]{16}|fastdds_[0-9a-f]{16})_el$/;

/** Segments of Fast DDS that this process, which runs, has made. */
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
