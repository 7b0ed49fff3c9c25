import { availableParallelism } from 'node:os';
import { type Command, InvalidArgumentError } from 'commander';
import { faultOf } from '../files/targets.js';
import type { SimulationReport } from '../simulator/report.js';
import type { Scenario } from '../simulator/scenario.js';
import { EXIT_FAILED, tellFailure } from './failure.js';
import { ProgressBar } from './progress-bar.js';
import { EXIT_REFUSED, orRefuse, refuse } from './refusal.js';

interface Options {
  readonly json?: true;
  readonly plot?: string;
  readonly seeds?: readonly number[];
  readonly policies?: readonly string[];
  readonly loads?: readonly number[];
  readonly allSeeds?: true;
  readonly trace?: string;
}

const EXIT_RUN_FAILED = 1;

export function registerSimulate(program: Command): void {
  program
    .command('simulate')
    .description('Policies side by side on the same frames, in virtual time: what each gains and what it costs every stream.')
    .argument('<scenario>', 'scenario in YAML, for instance one of benchmark/scenarios')
    .option('--json', 'print one object: {"scenario": …, "runs": […]}')
    .option('--plot <file.svg>', 'draw coverage over load, the price of each stream, age over time and the slots')
    .option('--seeds <list>', 'instead of those of the file, for instance 1,2,0x5EED0003', wholeNumbers(Number.MAX_SAFE_INTEGER))
    .option('--policies <list>', 'instead of those of the file, for instance fifo-1,governor', list)
    .option(
      '--loads <list>',
      'in thousandths of one slot (1000 = 100 %), instead of those of the file, for instance 1000,1500',
      wholeNumbers(100_000, 1),
    )
    .option('--trace <file>', 'record the decisions of the first governor at the first load and seed, for vig trace')
    .option('--all-seeds', 'one result a seed instead of medians')
    .addHelpText(
      'after',
      `\nExit status: 0 done, ${EXIT_RUN_FAILED} a run failed, ${EXIT_REFUSED} the scenario or the command line is wrong, ${EXIT_FAILED} something else failed, for instance a full disk.`,
    )
    .action(simulate);
}

function list(text: string): readonly string[] {
  return text.split(',').map((item) => item.trim());
}

function wholeNumbers(max: number, min = 0): (text: string) => readonly number[] {
  return (text) => {
    const seen = new Set<number>();
    for (const item of list(text)) {
      const value = /^(0x[0-9a-f]+|\d+)$/i.test(item) ? Number(item) : Number.NaN;
      if (!(value >= min && value <= max))
        throw new InvalidArgumentError(`"${item}": expected whole numbers from ${min} to ${max}, with commas.`);
      if (seen.has(value)) throw new InvalidArgumentError(`"${item}" stands twice; give each number once.`);
      seen.add(value);
    }
    return [...seen];
  };
}

async function simulate(file: string, { json, plot, seeds, policies, loads, allSeeds, trace }: Options): Promise<void> {
  const { readScenario } = await import('../simulator/scenario-file.js');
  const { policyFaults } = await import('../simulator/policies.js');
  const { textTable } = await import('../simulator/text-table.js');
  const read = await orRefuse(() => readScenario(file));
  if (read === undefined) return;
  const faults = policyFaults(policies ?? []);
  if (faults.length > 0) return refuse(...faults.map((text) => `vig simulate: --policies: ${text}`));
  const { whyNotReplaceable } = await import('../trace/own-file.js');
  const fault = await faultOf(
    [
      { option: '--plot', path: plot },
      { option: '--trace', path: trace, whyNotReplaceable },
    ],
    [{ what: 'the scenario', path: file }],
  );
  if (fault !== undefined) return refuse(`vig simulate: ${fault}`);
  const scenario = { ...read, ...(seeds && { seeds }), ...(policies && { policies }), ...(loads && { loads }) };
  if (trace !== undefined) {
    const { traceRun } = await import('../simulator/trace-run.js');
    if (!(await traceRun(scenario, trace)))
      return refuse('vig simulate: --trace: no policy of the scenario is a governor; add one with --policies');
  }
  const report = await measured(scenario, allSeeds ?? false);
  if (report === undefined) return;
  if (plot !== undefined) {
    const { writeWhole } = await import('../files/unfinished.js');
    const { drawPlot } = await import('../simulator/plot/plot.js');
    await writeWhole(plot, drawPlot(scenario, report));
  }
  process.stdout.write(`${json ? JSON.stringify(report) : textTable(report)}\n`);
}

/** @returns undefined when a run failed, which is said. */
async function measured(scenario: Scenario, everySeed: boolean): Promise<SimulationReport | undefined> {
  const { SimulationError } = await import('../simulator/ledger.js');
  const { runScenario } = await import('../simulator/run-scenario.js');
  const progress = new ProgressBar(process.stderr);
  try {
    return await runScenario(scenario, { processes: availableParallelism(), everySeed, done: (tasks, of) => progress.show(tasks, of) });
  } catch (error) {
    if (!(error instanceof SimulationError)) throw error;
    tellFailure(error, EXIT_RUN_FAILED);
    return undefined;
  } finally {
    progress.clear();
  }
}
