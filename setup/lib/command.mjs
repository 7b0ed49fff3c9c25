// @ts-check
// Runs one command of a step, its output in the step's log.
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import { made, root } from './context.mjs';

/** The descriptor of set-up's lock. Each command inherits it: one that outlives a killed set-up keeps the next one waiting. */
export const LOCK = 9;

/** @typedef {(command: string, args: string[], options?: { env?: NodeJS.ProcessEnv, cwd?: string }) => Promise<void>} Run */

/**
 * @param {string} step
 * @returns {{ run: Run, file: string, close: () => void }}
 */
export function openLog(step) {
  const file = path.join(made, 'log', `${step}.log`);
  mkdirSync(path.dirname(file), { recursive: true });
  const log = openSync(file, 'w');

  /** @type {Run} */
  const run = (command, args, options = {}) =>
    new Promise((resolve, reject) => {
      writeSync(log, `\n$ ${[command, ...args].join(' ')}\n`);
      const lock = process.env['VIG_SETUP_LOCKED'] ? [LOCK] : [];
      const child = spawn(command, args, { cwd: root, ...options, stdio: ['ignore', log, log, ...lock] });
      child.on('error', reject);
      child.on('close', (code, signal) => {
        if (code === 0) resolve();
        else reject(new Error(`${path.basename(command)} ${args[0] ?? ''} ended with ${signal ?? `status ${code}`}`));
      });
    });
  return { run, file, close: () => closeSync(log) };
}
