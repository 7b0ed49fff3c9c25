// @ts-check
// npm test, after set-up: style, types, then unit and live tests in the ROS 2 environment. The last line: N passed, N failed.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { environmentFile, root, rosEnvironment } from './lib/context.mjs';

const arguments_ = process.argv.slice(2); // for vitest: a file, -t NAME, --project unit

/** @param {string[]} command */
function check(command, env = process.env) {
  const [program = '', ...rest] = command;
  process.stdout.write(`\n$ ${command.join(' ')}\n`);
  const { status } = spawnSync(program, rest, { cwd: root, stdio: 'inherit', env });
  return status ?? 1;
}

const environment = existsSync(environmentFile) ? rosEnvironment() : process.env; // the live tests then fail: none is skipped
const bin = (/** @type {string} */ name) => path.join('node_modules/.bin', name);
const checks =
  arguments_.length > 0 ? [] : [[bin('biome'), 'check', '--error-on-warnings', '.'], [bin('knip')], [bin('tsc'), '-p', 'tsconfig.json']];
const failedChecks = checks.filter((command) => check(command) !== 0);
if (failedChecks.length > 0) process.stdout.write(`\nfailed: ${failedChecks.map((command) => command.join(' ')).join(', ')}\n`);
const status = check([bin('vitest'), 'run', ...arguments_], { ...environment, VIG_FAILED_CHECKS: String(failedChecks.length) });
process.exitCode = status !== 0 || failedChecks.length > 0 ? 1 : 0;
