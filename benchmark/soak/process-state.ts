/** What this process holds, to be compared before and after. */
import { readdirSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export interface ProcessState {
  /** Descriptors of any kind, sockets among them. */
  readonly files: number;
  readonly sockets: number;
  readonly timers: number;
  /** Whatever else the event loop waits for. */
  readonly otherHandles: number;
  /** Files of this process in /dev/shm. */
  readonly regions: number;
  /** Heap and array buffers after a collection, in bytes. */
  readonly heapBytes: number;
}

/** Over within one turn. */
const PASSING: ReadonlySet<string> = new Set(['TickObject', 'Immediate', 'CloseReq', 'FSReqPromise', 'FSReqCallback']);

export async function readProcess(): Promise<ProcessState> {
  await collect();
  const resources = process.getActiveResourcesInfo().filter((name) => !PASSING.has(name));
  const files = openFiles();
  const timers = resources.filter((name) => name === 'Timeout').length;
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return {
    files: files.length,
    sockets: files.filter((file) => file.startsWith('socket:')).length,
    timers,
    otherHandles: resources.length - timers,
    regions: readdirSync('/dev/shm').filter((name) => name.startsWith('vig-') && name.split('-')[2] === String(process.pid)).length,
    heapBytes: heapUsed + arrayBuffers,
  };
}

/** What the descriptors of this process lead to. */
function openFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      return [readlinkSync(`/proc/self/fd/${descriptor}`)];
    } catch {
      return []; // that of the listing itself
    }
  });
}

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

/** Finalizers free what a first collection found. */
async function collect(): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    gc();
    await sleep(20);
  }
}
