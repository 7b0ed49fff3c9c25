/** `npm run trace-cost [-- --json]`: what a trace costs a governor, frame by frame, and what compressing it costs. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Command } from 'commander';
import { ProgressBar } from '../../src/cli/progress-bar.js';
import { StopSignals } from '../../src/ros/stop-signals.js';
import { ReferenceProcess } from '../../test/support/reference-server.js';
import { runCommand } from '../command.js';
import { describeHost } from '../host.js';
import { type Arm, runArm } from './arm.js';
import { type Compression, measureCompression } from './compression.js';
import { type Measured, measuredJson, measuredText, type Pair } from './report.js';
import { MODELS } from './world.js';
import { writingCosts } from './writing.js';

const PAIRS = 21;
const SECONDS = 2.5;
/** The first frames of a process cost twice as much, until V8 has compiled what they run through. */
const WARM_UP_ARMS = 6;
const COMPRESSIONS = 5;
const WRITINGS = 9;
const EXIT_INTERRUPTED = 130;

function program(): Command {
  return new Command('npm run trace-cost --')
    .description('A governor without ROS, four cameras at 30 Hz, the reference server; with a trace and without, in turns.')
    .option('--json', 'print one object at the end and nothing else')
    .addHelpText('after', '\nTakes about 3 minutes. Exit status: 0 measured, 2 the command line is wrong, 130 interrupted.')
    .action(run);
}

async function run({ json }: { readonly json?: true }): Promise<void> {
  const signals = new StopSignals();
  const abort = new AbortController();
  void signals.first.then(() => abort.abort());
  void signals.second.then(() => process.exit(EXIT_INTERRUPTED));
  const folder = mkdtempSync(path.join(tmpdir(), 'vig-trace-cost-'));
  const server = await ReferenceProcess.start(MODELS);
  const bar = new ProgressBar(process.stderr);
  try {
    const measured = await measure(server.endpoint, folder, (done, of) => bar.show(done, of), abort.signal);
    bar.clear();
    if (measured === undefined) process.exitCode = EXIT_INTERRUPTED;
    else process.stdout.write(`${json ? JSON.stringify(measuredJson(measured)) : measuredText(measured)}\n`);
  } finally {
    bar.clear();
    signals.stop();
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}

/** @returns undefined when it was interrupted. */
async function measure(
  endpoint: string,
  folder: string,
  progress: (done: number, of: number) => void,
  abort: AbortSignal,
): Promise<Measured | undefined> {
  const traces: string[] = [];
  let done = 0;
  const arm = async (traced: boolean): Promise<Arm> => {
    const traceFile = path.join(folder, `${traces.length}.trace`);
    if (traced) traces.push(traceFile);
    const measured = await runArm({ endpoint, seconds: SECONDS, ...(traced ? { traceFile } : {}) });
    done += 1;
    progress(done, WARM_UP_ARMS + 2 * PAIRS);
    return measured;
  };
  for (let warmUp = 0; warmUp < WARM_UP_ARMS && !abort.aborted; warmUp += 1) await arm(warmUp % 2 === 1);
  const pairs: Pair[] = [];
  for (; pairs.length < PAIRS && !abort.aborted; ) {
    const tracedFirst = pairs.length % 2 === 1; // what drifts counts for neither
    const [first, second] = [await arm(tracedFirst), await arm(!tracedFirst)];
    pairs.push(tracedFirst ? { without: second, traced: first } : { without: first, traced: second });
  }
  const compressions: Compression[] = [];
  for (; compressions.length < COMPRESSIONS && !abort.aborted; ) compressions.push(await measureCompression(folder, traces));
  if (abort.aborted) return undefined;
  return { host: describeHost(), pairs, trace: rateOf(traces), writingUs: await writingCosts(folder, traces, WRITINGS), compressions };
}

/** From the first event to the last, without the time between two traces. */
function rateOf(traces: readonly string[]): Measured['trace'] {
  let [events, bytes, seconds] = [0, 0, 0];
  for (const file of traces) {
    const text = readFileSync(file, 'utf8');
    const instants = [...text.matchAll(/^\{"at":(\d+)/gm)].map(([, at]) => Number(at));
    events += instants.length;
    bytes += text.length;
    seconds += ((instants.at(-1) ?? 0) - (instants[0] ?? 0)) / 1e6;
  }
  return { eventsPerSecond: events / seconds, bytesPerSecond: bytes / seconds };
}

await runCommand(program());
