import { constants } from 'node:os';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { EXIT_FAILED, tellFailure } from './failure.js';
import { EXIT_REFUSED } from './refusal.js';

interface Options {
  readonly seconds: number;
  readonly governor: boolean;
  readonly backend: 'triton' | 'reference';
  readonly json?: true;
}

const EXIT = { failed: 1, noRos: 3 } as const;
const MAX_SECONDS = 600;

export function registerDemo(program: Command): void {
  program
    .command('demo')
    .description('Two cameras, a real Triton, real models and the governor; then the same without it.')
    .option('--seconds <number>', 'how long each arm runs', seconds, 20)
    .option('--without-governor', 'only the arm without the governor')
    .addOption(
      new Option('--backend <name>', 'reference: a server whose models only take time').choices(['triton', 'reference']).default('triton'),
    )
    .option('--json', 'print one object at the end and nothing else; progress goes to standard error')
    .addHelpText(
      'after',
      `\nCtrl-C ends everything it started. Uses ROS_DOMAIN_ID where it is set, else a domain that is free here.` +
        `\nExit status: 0 every arm is valid, ${EXIT.failed} one is not or something that it needs failed, ${EXIT_REFUSED} the command line is wrong, ${EXIT.noRos} no ROS 2, ${EXIT_FAILED} something else failed, 128 + signal when interrupted.`,
    )
    .action((options: Omit<Options, 'governor'> & { withoutGovernor?: true }) => demo({ ...options, governor: !options.withoutGovernor }));
}

function seconds(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value < 1 || value > MAX_SECONDS)
    throw new InvalidArgumentError(`expected a number from 1 to ${MAX_SECONDS}.`);
  return value;
}

async function demo({ seconds, governor, backend, json }: Options): Promise<void> {
  const { runDemo } = await import('../demo/demo.js');
  const { DemoError } = await import('../demo/demo-error.js');
  const { COLOURS, PLAIN } = await import('../demo/paint.js');
  const { LineScreen, LiveScreen } = await import('../demo/screen.js');
  const { RosUnavailableError } = await import('../ros/load-rclnodejs.js');
  const output = json ? process.stderr : process.stdout;
  const paint = output.isTTY && !process.env['NO_COLOR'] ? COLOURS : PLAIN;
  const live = output.isTTY ? new LiveScreen(output, paint) : undefined;
  const screen = live ?? new LineScreen(output, paint);
  const stop = new StopRequest((signal) => screen.say(`${signal}: ending everything; once more to end it at once`));
  try {
    const report = await runDemo({ seconds, withoutGovernor: !governor, backend }, screen, stop.abort);
    if (json) process.stdout.write(`${JSON.stringify(report)}\n`);
    const valid = report.valid && report.without_governor?.valid !== false;
    if (!valid) process.exitCode = EXIT.failed;
  } catch (error) {
    if (error instanceof RosUnavailableError) {
      process.stderr.write(`vig demo: the cameras and the governor need ROS 2: ${error.message}\n`);
      process.exitCode = EXIT.noRos;
    } else if (!(error instanceof DemoError)) throw error;
    else if (stop.signal === undefined) tellFailure(error, EXIT.failed);
  } finally {
    live?.done();
    stop.release();
  }
  if (stop.signal !== undefined) process.exitCode = 128 + constants.signals[stop.signal];
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** npm passes Ctrl-C on to a process that has heard it already. */
const SAME_REQUEST_MS = 500;

/** The first signal asks for an end in order; a later one ends the process, and with it at once all that it started. */
class StopRequest {
  readonly #controller = new AbortController();
  readonly #said: (signal: NodeJS.Signals) => void;
  #firstMs = 0;
  signal: (typeof SIGNALS)[number] | undefined;

  constructor(said: (signal: NodeJS.Signals) => void) {
    this.#said = said;
    for (const signal of SIGNALS) process.on(signal, this.#heard);
  }

  get abort(): AbortSignal {
    return this.#controller.signal;
  }

  release(): void {
    for (const signal of SIGNALS) process.off(signal, this.#heard);
  }

  readonly #heard = (signal: NodeJS.Signals): void => {
    const known = SIGNALS.find((name) => name === signal);
    if (known === undefined) return;
    const nowMs = performance.now();
    if (this.signal !== undefined) {
      if (nowMs - this.#firstMs > SAME_REQUEST_MS) process.exit(128 + constants.signals[known]);
      return;
    }
    this.signal = known;
    this.#firstMs = nowMs;
    this.#said(known);
    this.#controller.abort();
  };
}
