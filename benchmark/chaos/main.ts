/** `npm run chaos -- --simulated | --server KIND [--seed S] [--schedules N] [--json]`: servers that fail, and what the governor believes. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { ProgressBar } from '../../src/cli/progress-bar.js';
import { refuse } from '../../src/cli/refusal.js';
import { tritonMissing } from '../../src/demo/triton-process.js';
import { StopSignals } from '../../src/ros/stop-signals.js';
import { runCommand } from '../command.js';
import * as live from './live/explore.js';
import { SERVERS, type ServerKind } from './live/plan.js';
import { exploredText as liveText, runCells } from './live/report.js';
import { RECOVERY_LIMIT_MS } from './live/run.js';
import { explore } from './simulated/explore.js';
import { exploredText } from './simulated/report.js';

interface Options {
  readonly simulated?: true;
  readonly server?: ServerKind;
  readonly seed: number;
  readonly schedules?: number;
  readonly json?: true;
}

const SIMULATED_SCHEDULES = 3000;
const LIVE_SCHEDULES = 20;
const EXIT_FAILED = 1;
const EXIT_INTERRUPTED = 130;

function whole(low: number, high: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < low || value > high)
      throw new InvalidArgumentError(`expected a whole number from ${low} to ${high}.`);
    return value;
  };
}

function program(): Command {
  return new Command('npm run chaos --')
    .description('Faults in random schedules: no credit may come back while its call runs, and all that can be known again has to be.')
    .addOption(
      new Option('--simulated', 'the core and actor of the node on virtual time, beside a server whose truth is known').conflicts('server'),
    )
    .addOption(new Option('--server <kind>', 'a governor without ROS under load against a server of its own, live').choices(SERVERS))
    .option('--schedules <number>', `how many (${SIMULATED_SCHEDULES} simulated, ${LIVE_SCHEDULES} live)`, whole(1, 10_000_000))
    .option('--seed <number>', 'of the first schedule; each follows from its seed alone', whole(0, 2 ** 40), 1)
    .option('--json', 'print one object at the end and nothing else')
    .addHelpText(
      'after',
      '\nLive, schedules of odd seeds are plain: kills, restarts, stops and slow calls of a server that is reached directly; nothing may stay held.' +
        '\nExit status: 0 every check held, 1 one did not (seed and events are printed), 2 the command line is wrong, 130 interrupted.',
    )
    .action(run);
}

async function run({ simulated, server, seed, schedules, json }: Options): Promise<void> {
  if (server !== undefined) return runLive(server, seed, schedules ?? LIVE_SCHEDULES, json === true);
  if (simulated) return runSimulated(seed, schedules ?? SIMULATED_SCHEDULES, json === true);
  refuse('npm run chaos: say --simulated, or --server reference or triton');
}

function runSimulated(seed: number, schedules: number, json: boolean): void {
  const bar = new ProgressBar(process.stderr);
  const explored = explore({ seed, schedules, done: (done) => bar.show(done, schedules) });
  bar.clear();
  process.stdout.write(`${json ? JSON.stringify({ seed, schedules, ...explored }) : exploredText(explored)}\n`);
  process.exitCode = explored.failed === 0 ? 0 : EXIT_FAILED;
}

async function runLive(kind: ServerKind, seed: number, schedules: number, json: boolean): Promise<void> {
  const missing = kind === 'triton' ? tritonMissing() : undefined;
  if (missing !== undefined) return refuse(`npm run chaos: ${missing}`);
  const signals = new StopSignals();
  const abort = new AbortController();
  void signals.first.then(() => abort.abort());
  void signals.second.then(() => process.exit(EXIT_INTERRUPTED)); // the owners of the children end them
  const bar = new ProgressBar(process.stderr);
  const rows: string[][] = [];
  const done: live.Exploration['done'] = (schedule, run) => {
    rows.push(runCells(schedule, run));
    bar.show(rows.length, schedules);
  };
  try {
    const explored = await live.explore({ kind, seed, schedules, done, abort: abort.signal });
    bar.clear();
    const ok =
      explored.leaks.length === 0 &&
      explored.runs.every(({ failures, recoveryMs }) => failures.length === 0 && (recoveryMs ?? 0) <= RECOVERY_LIMIT_MS);
    process.stdout.write(`${json ? JSON.stringify({ kind, seed, ok, ...explored }) : liveText(kind, rows, explored)}\n`);
    process.exitCode = abort.signal.aborted ? EXIT_INTERRUPTED : ok ? 0 : EXIT_FAILED;
  } finally {
    bar.clear();
    signals.stop();
  }
}

await runCommand(program());
