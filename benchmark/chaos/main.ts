/** `npm run chaos -- --simulated [--seed S] [--schedules N] [--json]`: servers that fail, and what the governor believes of them. */
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { ProgressBar } from '../../src/cli/progress-bar.js';
import { EXIT_REFUSED } from '../../src/cli/refusal.js';
import { explore } from './simulated/explore.js';
import { exploredText } from './simulated/report.js';

interface Options {
  readonly simulated?: true;
  readonly seed: number;
  readonly schedules?: number;
  readonly json?: true;
}

const SIMULATED_SCHEDULES = 3000;
const EXIT_FAILED = 1;

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
    .requiredOption('--simulated', 'the core and actor of the node on virtual time, beside a server whose truth is known')
    .option('--schedules <number>', `how many (${SIMULATED_SCHEDULES} simulated)`, whole(1, 10_000_000))
    .option('--seed <number>', 'of the first schedule; each follows from its seed alone', whole(0, 2 ** 40), 1)
    .option('--json', 'print one object at the end and nothing else')
    .addHelpText('after', '\nExit status: 0 every check held, 1 one did not (seed and events are printed), 2 the command line is wrong.')
    .exitOverride()
    .action(run);
}

function run({ seed, schedules = SIMULATED_SCHEDULES, json }: Options): void {
  const bar = new ProgressBar(process.stderr);
  const explored = explore({ seed, schedules, done: (done) => bar.show(done, schedules) });
  bar.clear();
  process.stdout.write(`${json ? JSON.stringify({ seed, schedules, ...explored }) : exploredText(explored)}\n`);
  process.exitCode = explored.failed === 0 ? 0 : EXIT_FAILED;
}

try {
  await program().parseAsync(process.argv.slice(2), { from: 'user' });
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode === 0 ? 0 : EXIT_REFUSED; // commander has said what is wrong
}
