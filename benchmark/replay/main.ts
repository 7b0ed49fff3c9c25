/** `npm run replay-speed [-- --json]`: messages a second of `vig replay`, ten minutes of four cameras of which only the headers are there. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Command, CommanderError } from 'commander';
import { ProgressBar } from '../../src/cli/progress-bar.js';
import { EXIT_REFUSED } from '../../src/cli/refusal.js';
import type { ReplayContract } from '../../src/replay/contract-file.js';
import { runReplay } from '../../src/replay/run-replay.js';
import { contractFrom, madeBag } from '../../test/replay/made-bag.js';
import { table } from '../chaos/table.js';
import { describeHost, hostText } from '../host.js';
import { shown, spreadOf } from '../statistics.js';
import { drive, LOADS, type Load, parametersFor } from './drive.js';

/** One after the other, each case once a round: what drifts counts for none. */
const ROUNDS = 5;
const POLICIES = ['ordered', 'planned'] as const;
/** Messages a second. */
const GOALS = { ordered: 100_000, planned: 15_000 } as const;

interface Case {
  readonly policy: (typeof POLICIES)[number];
  readonly load: Load;
  readonly contract: ReplayContract;
  /** One a round. */
  readonly messagesPerSecond: number[];
}

function program(): Command {
  return new Command('npm run replay-speed --')
    .description(
      'A recording of headers, made here, under three loads and both policies; the time to read and judge it, without that to start.',
    )
    .option('--json', 'print one object at the end and nothing else')
    .addHelpText('after', '\nTakes about 2 minutes. Exit status: 0 measured, 2 the command line is wrong.')
    .exitOverride()
    .action(run);
}

async function run({ json }: { readonly json?: true }): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'vig-replay-speed-'));
  const bar = new ProgressBar(process.stderr);
  try {
    const messages = drive();
    const bag = path.join(folder, 'drive.mcap');
    writeFileSync(bag, await madeBag(messages));
    const cases = POLICIES.flatMap((policy) =>
      LOADS.map((load): Case => ({ policy, load, contract: contractFrom(parametersFor(policy, load), true), messagesPerSecond: [] })),
    );
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [index, one] of cases.entries()) {
        one.messagesPerSecond.push(messages.length / (await secondsOf(bag, one.contract)));
        bar.show(round * cases.length + index + 1, ROUNDS * cases.length);
      }
    }
    bar.clear();
    process.stdout.write(`${json ? JSON.stringify(asJson(messages.length, cases)) : asText(messages.length, cases)}\n`);
  } finally {
    bar.clear();
    rmSync(folder, { recursive: true });
  }
}

async function secondsOf(bag: string, contract: ReplayContract): Promise<number> {
  const before = performance.now();
  await runReplay({ bag, contract, compare: [], seed: 1, timelines: false, progress: () => {} });
  return (performance.now() - before) / 1000;
}

function asText(messages: number, cases: readonly Case[]): string {
  const rows = cases.map(({ policy, load, messagesPerSecond: [first = 0, ...warm] }) => [
    policy,
    load.name,
    `${load.p50Ms} ms`,
    first.toFixed(0),
    shown(spreadOf(warm), 0),
    `${GOALS[policy]}`,
  ]);
  return [
    hostText(describeHost()),
    table(['policy', 'load', 'p50', 'messages/s, first', 'then', 'goal'], rows),
    `${messages} messages. First: V8 has not compiled what it runs through yet.`,
  ].join('\n\n');
}

function asJson(messages: number, cases: readonly Case[]): object {
  return {
    host: describeHost(),
    messages,
    cases: cases.map(({ policy, load, messagesPerSecond: [first, ...warm] }) => ({
      policy,
      load: load.name,
      p50_ms: load.p50Ms,
      first_messages_per_second: first,
      messages_per_second: spreadOf(warm),
      goal: GOALS[policy],
    })),
  };
}

try {
  await program().parseAsync(process.argv.slice(2), { from: 'user' });
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode === 0 ? 0 : EXIT_REFUSED; // commander has said what is wrong
}
