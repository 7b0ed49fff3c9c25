import { type Command, InvalidArgumentError } from 'commander';
import { ProgressBar } from './progress-bar.js';
import { EXIT_REFUSED, orRefuse, refuse } from './refusal.js';

interface Options {
  readonly params: readonly string[];
  readonly compare: readonly string[];
  readonly seed: number;
  readonly json?: true;
}

const EXIT_INCOMPLETE = 3;

export function registerReplay(program: Command): void {
  program
    .command('replay')
    .description(
      'A recorded bag against contracts, without ROS and without a GPU: which frames would have been served, and why not the others.',
    )
    .argument('<bag>', 'a bag of ROS 2, MCAP or sqlite3: its folder, or one file of it')
    .requiredOption('--params <file...>', 'parameters of the node, as it gets them itself; later files count')
    .option('--compare <file...>', 'other parameters, each file a contract of its own, on the same messages', [])
    .option('--seed <number>', 'of the runtimes that are drawn from the profiles', wholeNumber, 1)
    .option('--json', 'print the report as one object')
    .addHelpText(
      'after',
      `\nExit status: 0 done, ${EXIT_REFUSED} parameters, bag or command line are refused, ${EXIT_INCOMPLETE} something of the bag could not be replayed, or its stamps mislead (said on standard error).`,
    )
    .action(replay);
}

function wholeNumber(text: string): number {
  const value = /^(0x[0-9a-f]+|\d+)$/i.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(value)) throw new InvalidArgumentError('expected a whole number of at least 0.');
  return value;
}

async function replay(bag: string, { params, compare, seed, json }: Options): Promise<void> {
  const { readContract } = await import('../replay/contract-file.js');
  const { BagError } = await import('../replay/bag/problem.js');
  const { runReplay } = await import('../replay/run-replay.js');
  const { textReport } = await import('../replay/text-report.js');
  const contracts = await orRefuse(() => ({ contract: readContract(params), compare: compare.map((file) => readContract([file])) }));
  if (contracts === undefined) return;
  const bar = new ProgressBar(process.stderr);
  try {
    const report = await runReplay({ bag, ...contracts, seed, progress: (done, of) => bar.show(done, of) }).finally(() => bar.clear());
    process.stdout.write(`${json ? JSON.stringify(report) : textReport(report)}\n`);
    if (report.problems.length === 0) return;
    process.stderr.write(report.problems.map((problem) => `vig replay: ${problem}\n`).join(''));
    process.exitCode = EXIT_INCOMPLETE;
  } catch (error) {
    if (!(error instanceof BagError)) throw error;
    refuse(`vig replay: ${error.message}`);
  }
}
