/** `npm run figures`: runs every study, and writes the simulator's part of benchmark/RESULTS.md from their results. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { ProgressBar } from '../../src/cli/progress-bar.js';
import { drawLoadPlot } from '../../src/simulator/plot/plot.js';
import type { SimulationReport } from '../../src/simulator/report.js';
import type { Host } from '../host.js';
import { optimalitySection } from '../optimality/section.js';
import type { Section } from '../report.js';
import { writePart } from '../results-file.js';
import { Figures } from './figures.js';
import { readRemarks } from './remarks.js';
import { figuresReport, PLOT, withRemark } from './report.js';
import { type PreparedStudy, prepare, runStudy } from './run-study.js';
import { sections } from './sections.js';
import { measureSpeed } from './speed.js';
import type { Stored } from './store.js';
import { CONTROL_ARMS, FIFO_DEPTHS, GOVERNORS, STUDIES } from './studies.js';

interface Options {
  readonly only?: string;
  readonly seeds?: number;
  readonly processes: number;
  readonly fresh?: true;
}

const PLOTTED = 'b-protected';
const SPEED = 'speed';

function whole(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 64) throw new InvalidArgumentError('expected a whole number from 1 to 64.');
  return value;
}

function program(): Command {
  return new Command('npm run figures --')
    .description('Policies side by side on every scenario. What the same code has measured already is not run again.')
    .option('--only <name>', `print one scenario (its name, or how it begins) or "${SPEED}", and write nothing`)
    .option('--seeds <number>', 'so many at most; prints the report and writes nothing', whole)
    .option('--processes <number>', 'at the same time', whole, 2)
    .option('--fresh', 'run again what is known')
    .action(run);
}

async function run({ only, seeds, processes, fresh }: Options): Promise<void> {
  const studies = STUDIES.filter(({ scenario }) => only === undefined || scenario.startsWith(only))
    .map((study) => ({ ...study, seeds: study.seeds.slice(0, seeds) }))
    .map(prepare)
    .map((study) => (fresh ? { ...study, known: undefined } : study));
  if (studies.length === 0 && only !== SPEED)
    throw new Error(`--only: no scenario begins with "${only}"; there are: ${STUDIES.map(({ scenario }) => scenario).join(', ')}`);
  const results = await runAll(studies, processes);
  const speed = only === undefined || only === SPEED ? await measureSpeed(fresh === true, progress) : undefined;
  const all = new Map(
    studies.map(({ scenario }, index) => [scenario.name, new Figures(scenario, (results[index] as Stored<SimulationReport>).result)]),
  );
  const remarks = readRemarks();
  if (speed === undefined || only !== undefined) {
    print([...sections(all), ...(speed?.sections ?? [])].map((section) => withRemark(section, remarks)).join('\n\n'));
    return;
  }
  const hosts: Host[] = [...results.map(({ host }) => host), speed.host];
  const report = figuresReport(all, [optimality(), ...speed.sections], remarks, hosts);
  if (seeds !== undefined) {
    print(report);
    return;
  }
  writePart('figures', report);
  const plotted = studies.findIndex(({ scenario }) => scenario.name === PLOTTED);
  writeFileSync(path.join('benchmark', PLOT), drawPlotted(studies[plotted] as PreparedStudy, results[plotted] as Stored<SimulationReport>));
  progress(`written: benchmark/RESULTS.md, benchmark/${PLOT}`);
}

/** With the best of the bounded queues only. */
function drawPlotted({ scenario }: PreparedStudy, { result }: Stored<SimulationReport>): string {
  const best = new Figures(scenario, result).bestFifo(FIFO_DEPTHS);
  const policies = scenario.policies.filter((policy) => policy === best || !FIFO_DEPTHS.includes(policy));
  return drawLoadPlot({ ...scenario, policies }, result);
}

async function runAll(studies: readonly PreparedStudy[], processes: number): Promise<Stored<SimulationReport>[]> {
  const bar = new ProgressBar(process.stderr);
  const of = studies.reduce((sum, { tasks }) => sum + tasks, 0);
  const results: Stored<SimulationReport>[] = [];
  let before = 0;
  try {
    for (const study of studies) {
      if (study.known === undefined && !process.stderr.isTTY) progress(study.scenario.name);
      results.push(study.known ?? (await runStudy(study, processes, (tasks) => bar.show(before + tasks, of))));
      before += study.tasks;
      bar.show(before, of);
    }
  } finally {
    bar.clear();
  }
  return results;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function optimality(): Section {
  progress('optimality gap');
  return optimalitySection(undefined, ['fifo-1', ...CONTROL_ARMS, ...GOVERNORS]);
}

function progress(text: string): void {
  process.stderr.write(`${new Date().toTimeString().slice(0, 8)} ${text}\n`);
}

try {
  await program().parseAsync(process.argv.slice(2), { from: 'user' });
} catch (error) {
  process.stderr.write(`figures: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
