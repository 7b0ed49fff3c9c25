import { type Command, InvalidArgumentError, Option } from 'commander';
import { faultOf } from '../files/targets.js';
import { messageOf } from '../governor/error-message.js';
import type { Condition } from '../replay/condition.js';
import type { ReplayReport } from '../replay/report.js';
import type { Replayed, ReplayRequest } from '../replay/run-replay.js';
import { EXIT_FAILED } from './failure.js';
import { ProgressBar } from './progress-bar.js';
import { EXIT_REFUSED, orRefuse, refuse } from './refusal.js';

interface Options {
  readonly params: readonly string[];
  readonly compare: readonly string[];
  readonly seed?: number;
  readonly backend: 'simulated' | 'live';
  readonly fast?: boolean;
  readonly json?: true;
  readonly output?: string;
  readonly html?: string;
  readonly trace?: string;
  readonly failIf: readonly string[];
}

const DEFAULT_SEED = 1;
const EXIT_CONDITION = 1;
const EXIT_INCOMPLETE = 3;

export function registerReplay(program: Command): void {
  program
    .command('replay')
    .description(
      'A recorded bag against contracts, without ROS and without a GPU: which frames would have been served, and why not the others.',
    )
    .usage('[options] <bag>')
    .argument('[bag]', 'a bag of ROS 2, MCAP or sqlite3: its folder, or one file of it')
    .requiredOption('--params <file>', 'parameters of the node, as it gets them itself; more than once: later files count', collect)
    .option('--compare <file...>', 'other parameters, each file a contract of its own, on the same messages', [])
    .option('--seed <number>', `of the runtimes that are drawn from the profiles (default: ${DEFAULT_SEED})`, wholeNumber)
    .addOption(
      new Option('--backend <kind>', 'who answers: runtimes drawn from the profiles, or the servers of the parameters')
        .choices(['simulated', 'live'])
        .default('simulated'),
    )
    .option('--fast', 'with --backend live: as fast as the servers answer, instead of in real time')
    .option(
      '--output <folder>',
      'write a bag with outcomes, status and diagnostics on the topics of the node; the folder must not be there yet',
    )
    .option('--json', 'print the report as one object')
    .option('--html <file>', 'write the report with plots of ages, reasons and slots over time')
    .option('--trace <file>', 'record every decision, for vig trace verify, explain and export')
    .option(
      '--fail-if <condition>',
      'exit with status 1 when it holds, for instance "streams.front.consumer_uncovered_permille>10"; more than once',
      collect,
      [],
    )
    .addHelpText(
      'after',
      `\nExit status: 0 done, ${EXIT_CONDITION} a condition of --fail-if holds, ${EXIT_REFUSED} parameters, bag or command line are refused, ${EXIT_INCOMPLETE} something of the bag could not be replayed, its stamps or gaps mislead, or there is nothing to compare for a condition (said on standard error), ${EXIT_FAILED} something else failed, for instance a full disk, 128 + signal when interrupted. ${EXIT_CONDITION} goes before ${EXIT_INCOMPLETE}.`,
    )
    .action((bag: string | undefined, options: Options, command: Command) => replay(...bagOf(bag, options, command)));
}

/** `--compare` takes every name that follows it: where no bag stands elsewhere, the last of them is the bag. */
function bagOf(bag: string | undefined, options: Options, command: Command): [bag: string, options: Options] {
  if (bag !== undefined) return [bag, options];
  const [last, ...others] = options.compare.toReversed();
  if (last === undefined || others.length === 0) command.error("error: missing required argument 'bag'");
  return [last, { ...options, compare: others.toReversed() }];
}

function wholeNumber(text: string): number {
  const value = /^(0x[0-9a-f]+|\d+)$/i.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(value)) throw new InvalidArgumentError('expected a whole number of at least 0.');
  return value;
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

async function replay(bag: string, options: Options): Promise<void> {
  const { params, compare, html, output, trace } = options;
  const { readContract } = await import('../replay/contract-file.js');
  const { blankReport } = await import('../replay/blank-report.js');
  const { judge, parseCondition } = await import('../replay/condition.js');
  const idle = withoutEffect(options);
  if (idle !== undefined) return refuse(`vig replay: ${idle} has no effect with --backend ${options.backend}`);
  const simulated = options.backend === 'simulated';
  const contracts = await orRefuse(() => ({
    contract: readContract(params, simulated),
    compare: compare.map((file) => readContract([file], simulated)),
  }));
  if (contracts === undefined) return;
  const fault = await faultOfTargets(bag, options);
  if (fault !== undefined) return refuse(`vig replay: ${fault}`);
  try {
    const conditions = options.failIf.map(parseCondition);
    const { seed = DEFAULT_SEED } = options;
    const blank = blankReport({ bag, ...contracts, seed: simulated ? seed : null });
    for (const condition of conditions) judge(condition, blank); // what cannot be judged is refused before anything is written
    const bar = new ProgressBar(process.stderr);
    const request = {
      bag,
      ...contracts,
      ...(output === undefined ? {} : { output }),
      ...(trace === undefined ? {} : { trace }),
      timelines: html !== undefined,
      progress: (done: number, of: number) => bar.show(done, of),
    };
    const replayed = await (simulated ? fromProfiles({ ...request, seed }) : fromServers(request, options)).finally(() => bar.clear());
    await tell(replayed, conditions, options);
  } catch (error) {
    const text = await refusalOf(error);
    if (text === undefined) throw error;
    refuse(`vig replay: ${text}`);
  }
}

