#!/usr/bin/env node
// @ts-check
// Everything that `npm start` and `npm test` need, made once. Runs before node_modules exists: no dependencies.
//   usage: node setup/setup.mjs [--only STEP,…]     with the steps that these need
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { LOCK } from './lib/command.mjs';
import { made } from './lib/context.mjs';
import { runSteps } from './lib/steps.mjs';
import addon from './steps/addon.mjs';
import bags from './steps/bags.mjs';
import build from './steps/build.mjs';
import interfaces from './steps/interfaces.mjs';
import messages from './steps/messages.mjs';
import models from './steps/models.mjs';
import packages from './steps/packages.mjs';
import ros from './steps/ros.mjs';
import system from './steps/system.mjs';
import triton from './steps/triton.mjs';

const STEPS = [system, packages, ros, triton, models, bags, messages, addon, interfaces, build];

/** @param {string[]} arguments_ */
function chosenSteps(arguments_) {
  if (arguments_.length === 0) return STEPS;
  const names = arguments_[0] === '--only' && arguments_[1] ? arguments_[1].split(',') : [];
  if (names.length === 0 || names.some((name) => !STEPS.some((step) => step.name === name))) {
    throw new Error(`usage: node setup/setup.mjs [--only ${STEPS.map((step) => step.name).join(',')}]`);
  }
  const wanted = new Set(names);
  for (const step of STEPS.toReversed()) if (wanted.has(step.name)) for (const need of step.needs) wanted.add(need);
  return STEPS.filter((step) => wanted.has(step.name));
}

/** Two set-ups of one checkout would ruin each other: the kernel holds a lock until the last process of the first has ended. */
function runLocked() {
  mkdirSync(made, { recursive: true });
  const script = `set -e; exec ${LOCK}>"$1"; shift
    flock --nonblock ${LOCK} || { echo 'set-up: another one is running here; waiting for it'; flock ${LOCK}; }
    exec "$@"`;
  const command = [process.execPath, fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  const env = { ...process.env, VIG_SETUP_LOCKED: '1' };
  return spawnSync('bash', ['--norc', '-c', script, 'bash', path.join(made, 'lock'), ...command], { stdio: 'inherit', env }).status ?? 1;
}

async function main() {
  const steps = chosenSteps(process.argv.slice(2));
  const [major = 0] = process.versions.node.split('.').map(Number);
  if (major < 20) throw new Error(`Node 20 or later is needed, this is ${process.version}`);
  if (!process.env['VIG_SETUP_LOCKED']) return runLocked();

  const started = performance.now();
  const results = [...(await runSteps(steps, (line) => process.stdout.write(`${line}\n`))).values()];
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const failed = results.some((result) => result.state === 'failed');
  const done = results.some((result) => result.state === 'done');
  process.stdout.write(
    `set-up: ${failed ? 'incomplete; the same command resumes it' : done ? 'complete' : 'nothing to do'}, ${seconds} s\n`,
  );
  return failed ? 1 : 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`set-up: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
