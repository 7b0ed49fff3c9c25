/** A folder of our own for what cannot be read where it stands. It is gone when the process ends, whichever way that can be heard. */
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const STOPPING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export class Workspace {
  readonly #folder: string;
  #entries = 0;

  private constructor(folder: string) {
    this.#folder = folder;
    for (const signal of STOPPING) process.once(signal, this.#stop);
  }

  static async create(): Promise<Workspace> {
    return new Workspace(await mkdtemp(path.join(tmpdir(), 'vig-replay-')));
  }

  /** A path at which nothing is yet. */
  next(): string {
    this.#entries += 1;
    return path.join(this.#folder, String(this.#entries));
  }

  close(): void {
    for (const signal of STOPPING) process.off(signal, this.#stop);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  readonly #stop = (signal: NodeJS.Signals): void => {
    this.close();
    process.kill(process.pid, signal);
  };
}
