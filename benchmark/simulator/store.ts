/** Results as JSON, a file for each study, kept outside git: what was measured need not be measured again to be written up again. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Host } from '../host.js';

const FOLDER = '.vig/figures';
/** What decides over the figures, as it was compiled. */
const CODE = ['core', 'governor', 'random', 'simulator'].map((name) => `${FOLDER}/build/src/${name}`);

export interface Stored<T> {
  /** Of the code and the input that gave it. */
  readonly digest: string;
  readonly host: Host;
  readonly result: T;
}

/** @param input everything that the result depends on besides the code. */
export function digestOf(input: unknown): string {
  const hash = createHash('sha256').update(JSON.stringify(input));
  for (const folder of CODE) {
    for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
      if (file.endsWith('.js')) hash.update(file).update(readFileSync(path.join(folder, file)));
    }
  }
  return hash.digest('hex');
}

/** Undefined where there is none, or other code or other input gave it. */
export function stored<T>(name: string, digest: string): Stored<T> | undefined {
  const file = fileOf(name);
  if (!existsSync(file)) return undefined;
  const found: unknown = JSON.parse(readFileSync(file, 'utf8'));
  // Written below, by the same code: else its digest differs.
  return isStored<T>(found) && found.digest === digest ? found : undefined;
}

export function store<T>(name: string, entry: Stored<T>): void {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(fileOf(name), JSON.stringify(entry));
}

function isStored<T>(found: unknown): found is Stored<T> {
  return typeof found === 'object' && found !== null && 'digest' in found && 'host' in found && 'result' in found;
}

function fileOf(name: string): string {
  return path.join(FOLDER, `${name}.json`);
}
