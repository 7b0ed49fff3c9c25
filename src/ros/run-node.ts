/** The node as a process: from the command line to the exit status. */
import type { Logger } from 'pino';
import { loadConfiguration } from '../config/load.js';
import { refuseHopeless } from '../config/plan.js';
import { COMMAND_LINE, ConfigurationError } from '../config/problem.js';
import { parseRosArguments } from '../config/ros-arguments.js';
import type { Configuration } from '../config/validate.js';
import { SteadyClock } from '../governor/clock.js';
import type { ConnectServer } from '../service/served-backend.js';
import { PARAMETER_TYPES, type RclNodeOptions, type Rclnodejs } from './binding.js';
import { declareParameters } from './declare-parameters.js';
import { GovernorNode } from './governor-node.js';
import { Lifecycle } from './lifecycle.js';
import { createManagedNode } from './lifecycle-node.js';
import { acceptChanges } from './live-parameters.js';
import { loadRclnodejs, RosUnavailableError } from './load-rclnodejs.js';
import { OperatorLog } from './operator-log.js';
import { logLevel, withoutParameters } from './ros-command-line.js';
import { StopSignals } from './stop-signals.js';

const EXIT = { drained: 0, failed: 1, refused: 2 } as const;

const NODE_NAME = 'governor';

/**
 * Runs the node until it is told to stop.
 * @param argv the command line behind `vig run`
 * @param started called when the node hears signals itself
 * @returns the exit status: 0 when it ended fully drained, 2 when the configuration was refused before anything started, else 1.
 */
export async function runNode(argv: readonly string[], connect: ConnectServer, started: () => void): Promise<number> {
  try {
    const configuration = readConfiguration(argv);
    const rcl = await loadRclnodejs();
    const signals = new StopSignals();
    started();
    return await run(rcl, argv, configuration, connect, signals);
  } catch (error) {
    if (!(error instanceof ConfigurationError || error instanceof RosUnavailableError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return error instanceof ConfigurationError ? EXIT.refused : EXIT.failed;
  }
}

function readConfiguration(argv: readonly string[]): Configuration {
  const { parameterFiles, overrides, name = NODE_NAME, namespace = '/' } = parseRosArguments(argv);
  if (parameterFiles.length === 0 && overrides.length === 0) {
    const text = 'no parameters were given: vig run --ros-args --params-file FILE (config/governor.yaml is an example)';
    throw new ConfigurationError('arguments', [{ place: COMMAND_LINE, text }]);
  }
  const configuration = loadConfiguration({ files: parameterFiles, overrides, node: { name, namespace } });
  refuseHopeless(configuration);
  return configuration;
}

async function run(
  rcl: Rclnodejs,
  argv: readonly string[],
  configuration: Configuration,
  connect: ConnectServer,
  signals: StopSignals,
): Promise<number> {
  rcl.removeSignalHandlers();
  const operatorLog = new OperatorLog(logLevel(argv));
  const log = operatorLog.logger;
  const context = rcl.Context.defaultContext();
  await rcl.init(context, withoutParameters(argv));
  try {
    const managed = createManagedNode(rcl, NODE_NAME, context, nodeOptions(rcl, configuration), (err) =>
      log.warn({ err }, 'a lifecycle request could not be answered'),
    );
    const { node } = managed;
    operatorLog.attach(node.getLogger());
    declareParameters(rcl, node, configuration.parameters);
    const governor = new GovernorNode({ rcl, node, configuration, clock: new SteadyClock(), connect, log });
    acceptChanges(rcl, node, configuration.parameters, governor.change);
    const lifecycle = new Lifecycle(managed.machine, governor, log);
    managed.handleRequests((transition) => lifecycle.request(transition));
    node.spin();
    const ended = await Promise.race([serve(lifecycle, configuration, signals), signals.second, crash(log)]);
    return ended && governor.drained ? EXIT.drained : EXIT.failed;
  } finally {
    signals.stop();
    operatorLog.detach();
    rcl.shutdown(); // destroys the node; a process that exits before this crashes
  }
}

/** @returns whether it was started as asked and ended in order. */
async function serve(lifecycle: Lifecycle, configuration: Configuration, signals: StopSignals): Promise<boolean> {
  let started = true;
  if (configuration.parameters.autostart) {
    started = (await lifecycle.request('configure')) && (await lifecycle.request('activate'));
  }
  if (started) await signals.first;
  const ended = lifecycle.state() === 'finalized' || (await lifecycle.request('shutdown'));
  return started && ended;
}

/** Resolves when something went wrong that nobody foresaw: the node is taken down, so that it leaves nothing behind. */
function crash(log: Logger): Promise<false> {
  return new Promise((resolve) => {
    process.once('uncaughtException', (err) => {
      log.fatal({ err }, 'unexpected error, the node ends');
      resolve(false);
    });
  });
}

function nodeOptions(rcl: Rclnodejs, configuration: Configuration): RclNodeOptions {
  const options = new rcl.NodeOptions();
  options.parameterOverrides = [new rcl.Parameter('use_sim_time', PARAMETER_TYPES.bool, configuration.useSimTime)];
  return options;
}
