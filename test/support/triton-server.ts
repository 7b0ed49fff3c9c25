/** A real Triton for tests and benchmarks: started on free loopback ports with a repository that the test wrote, ended for certain. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../.vig/triton', import.meta.url));
const READY_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 10_000;

/** A model of the Python backend: the body of `config.pbtxt` (name and backend are added) and of `model.py`. */
export interface PythonModel {
  readonly name: string;
  readonly config: string;
  readonly python: string;
}

export interface TritonPorts {
  readonly grpc: number;
  readonly http: number;
  readonly metrics: number;
}

export interface TritonOptions {
  readonly models: readonly PythonModel[];
  /** The ports of a server that has ended, to restart it in its place. */
  readonly ports?: TritonPorts;
  /** More options for the server's command line. */
  readonly extraArguments?: readonly string[];
}

/** A new folder with the models in Triton's layout. The caller removes it. */
function writeRepository(models: readonly PythonModel[]): string {
  const repository = mkdtempSync(join(tmpdir(), 'vig-models-'));
  for (const model of models) {
    mkdirSync(join(repository, model.name, '1'), { recursive: true });
    writeFileSync(join(repository, model.name, 'config.pbtxt'), `name: "${model.name}"\nbackend: "python"\n${model.config}`);
    writeFileSync(join(repository, model.name, '1', 'model.py'), model.python);
  }
  return repository;
}

/** Three ports that are free now. */
export async function freePorts(): Promise<TritonPorts> {
  const servers = [createServer(), createServer(), createServer()];
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve, reject) => {
          server.once('error', reject);
          server.listen(0, '127.0.0.1', () => {
            const address = server.address();
            if (address === null || typeof address === 'string') reject(new Error('no port'));
            else resolve(address.port);
          });
        }),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  const [grpc, http, metrics] = ports;
  if (grpc === undefined || http === undefined || metrics === undefined) throw new Error('fewer than three ports');
  return { grpc, http, metrics };
}

/** Servers that run, so that none outlives the process. */
const running = new Set<TritonServer>();
process.on('exit', () => {
  for (const server of running) server.killNow();
});

export class TritonServer {
  readonly ports: TritonPorts;
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #exited: Promise<void>;

  private constructor(ports: TritonPorts, child: ChildProcess, folder: string) {
    this.ports = ports;
    this.#child = child;
    this.#folder = folder;
    this.#exited = new Promise((resolve) => child.once('exit', () => resolve()));
    running.add(this);
  }

  /** @throws {Error} with the end of the server's log when it is not ready in time. */
  static async start(options: TritonOptions): Promise<TritonServer> {
    const server = await TritonServer.launch(options);
    try {
      await server.ready();
    } catch (error) {
      const log = server.log();
      await server.kill();
      throw new Error(`Triton did not start: ${String(error)}\n${log.slice(-4000)}`);
    }
    return server;
  }

  /** Starts the process without waiting until it serves. */
  static async launch(options: TritonOptions): Promise<TritonServer> {
    const ports = options.ports ?? (await freePorts());
    const folder = writeRepository(options.models);
    const triton = tritonFolder();
    const log = openSync(join(folder, 'server.log'), 'a');
    const child = spawn(
      join(triton, 'bin/tritonserver'),
      [
        `--model-repository=${folder}`,
        `--backend-directory=${join(triton, 'backends')}`,
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
        `--backend-config=python,shm-region-prefix-name=triton-${ports.grpc}-`,
        '--exit-timeout-secs=5',
        ...(options.extraArguments ?? []),
      ],
      { env: serverEnvironment(), stdio: ['ignore', log, log], detached: true },
    );
    closeSync(log);
    return new TritonServer(ports, child, folder);
  }

  get endpoint(): string {
    return `127.0.0.1:${this.ports.grpc}`;
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error('Triton has no process');
    return this.#child.pid;
  }

  get ended(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  log(): string {
    return readFileSync(join(this.#folder, 'server.log'), 'utf8');
  }

  /** Resolves once the server answers that it is ready. */
  async ready(): Promise<void> {
    const end = performance.now() + READY_TIMEOUT_MS;
    while (performance.now() < end) {
      if (this.ended) throw new Error('the process has ended');
      if (await answersOk(this.ports.http)) return;
      await sleep(50);
    }
    throw new Error(`not ready within ${READY_TIMEOUT_MS} ms`);
  }

  /** Value of a metric of one model, for instance `nv_inference_pending_request_count`. */
  async metric(name: string, model: string): Promise<number> {
    const response = await fetch(`http://127.0.0.1:${this.ports.metrics}/metrics`);
    const line = (await response.text()).split('\n').find((text) => text.startsWith(`${name}{`) && text.includes(`model="${model}"`));
    if (line === undefined) throw new Error(`no metric ${name} of ${model}`);
    return Number(line.slice(line.lastIndexOf(' ')));
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** SIGTERM: running work ends, then the process. */
  async stop(): Promise<void> {
    this.signal('SIGTERM');
    const timeout = new AbortController();
    await Promise.race([this.#exited, sleep(STOP_TIMEOUT_MS, undefined, { signal: timeout.signal }).catch(() => undefined)]);
    timeout.abort();
    await this.kill();
  }

  /** SIGKILL, to the processes of its models too. */
  async kill(): Promise<void> {
    this.killNow();
    await this.#exited;
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Sends SIGKILL and does not wait. */
  killNow(): void {
    running.delete(this);
    try {
      process.kill(-this.pid, 'SIGKILL');
    } catch {
      // the whole group has ended
    }
    for (const file of readdirSync('/dev/shm')) {
      if (file.startsWith(`triton-${this.ports.grpc}-`)) rmSync(join('/dev/shm', file), { force: true });
    }
  }
}

function tritonFolder(): string {
  const libraries = join(ROOT, 'venv/lib');
  const python = existsSync(libraries) ? readdirSync(libraries).find((name) => name.startsWith('python3.')) : undefined;
  if (python === undefined) throw new Error('Triton is not installed: run `npm run setup`');
  return join(libraries, python, 'site-packages/pytriton/tritonserver');
}

/** The stub takes its Python from PATH; the libraries of a sourced ROS would lead it astray. */
function serverEnvironment(): NodeJS.ProcessEnv {
  const { PYTHONHOME: _home, PYTHONPATH: _path, LD_LIBRARY_PATH: _libraries, ...kept } = process.env;
  return {
    ...kept,
    PATH: `${join(ROOT, 'venv/bin')}:${process.env['PATH'] ?? ''}`,
    OMP_NUM_THREADS: '1',
    OPENBLAS_NUM_THREADS: '1',
    PYTHONDONTWRITEBYTECODE: '1',
  };
}

function answersOk(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({ host: '127.0.0.1', port, path: '/v2/health/ready', agent: false, timeout: 2000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(false));
  });
}
