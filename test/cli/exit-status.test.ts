/** The table in README.md and `--help` tell the same exit statuses. */
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { expect, it } from 'vitest';
import { registerDecide } from '../../src/cli/decide.js';
import { registerDemo } from '../../src/cli/demo.js';
import { registerReplay } from '../../src/cli/replay.js';
import { registerRun } from '../../src/cli/run.js';
import { registerServeReference } from '../../src/cli/serve-reference.js';
import { registerSimulate } from '../../src/cli/simulate.js';
import { registerTrace } from '../../src/cli/trace.js';

const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
/** Of what nobody foresaw these say 1, as README.md tells above the table. */
const ONE_FAILURE: readonly string[] = ['run', 'serve-reference'];

function inReadme(name: string): number[] {
  const row = README.split('\n').find((line) => line.startsWith(`| \`vig ${name}\` | `) && line.split('|').length === 6) ?? '';
  const own = row
    .split('|')
    .slice(2, 5)
    .flatMap((cell, column) => (cell.trim() === '' ? [] : [[0, 1, 3][column] ?? Number.NaN]));
  return [...own, 2, ...(ONE_FAILURE.includes(name) ? [] : [4])].sort();
}

function inHelp(name: string): number[] {
  const program = new Command('vig');
  for (const register of [
    registerDecide,
    registerDemo,
    registerReplay,
    registerRun,
    registerServeReference,
    registerSimulate,
    registerTrace,
  ])
    register(program);
  const command = name.split(' ').reduce((parent, part) => parent.commands.find((one) => one.name() === part) ?? parent, program);
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp();
  const [, statuses = ''] = /Exit status: (.*)/.exec(text) ?? [];
  return [...statuses.matchAll(/(?:^|, )(\d) /g)].map(([, status]) => Number(status)).sort();
}

it.each(['run', 'demo', 'serve-reference', 'decide', 'trace verify', 'trace explain', 'trace export', 'replay', 'simulate'])(
  'vig %s',
  (name) => {
    expect(inHelp(name)).toEqual(inReadme(name));
  },
);
