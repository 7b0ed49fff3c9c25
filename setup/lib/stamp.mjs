// @ts-check
// A stamp says for which inputs a step was completed. It goes first when a step starts and comes last, in one rename, when it ends.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { made, root } from './context.mjs';

/** @param {string} step */
const stampFile = (step) => path.join(made, 'stamps', step);

/** @param {unknown} inputs */
export const keyOf = (inputs) => createHash('sha256').update(JSON.stringify(inputs)).digest('hex');

/**
 * Names and contents of files and folders, relative to the project.
 * @param {string[]} names
 * @returns {string}
 */
export function contentsOf(...names) {
  const hash = createHash('sha256');
  for (const name of names) {
    const place = path.join(root, name);
    if (!existsSync(place)) continue;
    const files = statSync(place).isDirectory() ? readdirSync(place, { recursive: true, encoding: 'utf8' }).sort() : [''];
    for (const file of files) {
      const full = path.join(place, file);
      if (/(^|\/)(generated|__pycache__)\//.test(file)) continue; // made from the others
      if (statSync(full).isFile()) hash.update(path.join(name, file)).update('\0').update(readFileSync(full)).update('\0');
    }
  }
  return hash.digest('hex');
}

/**
 * @param {string} step
 * @param {string} key
 * @param {string[]} outputs
 */
export function isFresh(step, key, outputs) {
  return existsSync(stampFile(step)) && readFileSync(stampFile(step), 'utf8') === key && outputs.every((file) => existsSync(file));
}

/** @param {string} step */
export function clearStamp(step) {
  rmSync(stampFile(step), { force: true });
}

/**
 * @param {string} step
 * @param {string} key
 */
export function writeStamp(step, key) {
  const file = stampFile(step);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, key);
  renameSync(`${file}.new`, file);
}
