import { constants } from 'node:os';
import type { Command } from 'commander';
import { tellFailure } from './failure.js';

const EXIT_NOT_RUN = 1;

export function registerRun(program: Command): void {
  program
    .command('run')
    .description('The ROS 2 node: what ros2 run and ros2 launch start.')
    .usage('--ros-args --params-file FILE [other ROS 2 arguments]')
    .allowUnknownOption()
    .allowExcessArguments()
    .addHelpText(
      'after',
      '\nEnds on SIGINT or SIGTERM: running calls may finish within drain_timeout_ms, every open request gets its outcome.' +
        ' A second signal does not wait.' +
        '\nExit status: 0 drained: the end of every call is proven, 3 ended with calls whose end is not (the log names them),' +
        ` ${EXIT_NOT_RUN} it could not start or failed,` +
        ' 2 the parameters were refused,' +
        ' 128 + signal when it was interrupted before it had started.',
    )
    .action(() => run().catch((error: unknown) => tellFailure(error, EXIT_NOT_RUN)));
}

async function run(): Promise<void> {
  const started = tellEarlyEnd();
  const { runNode } = await import('../ros/run-node.js');
  const { connectTriton } = await import('../triton/connect.js');
  const rosArguments = process.argv.slice(process.argv.indexOf('run') + 1); // as they are: commander takes the -- away
  process.exit(await runNode(rosArguments, connectTriton, started)); // a call that hangs at the server would keep the process
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Until there is a node that ends in order, a signal ends the process at once, and not without a word. */
function tellEarlyEnd(): () => void {
  const end = (signal: (typeof SIGNALS)[number]) => {
    process.stderr.write(`vig run: ${signal} before the node had started; nothing was running yet\n`);
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of SIGNALS) process.on(signal, end);
  return () => {
    for (const signal of SIGNALS) process.off(signal, end);
  };
}
