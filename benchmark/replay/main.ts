/** `npm run replay-speed [-- --json]`: messages a second of `vig replay`, ten minutes of four cameras of which only the headers are there. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Command } from 'commander';
import { ProgressBar } from '../../src/cli/progress-bar.js';
import { madeBag } from '../../test/replay/made-bag.js';
import { table } from '../chaos/table.js';
import { runCommand } from '../command.js';
import { describeHost, hostText } from '../host.js';
import { type Spread, shown, spreadOf } from '../statistics.js';
import { drive, LOADS, type Load, parametersFor } from './drive.js';

/** Each case once a round: what drifts counts for none. */
const ROUNDS = 5;
const POLICIES = ['ordered', 'planned'] as const;
/** Messages a second. */
const GOALS = { ordered: 100_000, planned: 15_000 } as const;
/** What a start takes is measured with so many messages. */
const FEW = 4;
const VIG = fileURLToPath(new URL('../../bin/vig', import.meta.url));

interface Case {
  readonly policy: (typeof POLICIES)[number];
  readonly load: Load;
  readonly params: string;
  /** Of the command, one a round. */
  readonly seconds: number[];
}

interface Measured {
  readonly messages: number;
  readonly cases: readonly Case[];
  /** Of the command with next to nothing to do, one a round. */
  readonly startSeconds: readonly number[];
}

function program(): Command {
  return new Command('npm run replay-speed --')
    .description('The command on a recording of headers that is made here, under three loads and both policies.')
    .option('--json', 'print one object at the end and nothing else')
    .addHelpText('after', '\nTakes about 2 minutes. Exit status: 0 measured, 2 the command line is wrong.')
    .action(run);
}

async function run({ json }: { readonly json?: true }): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'vig-replay-speed-'));
  const bar = new ProgressBar(process.stderr);
  try {
    const measured = await measure(folder, (done, of) => bar.show(done, of));
    bar.clear();
    process.stdout.write(`${json ? JSON.stringify(asJson(measured)) : asText(measured)}\n`);
  } finally {
    bar.clear();
    rmSync(folder, { recursive: true });
  }
}

async function measure(folder: string, progress: (done: number, of: number) => void): Promise<Measured> {
  const messages = drive();
  const [bag, short] = [path.join(folder, 'drive.mcap'), path.join(folder, 'short.mcap')];
  writeFileSync(bag, await madeBag(messages));
  writeFileSync(short, await madeBag(messages.slice(0, FEW)));
  const cases = POLICIES.flatMap((policy) =>
    LOADS.map((load): Case => {
      const params = path.join(folder, `${policy}-${load.name}.yaml`);
      writeFileSync(params, parametersFor(policy, load));
      return { policy, load, params, seconds: [] };
    }),
  );
  const startSeconds: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    startSeconds.push(await secondsOf(short, cases[0]?.params ?? ''));
    for (const [index, { params, seconds }] of cases.entries()) {
      seconds.push(await secondsOf(bag, params));
      progress(round * cases.length + index + 1, ROUNDS * cases.length);
    }
  }
  return { messages: messages.length, cases, startSeconds };
}

/** @throws when the command fails. */
async function secondsOf(bag: string, params: string): Promise<number> {
  const before = performance.now();
  await promisify(execFile)(VIG, ['replay', bag, '--params', params, '--json']);
  return (performance.now() - before) / 1000;
}

/** Without the start. */
function perSecond({ messages, startSeconds }: Measured, seconds: readonly number[]): Spread {
  const start = spreadOf(startSeconds).median;
  return spreadOf(seconds.map((one) => messages / (one - start)));
}

function asText(measured: Measured): string {
  const { messages, cases, startSeconds } = measured;
  const rows = cases.map(({ policy, load, seconds }) => [
    policy,
    load.name,
    `${load.p50Ms} ms`,
    shown(spreadOf(seconds), 1),
    shown(perSecond(measured, seconds), 0),
    `${GOALS[policy]}`,
  ]);
  return [
    hostText(describeHost()),
    table(['policy', 'load', 'p50', 'command, s', 'messages/s without its start', 'goal'], rows),
    `${messages} messages; the start takes ${shown(spreadOf(startSeconds), 1)} s. Medians of ${ROUNDS}, in brackets the lowest and the highest.`,
  ].join('\n\n');
}

function asJson(measured: Measured): object {
  const { messages, cases, startSeconds } = measured;
  return {
    host: describeHost(),
    messages,
    start_s: spreadOf(startSeconds),
    cases: cases.map(({ policy, load, seconds }) => ({
      policy,
      load: load.name,
      p50_ms: load.p50Ms,
      command_s: spreadOf(seconds),
      messages_per_second: perSecond(measured, seconds),
      goal: GOALS[policy],
    })),
  };
}

await runCommand(program());
