// @ts-check
// Runs steps in the order of their needs, side by side where they do not depend on each other.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { openLog } from './command.mjs';
import { root } from './context.mjs';
import { clearStamp, contentsOf, isFresh, keyOf, writeStamp } from './stamp.mjs';

/**
 * @typedef {object} Step
 * @property {string} name       also its file in setup/steps, its log and its stamp
 * @property {string} title
 * @property {string[]} needs
 * @property {string} remedy     what a person can do when it fails
 * @property {() => unknown} inputs        what it depends on, besides its own file and the steps it needs
 * @property {() => string[]} outputs      files that must be there
 * @property {() => string | undefined} [unavailable]   why it cannot be had on this machine
 * @property {(run: import('./command.mjs').Run) => Promise<void>} run      starts from clean
 *
 * @typedef {{ state: 'fresh' | 'done' | 'unavailable' | 'failed', key: string, reason?: string }} Result
 */

/**
 * @param {Step[]} steps    each after those it needs
 * @param {(line: string) => void} say
 * @returns {Promise<Map<string, Result>>}
 */
export async function runSteps(steps, say) {
  /** @type {Map<string, Promise<Result>>} */
  const results = new Map();
  for (const step of steps) {
    const needs = step.needs.flatMap((name) => results.get(name) ?? []);
    results.set(
      step.name,
      Promise.all(needs).then((needed) => runStep(step, needed, say)),
    );
  }
  return new Map(await Promise.all([...results].map(async ([name, result]) => /** @type {const} */ ([name, await result]))));
}

/**
 * @param {Step} step
 * @param {Result[]} needed
 * @param {(line: string) => void} say
 * @returns {Promise<Result>}
 */
async function runStep(step, needed, say) {
  const broken = needed.find((result) => result.state === 'failed' || result.state === 'unavailable');
  if (broken) return { state: broken.state, key: '', ...(broken.reason ? { reason: broken.reason } : {}) };
  const reason = step.unavailable?.();
  if (reason) {
    say(`  -  ${step.title}: not available here (${reason})`);
    clearStamp(step.name);
    return { state: 'unavailable', key: '', reason };
  }
  const key = keyOf([root, contentsOf(`setup/steps/${step.name}.mjs`), step.inputs(), needed.map((result) => result.key)]);
  const handedOn = step.outputs().length === 0 ? '' : key; // a step that makes nothing makes nothing stale
  if (isFresh(step.name, key, step.outputs())) return { state: 'fresh', key: handedOn };

  const started = performance.now();
  const seconds = () => `${((performance.now() - started) / 1000).toFixed(1)} s`;
  say(`  …  ${step.title}`);
  clearStamp(step.name);
  const log = openLog(step.name);
  try {
    await step.run(log.run);
    const missing = step.outputs().filter((file) => !existsSync(file));
    if (missing.length > 0) throw new Error(`it ended without making ${missing.map((file) => path.relative(root, file)).join(', ')}`);
  } catch (error) {
    say(failure(step, seconds(), error, log.file));
    return { state: 'failed', key: '', reason: `${step.title} failed` };
  } finally {
    log.close();
  }
  writeStamp(step.name, key);
  say(`  ✓  ${step.title}, ${seconds()}`);
  return { state: 'done', key: handedOn };
}

/**
 * @param {Step} step
 * @param {string} after
 * @param {unknown} error
 * @param {string} logFile
 */
function failure(step, after, error, logFile) {
  const tail = readFileSync(logFile, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-15);
  return [
    `  ✗  ${step.title} failed after ${after}`,
    ...tail.map((line) => `       ${line}`),
    `     cause:  ${error instanceof Error ? error.message : String(error)}`,
    `     log:    ${path.relative(root, logFile)}`,
    `     remedy: ${step.remedy}`,
  ].join('\n');
}
