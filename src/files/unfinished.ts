/** What is written beside its place and put there when it is whole: until then the place holds what it held before. */
import { accessSync, constants, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { holdLeftover } from './leftovers.js';
import { realPlace } from './real-place.js';
import { WriteError } from './write-error.js';

/** Gone with the process, unless it is kept. */
export class Unfinished {
  /** What to write: a file or a folder, which is not there yet. A device, a pipe, or a file in a locked folder is written where it is. */
  readonly path: string;
  readonly #name: string;
  readonly #place: string;
  readonly #release: () => void;
  #isOpen: boolean;

  /** @throws {WriteError} when there is no such place. */
  constructor(name: string) {
    this.#name = name;
    this.#isOpen = canBeReplaced(name);
    this.#place = this.#isOpen ? placeOf(name) : name;
    this.path = this.#isOpen ? `${this.#place}.unfinished-${process.pid}` : name;
    this.#release = this.#isOpen ? holdLeftover(() => this.#remove()) : () => {};
  }

  /** It is whole. @throws {WriteError} when it cannot be put in its place; nothing is left of it then. */
  keep(): void {
    if (!this.#isOpen) return;
    try {
      renameSync(this.path, this.#place);
    } catch (error) {
      this.discard();
      throw new WriteError(this.#name, error);
    }
    this.#close();
  }

  /** Leaves nothing behind, unless it was kept. */
  discard(): void {
    if (!this.#isOpen) return;
    this.#remove();
    this.#close();
  }

  #remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }

  #close(): void {
    this.#isOpen = false;
    this.#release();
  }
}

/** @throws {WriteError} */
export async function writeWhole(file: string, text: string): Promise<void> {
  const unfinished = new Unfinished(file);
  try {
    await writeFile(unfinished.path, text);
  } catch (error) {
    unfinished.discard();
    throw new WriteError(file, error);
  }
  unfinished.keep();
}

/** Within one turn, for a process that ends in an order of its own: no signal is heard meanwhile. @throws {WriteError} */
export function writeWholeNow(file: string, text: string): void {
  const unfinished = new Unfinished(file);
  try {
    writeFileSync(unfinished.path, text);
  } catch (error) {
    unfinished.discard();
    throw new WriteError(file, error);
  }
  unfinished.keep();
}

/** By a rename, which takes an entry of its folder. */
function canBeReplaced(name: string): boolean {
  // Not as plain numbers: the realpath of Node.js, which loads modules, would take those of a pipe for its own.
  const there = statSync(name, { throwIfNoEntry: false, bigint: true });
  if (there === undefined) return true;
  if (!there.isFile()) return false;
  try {
    accessSync(path.dirname(placeOf(name)), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** @throws {WriteError} */
function placeOf(name: string): string {
  try {
    return realPlace(name);
  } catch (error) {
    throw new WriteError(name, error);
  }
}
