/** What has to go with this process, whichever way its end can be heard: files that are half done, other processes. */
import { constants } from 'node:os';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const removals = new Set<() => void>();

/** @param remove called when the process ends before the leftover is released. @returns what releases it. */
export function holdLeftover(remove: () => void): () => void {
  if (removals.size === 0) {
    process.on('exit', removeAll);
    for (const signal of SIGNALS) process.on(signal, end);
  }
  removals.add(remove);
  return () => {
    if (!removals.delete(remove) || removals.size > 0) return;
    process.off('exit', removeAll);
    for (const signal of SIGNALS) process.off(signal, end);
  };
}

function end(signal: (typeof SIGNALS)[number]): void {
  process.stderr.write(`${signal}: it ends before it is done, and leaves nothing half done\n`);
  process.exit(128 + constants.signals[signal]);
}

function removeAll(): void {
  for (const remove of removals) {
    try {
      remove();
    } catch {
      // Nobody is left to hear of it, and the others have to go, too.
    }
  }
}
