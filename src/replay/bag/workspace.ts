/** A folder of our own for what cannot be read where it stands. It is gone when the process ends, whichever way that can be heard. */
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { holdLeftover } from '../../files/leftovers.js';
import { WriteError } from '../../files/write-error.js';

export class Workspace {
  readonly #folder: string;
  readonly #release: () => void;
  #entries = 0;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#release = holdLeftover(() => this.#remove());
  }

  /** @throws {WriteError} */
  static async create(): Promise<Workspace> {
    const place = tmpdir();
    const folder = await mkdtemp(path.join(place, 'vig-replay-')).catch((error: unknown) => {
      throw new WriteError(`the folder for temporary files (TMPDIR) ${place}`, error);
    });
    return new Workspace(folder);
  }

  /** A path at which nothing is yet. */
  next(): string {
    this.#entries += 1;
    return path.join(this.#folder, String(this.#entries));
  }

  close(): void {
    this.#remove();
    this.#release();
  }

  #remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