async function faultOfTargets(bag: string, { params, compare, html, output, trace }: Options): Promise<string | undefined> {
  const { partsOf } = await import('../replay/bag/bag-files.js');
  const { whyNotReplaceable } = await import('../trace/own-file.js');
  const targets = [
    { option: '--html', path: html },
    { option: '--output', path: output, isFolder: true },
    { option: '--trace', path: trace, whyNotReplaceable },
  ];
  const bags = (await partsOf(bag)).map((path) => ({ what: `part of the bag ${bag}`, path }));
  const parameters = [...params, ...compare].map((path) => ({ what: `the parameter file ${path}`, path }));
  return faultOf(targets, [...bags, ...parameters]);
}

/** The first option that only the other kind of backend knows. */
function withoutEffect({ backend, fast, seed }: Options): string | undefined {
  const given = backend === 'simulated' ? { '--fast': fast } : { '--seed': seed };
  return Object.entries(given).find(([, value]) => value !== undefined)?.[0];
}

async function fromProfiles(request: ReplayRequest): Promise<Replayed> {
  const { runReplay } = await import('../replay/run-replay.js');
  return runReplay(request);
}

async function fromServers(request: Omit<ReplayRequest, 'seed'>, { fast = false }: Options): Promise<Replayed> {
  const { pino } = await import('pino');
  const { runLive } = await import('../replay/live/run-live.js');
  const { connectTriton } = await import('../triton/connect.js');
  const log = pino({ level: 'warn', base: null }, process.stderr);
  return runLive({ ...request, connect: connectTriton, fast, log });
}

async function tell({ report, timelines }: Replayed, conditions: readonly Condition[], { json, html }: Options): Promise<void> {
  const { textReport } = await import('../replay/text-report.js');
  if (html !== undefined) {
    const { writeWhole } = await import('../files/unfinished.js');
    const { replayPage } = await import('../replay/plot/page.js');
    await writeWhole(html, replayPage(report, timelines));
  }
  process.stdout.write(`${json ? JSON.stringify(report) : textReport(report)}\n`);
  for (const problem of report.problems) process.stderr.write(`vig replay: ${problem}\n`);
  if (report.problems.length > 0) process.exitCode = EXIT_INCOMPLETE;
  await tellConditions(report, conditions);
}

/** What holds goes before what is incomplete: it is what was asked for. @throws {ConditionError} */
async function tellConditions(report: ReplayReport, conditions: readonly Condition[]): Promise<void> {
  const { judge } = await import('../replay/condition.js');
  const judged = conditions.map((condition) => ({ condition, judgement: judge(condition, report) }));
  for (const { condition, judgement } of judged) {
    const named = `vig replay: --fail-if "${condition.text}"`;
    if (judgement.verdict === 'holds') process.stderr.write(`${named} holds: it is ${judgement.value}\n`);
    if (judgement.verdict === 'nothing') process.stderr.write(`${named}: there is nothing to compare, it is null: ${judgement.text}\n`);
  }
  const verdicts = judged.map(({ judgement }) => judgement.verdict);
  if (verdicts.includes('nothing')) process.exitCode = EXIT_INCOMPLETE;
  if (verdicts.includes('holds')) process.exitCode = EXIT_CONDITION;
}

/** What of it is for the person who typed the command; undefined for what nobody foresaw. */
async function refusalOf(error: unknown): Promise<string | undefined> {
  const { BagError } = await import('../replay/bag/problem.js');
  const { ConditionError } = await import('../replay/condition.js');
  const { LiveReplayError } = await import('../replay/live/live-run.js');
  const { BagWriteError } = await import('../replay/output/bag-writer.js');
  const { TritonError } = await import('../triton/triton-error.js');
  if ([BagError, LiveReplayError, TritonError].some((kind) => error instanceof kind)) return messageOf(error);
  if (error instanceof ConditionError) return `--fail-if ${error.message}`;
  return error instanceof BagWriteError ? `--output ${error.message}` : undefined;
}
