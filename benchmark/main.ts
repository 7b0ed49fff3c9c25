/** `npm run bench [-- TOPIC] [--repeats N] [--seconds N] [--json]`: measures, prints, and writes its part of benchmark/RESULTS.md. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Argument, Command, InvalidArgumentError } from 'commander';
import { freeDomain } from '../src/demo/free-ports.js';
import { StopSignals } from '../src/ros/stop-signals.js';
import { removeLeftovers } from '../src/triton/region-names.js';
import { TritonServer } from '../test/support/triton-server.js';
import type { BenchContext, Topic } from './context.js';
import { describeMachine, type Machine, machineText, watchLoad } from './machine.js';
import { MODELS } from './models.js';
import { nodeShare } from './node-share.js';
import { pipelining } from './pipelining.js';
import { preprocess } from './preprocess.js';
import { type Section, sectionText } from './report.js';
import { RESULTS_FILE, writePart } from './results-file.js';
import { transport } from './transport.js';

const TOPICS: readonly Topic[] = [nodeShare, pipelining, transport, preprocess];
/** Fewer say too little for a file that is kept. */
const KEPT = { repeats: 5, seconds: 10 };

interface Options {
  readonly repeats: number;
  readonly seconds: number;
  readonly json?: true;
}

function whole(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 600) throw new InvalidArgumentError('expected a whole number from 1 to 600.');
  return value;
}

function program(): Command {
  return new Command('npm run bench --')
    .description('Measures the node on this machine. All topics with the default options also write their part of benchmark/RESULTS.md.')
    .addArgument(new Argument('[topic]', 'only this one').choices(TOPICS.map(({ name }) => name)))
    .option('--repeats <number>', 'how often each thing is measured', whole, KEPT.repeats)
    .option('--seconds <number>', 'how long a node is measured each time', whole, KEPT.seconds)
    .option('--json', 'print one object at the end and nothing else; progress goes to standard error')
    .addHelpText('after', `\n${TOPICS.map(({ name, description }) => `  ${name.padEnd(12)} ${description}`).join('\n')}`)
    .action((name: string | undefined, options: Options) =>
      run(
        TOPICS.filter((topic) => name === undefined || topic.name === name),
        options,
      ),
    );
}

/** Everything it started has ended when it resolves, however that comes about. */
async function run(topics: readonly Topic[], options: Options): Promise<void> {
  const load = watchLoad();
  const signals = new StopSignals();
  const abort = new AbortController();
  void signals.first.then(() => abort.abort());
  void signals.second.then(() => process.exit(130)); // the owners of the children end them
  process.env['ROS_DOMAIN_ID'] ??= String(await freeDomain()); // inherited by what is started
  const folder = mkdtempSync(path.join(tmpdir(), 'vig-bench-'));
  let started: Promise<TritonServer> | undefined;
  const triton = (): Promise<TritonServer> => {
    started ??= TritonServer.start({ models: MODELS });
    return started;
  };
  try {
    const context: BenchContext = { ...options, abort: abort.signal, folder, triton, progress };
    const sections: Section[] = [];
    for (const topic of topics) sections.push(await topic.measure(context));
    const machine = await describeMachine(started && (await started), load());
    report(machine, sections, options, topics.length === TOPICS.length);
  } catch (error) {
    if (!abort.signal.aborted) throw error;
    process.exitCode = 130;
  } finally {
    load();
    signals.stop();
    await started?.then(
      (server) => server.stop(),
      () => undefined,
    );
    removeLeftovers(); // of a node that had to be killed
    rmSync(folder, { recursive: true, force: true });
  }
}

function progress(text: string): void {
  process.stderr.write(`${new Date().toTimeString().slice(0, 8)} ${text}\n`);
}

function report(machine: Machine, sections: readonly Section[], { repeats, seconds, json }: Options, complete: boolean): void {
  const text = `${[...sections.map(sectionText)].join('\n\n')}\n`;
  if (json)
    process.stdout.write(
      `${JSON.stringify({ machine, repeats, seconds, topics: sections.map(({ title, figures }) => ({ title, figures })) })}\n`,
    );
  else process.stdout.write(`\n${machineText(machine)}\n\n${text}`);
  if (!complete || repeats < KEPT.repeats || seconds < KEPT.seconds) return;
  writePart('bench', `${HEADING}\n\n${machineText(machine)}\n\n${text}`);
  progress(`written: ${RESULTS_FILE}`);
}

const HEADING = `# The live node

Absolute times are this machine's, and camera, node, server and consumer share its cores; ratios are of arms
that ran in turn within this one run.`;

await program().parseAsync(process.argv.slice(2), { from: 'user' });
