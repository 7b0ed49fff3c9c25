/** `npm run soak -- --minutes N [--json]`: load, bursts and restarts for so long; then everything has to be as it was. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Command, InvalidArgumentError } from 'commander';
import { ProgressBar } from '../../src/cli/progress-bar.js';
import { StopSignals } from '../../src/ros/stop-signals.js';
import { ReferenceProcess } from '../../test/support/reference-server.js';
import { runCommand } from '../command.js';
import { type ProcessState, readProcess } from './process-state.js';
import type { Row } from './recorder.js';
import { type SoakPlan, soak } from './soak.js';
import { checkLines, headingLine, rowLine } from './table.js';
import { residentSlope, verdict } from './verdict.js';
import { MODELS } from './world.js';

interface Options {
  readonly minutes: number;
  readonly json?: true;
}

const RESTART_EVERY_S = 60;
/** Everything that is loaded or made once is there afterwards, first without and then with a restart. */
const CALM: SoakPlan = { seconds: 8, restartEverySeconds: Number.POSITIVE_INFINITY, rowEverySeconds: 8 };
const RESTARTED: SoakPlan = { ...CALM, restartEverySeconds: 8 };
const ROWS = 60;
const SHORTEST_ROW_S = 5;
/** What was closed takes a moment to be gone. */
const SETTLE_LOOKS = 50;
const SETTLE_MS = 200;
const EXIT_FAILED = 1;
const EXIT_INTERRUPTED = 130;

function minutes(text: string): number {
  const value = Number(text);
  if (!(value >= 0.25 && value <= 10_080)) throw new InvalidArgumentError('expected a number of minutes from 0.25 to 10080 (a week).');
  return value;
}

function program(): Command {
  return new Command('npm run soak --')
    .description('A governor without ROS against the reference server: steady load, bursts, a restart of the server every minute.')
    .option('--minutes <number>', 'how long', minutes, 2)
    .option('--json', 'print one object at the end and nothing else')
    .addHelpText(
      'after',
      '\nAt the end open files, sockets, timers, regions and held calls have to be back where they began, and the heap within 3 MB; from an hour on' +
        '\nresident memory may grow by less than 1 MB an hour. Exit status: 0 so it is, 1 it is not, 2 the command line is wrong, 130 interrupted.',
    )
    .action(run);
}

async function run(options: Options): Promise<void> {
  const signals = new StopSignals();
  const abort = new AbortController();
  void signals.first.then(() => abort.abort());
  void signals.second.then(() => process.exit(EXIT_INTERRUPTED));
  const server = await ReferenceProcess.start(MODELS);
  try {
    await measure(server, options, abort.signal);
  } finally {
    signals.stop();
    await server.stop();
  }
}

async function measure(server: ReferenceProcess, { minutes, json }: Options, abort: AbortSignal): Promise<void> {
  const say = (line: string): void => void (json ?? process.stdout.write(`${line}\n`));
  const seconds = minutes * 60;
  const plan: SoakPlan = {
    seconds,
    restartEverySeconds: Math.min(RESTART_EVERY_S, seconds / 2),
    rowEverySeconds: Math.max(SHORTEST_ROW_S, seconds / ROWS),
  };
  const bar = new ProgressBar(process.stderr);
  say(headingLine); // both streams are open now, and count among the handles before and after
  await soak(server, CALM, () => {}, abort);
  const calm = await settled(undefined);
  await soak(server, RESTARTED, () => {}, abort);
  const { heapBytes } = await settled(undefined);
  const before = { ...calm, heapBytes }; // what a restart leaves open is to be seen, the code that it ran is no leak
  const startMs = performance.now();
  const ticking = setInterval(() => bar.show(Math.min(Math.round((performance.now() - startMs) / 1000), seconds), seconds), 1000);
  const show = (row: Row): void => {
    bar.clear();
    say(rowLine(row));
  };
  const result = await soak(server, plan, show, abort).finally(() => clearInterval(ticking));
  bar.clear();
  const checks = verdict(result, before, await settled(before));
  const slope = residentSlope(result.rows);
  const ok = checks.every((check) => check.ok);
  const recoveries = result.recoveriesMs.map((ms) => (ms === null ? 'never' : `${ms} ms`)).join(', ');
  say(
    `\n${Object.entries(result.causes)
      .map(([cause, count]) => `${String(count).padStart(7)}  ${cause}`)
      .join('\n')}`,
  );
  say(`\nfirst result after each restart: ${recoveries || 'there was none'}`);
  say(
    `resident memory: ${slope === undefined ? 'too short to tell' : `${slope.toFixed(1)} MB an hour`}${seconds < 3600 ? ' (says little before an hour)' : ''}`,
  );
  say(checkLines(checks));
  if (json)
    process.stdout.write(
      `${JSON.stringify({ minutes, interrupted: abort.aborted, ok, checks, rss_slope_mb_per_hour: slope ?? null, ...snake(result) })}\n`,
    );
  process.exitCode = abort.aborted ? EXIT_INTERRUPTED : ok ? 0 : EXIT_FAILED;
}

function snake({ rows, received, causes, withoutOutcome, held, recoveriesMs }: Awaited<ReturnType<typeof soak>>) {
  return { received, causes, without_outcome: withoutOutcome, held, recoveries_ms: recoveriesMs, rows };
}

/** As soon as nothing is more than it was; else as it is after a while. */
async function settled(before: ProcessState | undefined): Promise<ProcessState> {
  let state = await readProcess();
  for (let look = 0; look < SETTLE_LOOKS; look += 1) {
    await sleep(SETTLE_MS);
    const now = await readProcess();
    const quiet = before === undefined ? same(now, state) : same(now, before);
    state = now;
    if (quiet) break;
  }
  return state;
}

function same(one: ProcessState, other: ProcessState): boolean {
  return (['files', 'sockets', 'timers', 'otherHandles', 'regions'] as const).every((name) => one[name] === other[name]);
}

await runCommand(program());
