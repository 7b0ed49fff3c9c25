/** A Triton server of our own: on free loopback ports, with a model repository that the caller wrote, ended for certain. */
import { existsSync, readdirSync } from 'node:fs';
import { get } from 'node:http';
import path from 'node:path';
import { TRITON_FOLDER } from './checkout.js';
import { ChildOwner } from './child-process.js';
import { DemoError } from './demo-error.js';
import { freePorts } from './free-ports.js';

const READY_TIMEOUT_MS = 30_000;
/** It needs about two seconds, and its own limit for running work is five. */
const STOP_TIMEOUT_MS = 10_000;

export interface TritonPorts {
  readonly grpc: number;
  readonly http: number;
  readonly metrics: number;
}

export interface TritonOptions {
  readonly repository: string;
  /** The ports of a server that has ended, to restart it in its place. */
  readonly ports?: TritonPorts;
  /** The one processor it may use; all when absent. */
  readonly processor?: number;
  /** More options for the server's command line. */
  readonly extraArguments?: readonly string[];
}

/** Why no Triton can be started here; undefined when one can. */
export function tritonMissing(): string | undefined {
  return serverFolder() === undefined ? 'Triton is not installed here (npm run setup installs it where its wheel runs)' : undefined;
}

export class TritonProcess {
  readonly ports: TritonPorts;
  readonly #child: ChildOwner;

  private constructor(ports: TritonPorts, child: ChildOwner) {
    this.ports = ports;
    this.#child = child;
  }

  /**
   * Starts it and waits until it serves.
   * @throws {DemoError} with the end of its log.
   */
  static async start(options: TritonOptions, abort?: AbortSignal): Promise<TritonProcess> {
    const server = await TritonProcess.launch(options);
    try {
      await server.ready(abort);
      return server;
    } catch (error) {
      await server.kill();
      throw error;
    }
  }

  /**
   * Starts the process without waiting until it serves.
   * @throws {DemoError} `missing`.
   */
  static async launch(options: TritonOptions): Promise<TritonProcess> {
    const folder = serverFolder();
    if (folder === undefined) throw new DemoError('missing', tritonMissing() ?? '');
    const ports = options.ports ?? (await freeTritonPorts());
    const server = path.join(folder, 'bin/tritonserver');
    const pinned = options.processor === undefined ? [server] : ['taskset', '--cpu-list', String(options.processor), server];
    const [command = '', ...before] = pinned;
    const sharedMemoryPrefix = `triton-${ports.grpc}-`;
    const child = new ChildOwner({
      name: 'Triton',
      command,
      arguments: [...before, ...serverArguments(folder, options, ports, sharedMemoryPrefix)],
      environment: serverEnvironment(),
      stopTimeoutMs: STOP_TIMEOUT_MS,
      sharedMemoryPrefix,
    });
    return new TritonProcess(ports, child);
  }

  get endpoint(): string {
    return `127.0.0.1:${this.ports.grpc}`;
  }

  get pid(): number {
    return this.#child.pid;
  }

  get hasEnded(): boolean {
    return this.#child.hasEnded;
  }

  log(): string {
    return this.#child.log();
  }

  /**
   * Resolves once the server answers that it is ready, and shows its metrics, which it begins to serve last.
   * @throws {DemoError} with the end of its log.
   */
  ready(abort?: AbortSignal): Promise<void> {
    return this.#child.untilTrue(() => this.#answers(), READY_TIMEOUT_MS, abort);
  }

  async #answers(): Promise<boolean> {
    return (await answersOk(this.ports.http, '/v2/health/ready')) && (await answersOk(this.ports.metrics, '/metrics'));
  }

  /** @throws {DemoError} when it has ended by itself. */
  mustRun(): void {
    this.#child.mustRun();
  }

  /** Value of a metric of one model, for instance `nv_inference_pending_request_count`. */
  async metric(name: string, model: string): Promise<number> {
    const response = await fetch(`http://127.0.0.1:${this.ports.metrics}/metrics`);
    const line = (await response.text()).split('\n').find((text) => text.startsWith(`${name}{`) && text.includes(`model="${model}"`));
    if (line === undefined) throw new Error(`no metric ${name} of ${model}`);
    return Number(line.slice(line.lastIndexOf(' ')));
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.signal(signal);
  }

  /** SIGTERM: running work ends, then the process. */
  stop(): Promise<void> {
    return this.#child.stop();
  }

  /** SIGKILL, to the processes of its models too. */
  kill(): Promise<void> {
    return this.#child.kill();
  }
}

/** Three ports that are free now. */
export async function freeTritonPorts(): Promise<TritonPorts> {
  const [grpc, http, metrics] = await freePorts(3);
  if (grpc === undefined || http === undefined || metrics === undefined) throw new Error('fewer than three ports');
  return { grpc, http, metrics };
}

function serverArguments(folder: string, options: TritonOptions, ports: TritonPorts, sharedMemoryPrefix: string): readonly string[] {
  return [
    `--model-repository=${options.repository}`,
    `--backend-directory=${path.join(folder, 'backends')}`,
    '--model-control-mode=explicit',
    '--load-model=*',
    '--disable-auto-complete-config',
    '--grpc-address=127.0.0.1',
    `--grpc-port=${ports.grpc}`,
    '--http-address=127.0.0.1',
    `--http-port=${ports.http}`,
    '--metrics-address=127.0.0.1',
    `--metrics-port=${ports.metrics}`,
    '--allow-gpu-metrics=false',
    '--backend-config=python,shm-default-byte-size=1048576',
    `--backend-config=python,shm-region-prefix-name=${sharedMemoryPrefix}`,
    '--exit-timeout-secs=5',
    ...(options.extraArguments ?? []),
  ];
}

function serverFolder(): string | undefined {
  const libraries = path.join(TRITON_FOLDER, 'venv/lib');
  const python = existsSync(libraries) ? readdirSync(libraries).find((name) => name.startsWith('python3.')) : undefined;
  if (python === undefined) return undefined;
  const folder = path.join(libraries, python, 'site-packages/pytriton/tritonserver');
  return existsSync(path.join(folder, 'bin/tritonserver')) ? folder : undefined;
}

/** The stub takes its Python from PATH; the libraries of a sourced ROS would lead it astray. */
function serverEnvironment(): NodeJS.ProcessEnv {
  const { PYTHONHOME: _home, PYTHONPATH: _path, LD_LIBRARY_PATH: _libraries, ...kept } = process.env;
  return {
    ...kept,
    PATH: `${path.join(TRITON_FOLDER, 'venv/bin')}:${process.env['PATH'] ?? ''}`,
    OMP_NUM_THREADS: '1',
    OPENBLAS_NUM_THREADS: '1',
    PYTHONDONTWRITEBYTECODE: '1',
    ORT_DISABLE_TELEMETRY: '1', // onnxruntime would send how it is used, and leave a file in the folder for temporary files
  };
}

function answersOk(port: number, resource: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({ host: '127.0.0.1', port, path: resource, agent: false, timeout: 2000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(false));
  });
}
