/** The node as a process: from the command line to the exit status. */
import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfiguration } from '../config/load.js';
import { refuseHopeless } from '../config/plan.js';
import { COMMAND_LINE, ConfigurationError } from '../config/problem.js';
import { parseRosArguments } from '../config/ros-arguments.js';
import type { Configuration } from '../config/validate.js';
import { SteadyClock } from '../governor/clock.js';
import type { ConnectServer } from '../service/served-backend.js';
import { refuseOverwrites } from '../service/written-files.js';
import { PARAMETER_TYPES, type RclNodeOptions, type Rclnodejs } from './binding.js';
import { CrashWatch } from './crash-watch.js';
import { declareParameters } from './declare-parameters.js';
import { GovernorNode } from './governor-node.js';
import { Lifecycle } from './lifecycle.js';
import { createManagedNode } from './lifecycle-node.js';
import { acceptChanges } from './live-parameters.js';
import { loadRclnodejs, RosUnavailableError } from './load-rclnodejs.js';
import { OperatorLog } from './operator-log.js';
import { logLevel, withoutParameters } from './ros-command-line.js';
import { StopSignals } from './stop-signals.js';

const EXIT = { drained: 0, failed: 1, refused: 2, undrained: 3 } as const;

const NODE_NAME = 'governor';

/** What an orderly end may take beyond its drain: closing connections, and the last messages to subscribers. */
const ENDING_LIMIT_MS = 5000;
/** The same after a second signal, when nothing is drained. */
const HURRIED_LIMIT_MS = 1000;

/**
 * Runs the node until it is told to stop.
 * @param argv the command line behind `vig run`
 * @param started called when the node hears signals itself
 * @returns the exit status: 0 when it was told to end and the end of every call is proven, 3 when it is not, 2 when the configuration was
 * refused before anything started, 1 when it could not start or something went wrong that nobody foresaw.
 */
export async function runNode(argv: readonly string[], connect: ConnectServer, started: () => void): Promise<number> {
  try {
    const configuration = await readConfiguration(argv);
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

async function readConfiguration(argv: readonly string[]): Promise<Configuration> {
  const { parameterFiles, overrides, name = NODE_NAME, namespace = '/' } = parseRosArguments(argv);
  if (parameterFiles.length === 0 && overrides.length === 0) {
    const text = 'no parameters were given: vig run --ros-args --params-file FILE (config/governor.yaml is an example)';
    throw new ConfigurationError('arguments', [{ place: COMMAND_LINE, text }]);
  }
  const configuration = loadConfiguration({ files: parameterFiles, overrides, node: { name, namespace } });
  refuseHopeless(configuration);
  await refuseOverwrites(configuration, parameterFiles);
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
  const crash = new CrashWatch(log);
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
    const stopped = Promise.race([signals.first, crash.first]);
    const hurried = Promise.race([signals.second, crash.second]).then(() => governor.hurry());
    const limit = Promise.race([
      stopped.then(() => sleep(configuration.parameters.drain_timeout_ms + ENDING_LIMIT_MS)),
      hurried.then(() => sleep(HURRIED_LIMIT_MS)),
    ]);
    const ended = await Promise.race([serve(lifecycle, configuration, stopped), limit.then(() => 'too late' as const)]);
    if (crash.happened || ended === 'failed') return EXIT.failed;
    return ended === 'in order' && governor.drained ? EXIT.drained : EXIT.undrained;
  } finally {
    signals.stop();
    crash.stop();
    operatorLog.detach();
    rcl.shutdown(); // destroys the node; a process that exits before this crashes
  }
}

/** @returns whether it was started as asked and ended in order. */
async function serve(lifecycle: Lifecycle, configuration: Configuration, stopped: Promise<void>): Promise<'in order' | 'failed'> {
  let started = true;
  if (configuration.parameters.autostart) {
    started = (await lifecycle.request('configure')) && (await lifecycle.request('activate'));
  }
  if (started) await stopped;
  const ended = lifecycle.state() === 'finalized' || (await lifecycle.request('shutdown'));
  return started && ended ? 'in order' : 'failed';
}

function nodeOptions(rcl: Rclnodejs, configuration: Configuration): RclNodeOptions {
  const options = new rcl.NodeOptions();
  options.parameterOverrides = [new rcl.Parameter('use_sim_time', PARAMETER_TYPES.bool, configuration.useSimTime)];
  return options;
}
