import type { Command } from 'commander';
import { faultOf } from '../files/targets.js';
import { EXIT_FAILED } from './failure.js';
import { ProgressBar } from './progress-bar.js';
import { EXIT_REFUSED, refuse } from './refusal.js';

const EXIT_DIFFERS = 1;
const BYTES_PER_MB = 1_000_000;
const THE_TRACE = 'the newest part, or the last of a run before (<trace>.7.gz); the others of the run are found beside it';

export function registerTrace(program: Command): void {
  const trace = program.command('trace').description('What a node, a replay or a simulation recorded of its decisions (trace.file).');
  trace
    .command('verify')
    .description('Run the recorded events through the core again: the same decisions, or the first that differs.')
    .argument('<trace>', THE_TRACE)
    .option('--json', 'print one object')
    .addHelpText(
      'after',
      `\nExit status: 0 identical, ${EXIT_DIFFERS} a decision differs, ${EXIT_REFUSED} the trace cannot be run again, ${EXIT_FAILED} something failed that nobody foresaw.`,
    )
    .action(verify);
  trace
    .command('explain')
    .description('Why a frame ended as it did: what ran, what it was put off for, the slack.')
    .argument('<trace>', THE_TRACE)
    .argument('<request or stream>', 'a request id, or the name of a stream')
    .option('--json', 'print one object')
    .addHelpText(
      'after',
      `\nExit status: 0 explained, ${EXIT_REFUSED} there is no such request or stream, or the trace cannot be read, ${EXIT_FAILED} something failed that nobody foresaw.`,
    )
    .action(explain);
  trace
    .command('export')
    .description('Write the trace for Perfetto or chrome://tracing: a track for each slot, stream and backend.')
    .argument('<trace>', THE_TRACE)
    .requiredOption('--output <file.json>', 'what to write')
    .addHelpText(
      'after',
      `\nExit status: 0 written, ${EXIT_REFUSED} the trace cannot be read, or may not be written over, ${EXIT_FAILED} something failed that nobody foresaw, as a full disk.`,
    )
    .action(exportTrace);
  for (const command of trace.commands) command.configureHelp({ showGlobalOptions: false });
}

async function verify(file: string, { json }: { readonly json?: true }): Promise<void> {
  const { verifyTrace } = await import('../trace/verify.js');
  const { explainDecision } = await import('../governor/explanation.js');
  const progress = new ProgressBar(process.stderr);
  const found = await orRefuseTrace(() => verifyTrace(file, inMegabytes(progress))).finally(() => progress.clear());
  if (found === undefined) return;
  const { events, actions, difference } = found;
  if (difference !== undefined) process.exitCode = EXIT_DIFFERS;
  if (json === true) {
    const differs = difference && {
      place: difference.traced.place,
      recorded: difference.traced.actions,
      decided_now: difference.decidedNow,
    };
    process.stdout.write(
      `${JSON.stringify({ events, actions, identical: difference === undefined, ...(differs && { difference: differs }) })}\n`,
    );
    return;
  }
  if (difference === undefined) {
    process.stdout.write(`${events} events, ${actions} actions: identical\n`);
    return;
  }
  const { traced, decidedNow } = difference;
  const told = (list: typeof decidedNow) =>
    list
      .map((action) => `  ${JSON.stringify(action)}  ${explainDecision(action, traced.at, (request) => `request ${request}`) ?? ''}`)
      .join('\n') || '  nothing';
  process.stdout.write(
    `${traced.place}: after ${events} events that are the same, decided differently\nrecorded:\n${told(traced.actions)}\nnow:\n${told(decidedNow)}\n`,
  );
}

/** One step a megabyte. */
function inMegabytes(progress: ProgressBar): (bytes: number, of: number) => void {
  let shown = 0;
  return (bytes, of) => {
    const megabytes = Math.floor(bytes / BYTES_PER_MB);
    if (megabytes === shown) return;
    shown = megabytes;
    progress.show(megabytes, Math.max(megabytes, Math.ceil(of / BYTES_PER_MB)));
  };
}

async function explain(file: string, subject: string, { json }: { readonly json?: true }): Promise<void> {
  const { explainFile } = await import('../trace/explain-file.js');
  const { explanationText } = await import('../trace/explain.js');
  const explained = await orRefuseTrace(() => explainFile(file, subject));
  if (explained === undefined) return;
  if ('nothing' in explained) return refuse(`${file}: ${explained.nothing}`);
  process.stdout.write(`${json === true ? JSON.stringify(explained) : explanationText(explained)}\n`);
}

async function exportTrace(file: string, { output }: { readonly output: string }): Promise<void> {
  const { exportChrome } = await import('../trace/export-file.js');
  const { filesBeside } = await import('../trace/parts.js');
  const { Unfinished } = await import('../files/unfinished.js');
  const parts = [file, ...filesBeside(file)].map((path) => ({ what: `part of the trace ${file}`, path }));
  const fault = await faultOf([{ option: '--output', path: output }], parts);
  if (fault !== undefined) return refuse(`vig trace export: ${fault}`);
  const unfinished = new Unfinished(output);
  try {
    const events = await orRefuseTrace(() => exportChrome(file, unfinished.path));
    if (events === undefined) return;
    unfinished.keep();
    process.stdout.write(`${events} events in ${output}; open it in https://ui.perfetto.dev\n`);
  } finally {
    unfinished.discard();
  }
}

async function orRefuseTrace<T>(read: () => Promise<T>): Promise<T | undefined> {
  const { TraceError } = await import('../trace/trace-error.js');
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof TraceError)) throw error;
    refuse(error.message);
    return undefined;
  }
}
