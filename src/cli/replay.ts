import { type Command, InvalidArgumentError } from 'commander';
import type { Timeline } from '../replay/plot/timeline.js';
import type { ReplayReport } from '../replay/report.js';
import { ProgressBar } from './progress-bar.js';
import { EXIT_REFUSED, orRefuse, refuse } from './refusal.js';
import { whyNotWritable } from './writable-file.js';

interface Options {
  readonly params: readonly string[];
  readonly compare: readonly string[];
  readonly seed: number;
  readonly json?: true;
  readonly output?: string;
  readonly html?: string;
  readonly trace?: string;
  readonly failIf: readonly string[];
}

const EXIT_CONDITION = 1;
const EXIT_INCOMPLETE = 3;

export function registerReplay(program: Command): void {
  program
    .command('replay')
    .description(
      'A recorded bag against contracts, without ROS and without a GPU: which frames would have been served, and why not the others.',
    )
    .argument('<bag>', 'a bag of ROS 2, MCAP or sqlite3: its folder, or one file of it')
    .requiredOption('--params <file>', 'parameters of the node, as it gets them itself; more than once: later files count', collect)
    .option('--compare <file...>', 'other parameters, each file a contract of its own, on the same messages', [])
    .option('--seed <number>', 'of the runtimes that are drawn from the profiles', wholeNumber, 1)
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
      `\nExit status: 0 done, ${EXIT_CONDITION} a condition of --fail-if holds, ${EXIT_REFUSED} parameters, bag or command line are refused, ${EXIT_INCOMPLETE} something of the bag could not be replayed, or its stamps mislead (said on standard error).`,
    )
    .action(replay);
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
  const { params, compare, seed, json, output, html, trace, failIf } = options;
  const { readContract } = await import('../replay/contract-file.js');
  const { BagError } = await import('../replay/bag/problem.js');
  const { ConditionError, heldBy, parseCondition } = await import('../replay/condition.js');
  const { BagWriteError } = await import('../replay/output/bag-writer.js');
  const { runReplay } = await import('../replay/run-replay.js');
  const { TraceError } = await import('../trace/trace-error.js');
  const contracts = await orRefuse(() => ({
    contract: readContract(params, true),
    compare: compare.map((file) => readContract([file], true)),
  }));
  if (contracts === undefined) return;
  const unwritable = html === undefined ? undefined : await whyNotWritable(html);
  if (unwritable !== undefined) return refuse(`vig replay: --html ${html}: ${unwritable}`);
  const bar = new ProgressBar(process.stderr);
  try {
    const conditions = failIf.map(parseCondition);
    const request = {
      bag,
      ...contracts,
      seed,
      timelines: html !== undefined,
      ...(output === undefined ? {} : { output }),
      ...(trace === undefined ? {} : { trace }),
    };
    const { report, timelines } = await runReplay({ ...request, progress: (done, of) => bar.show(done, of) }).finally(() => bar.clear());
    process.stdout.write(`${json ? JSON.stringify(report) : (await import('../replay/text-report.js')).textReport(report)}\n`);
    if (html !== undefined) await writePage(html, report, timelines);
    for (const problem of report.problems) process.stderr.write(`vig replay: ${problem}\n`);
    if (report.problems.length > 0) process.exitCode = EXIT_INCOMPLETE;
    for (const condition of conditions) {
      const value = heldBy(condition, report);
      if (value === undefined) continue;
      process.stderr.write(`vig replay: --fail-if "${condition.text}" holds: it is ${value}\n`);
      process.exitCode = EXIT_CONDITION;
    }
  } catch (error) {
    if (error instanceof ConditionError) return refuse(`vig replay: --fail-if ${error.message}`);
    if (error instanceof TraceError) return refuse(`vig replay: --trace ${error.message}`);
    if (error instanceof BagWriteError) return refuse(`vig replay: --output ${error.message}`);
    if (error instanceof BagError) return refuse(`vig replay: ${error.message}`);
    throw error;
  }
}

async function writePage(file: string, report: ReplayReport, timelines: readonly Timeline[]): Promise<void> {
  const { writeFile } = await import('node:fs/promises');
  const { replayPage } = await import('../replay/plot/page.js');
  await writeFile(file, replayPage(report, timelines));
}
