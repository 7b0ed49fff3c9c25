// @ts-check
// Runs one command of a step, its output in the step's log.
import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync } from 'node:fs';
import path from 'node:path';
import { made, root } from './context.mjs';

/** @typedef {(command: string, args: string[], options?: { env?: NodeJS.ProcessEnv, cwd?: string }) => Promise<void>} Run */

/**
 * @param {string} step
 * @returns {{ run: Run, file: string, close: () => void }}
 */
export function openLog(step) {
  const file = path.join(made, 'log', `${step}.log`);
  mkdirSync(path.dirname(file), { recursive: true });
  const log = createWriteStream(file);

  /** @type {Run} */
  const run = (command, args, options = {}) =>
    new Promise((resolve, reject) => {
      log.write(`\n$ ${[command, ...args].join(' ')}\n`);
      const child = spawn(command, args, { cwd: root, ...options, stdio: ['ignore', 'pipe', 'pipe'] });
      child.stdout.pipe(log, { end: false });
      child.stderr.pipe(log, { end: false });
      child.on('error', reject);
      child.on('close', (code, signal) => {
        if (code === 0) resolve();
        else reject(new Error(`${path.basename(command)} ${args[0] ?? ''} ended with ${signal ?? `status ${code}`}`));
      });
    });
  return { run, file, close: () => log.end() };
}
