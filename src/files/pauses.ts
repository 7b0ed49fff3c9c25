/** Pauses in long work: a signal is heard (leftovers.ts) only when the event loop has its turn, and promises alone never give it one. */
import { setImmediate } from 'node:timers/promises';

/** People who press Ctrl-C wait no longer, and the pauses together take no time worth measuring. */
const WORK_MS = 50;

export class Pauses {
  #nextMs = performance.now() + WORK_MS;

  /** Call it again and again: gives the event loop a turn where it has had none for a while. */
  async take(): Promise<void> {
    if (performance.now() < this.#nextMs) return;
    await setImmediate();
    this.#nextMs = performance.now() + WORK_MS;
  }
}
