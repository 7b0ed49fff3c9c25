import { type Command, InvalidArgumentError } from 'commander';
import { faultOf } from '../files/targets.js';
import { tellFailure } from './failure.js';
import { EXIT_REFUSED, orRefuse, refuse } from './refusal.js';

interface Options {
  readonly port: number;
  readonly metricsPort: number;
  readonly models?: string;
  readonly executions?: string;
  readonly json?: true;
}

const EXIT_UNSERVED = 1;

export function registerServeReference(program: Command): void {
  program
    .command('serve-reference')
    .description('A KServe v2 server on loopback whose models only take time: stands in where no Triton runs.')
    .option('--port <number>', 'gRPC port, 0 = any free one', port, 8001)
    .option('--metrics-port <number>', 'port of the metrics page and of commands for faults, 0 = any free one', port, 8002)
    .option('--models <file or folder>', 'models in YAML; without it those of the demo')
    .option('--executions <file>', 'append a line of JSON when an execution begins, and when it ends: what truly ran')
    .option('--json', 'print the ready line as JSON: {"ready": true, "port": …, "metrics_port": …, "models": […]}')
    .addHelpText(
      'after',
      '\nFaults on command: POST http://127.0.0.1:METRICS_PORT/faults with {"fault": "hang"} and the like (docs/reference-server.md).' +
        '\nPrints one line when it is ready. SIGTERM or SIGINT: new calls are refused, running ones end, then it exits.' +
        `\nExit status: 0 ended by a signal, ${EXIT_UNSERVED} it could not serve, ${EXIT_REFUSED} the models or the command line are wrong.`,
    )
    .action((options: Options) => serve(options).catch((error: unknown) => tellFailure(error, EXIT_UNSERVED)));
}

function port(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > 65_535) throw new InvalidArgumentError('expected a number from 0 to 65535.');
  return value;
}

async function serve({ port, metricsPort, models: path, executions: file, json }: Options): Promise<void> {
  process.env['GRPC_VERBOSITY'] ??= 'NONE'; // the library would repeat our errors on stderr in its own words
  const { packageVersion } = await import('../version.js');
  const { DEMO_MODELS, loadModels, modelFiles } = await import('../reference/model-file.js');
  const { ReferenceServer } = await import('../reference/server.js');
  const { ExecutionLog } = await import('../reference/execution-log.js');
  const models = await orRefuse(() => loadModels(path ?? DEMO_MODELS));
  if (models === undefined) return;
  const fault = await faultOf(
    [{ option: '--executions', path: file }],
    path === undefined ? [] : modelFiles(path).map((read) => ({ what: 'read by --models', path: read })),
  );
  if (fault !== undefined) return refuse(`vig serve-reference: ${fault}`);
  const executions = file === undefined ? undefined : new ExecutionLog(file);
  const server = await ReferenceServer.start({ models, port, metricsPort, version: packageVersion(), executions });
  const ended = untilSignal(server);
  const names = models.map(({ name }) => name);
  const ready = json
    ? JSON.stringify({ ready: true, port: server.port, metrics_port: server.metricsPort, models: names })
    : `ready: gRPC on 127.0.0.1:${server.port}, metrics on http://127.0.0.1:${server.metricsPort}/metrics, models ${names.join(', ')}`;
  process.stdout.write(`${ready}\n`);
  await ended;
  executions?.close();
}

/** The first signal drains, a second one does not wait. */
function untilSignal(server: { drain(): Promise<void>; close(): Promise<void> }): Promise<void> {
  return new Promise((resolve, reject) => {
    let signals = 0;
    const end = () => {
      signals += 1;
      (signals === 1 ? server.drain() : server.close()).then(resolve, reject);
    };
    process.on('SIGTERM', end);
    process.on('SIGINT', end);
  });
}
