import type { Command } from 'commander';

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
        '\nExit status: 0 fully drained, 1 calls were left open or it could not start, 2 the parameters were refused.',
    )
    .action(async () => {
      const { runNode } = await import('../ros/run-node.js');
      const { connectTriton } = await import('../triton/connect.js');
      const rosArguments = process.argv.slice(process.argv.indexOf('run') + 1); // as they are: commander takes the -- away
      process.exit(await runNode(rosArguments, connectTriton)); // a call that hangs at the server would keep the process
    });
}
