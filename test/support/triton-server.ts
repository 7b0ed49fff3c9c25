/** A real Triton for tests and benchmarks, with a repository that the test wrote. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freeTritonPorts, type TritonPorts, TritonProcess } from '../../src/demo/triton-process.js';

export type { TritonPorts };

/** A model of the Python backend: the body of `config.pbtxt` (name and backend are added) and of `model.py`. */
export interface PythonModel {
  readonly name: string;
  readonly config: string;
  readonly python: string;
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
  for (const model of models) writeModel(repository, model);
  return repository;
}

function writeModel(repository: string, { name, config, python }: PythonModel): void {
  mkdirSync(join(repository, name, '1'), { recursive: true });
  writeFileSync(join(repository, name, 'config.pbtxt'), `name: "${name}"\nbackend: "python"\n${config}`);
  writeFileSync(join(repository, name, '1', 'model.py'), python);
}

/** Three ports that are free now. */
export const freePorts = freeTritonPorts;

export class TritonServer {
  readonly #process: TritonProcess;
  readonly #folder: string;

  private constructor(process: TritonProcess, folder: string) {
    this.#process = process;
    this.#folder = folder;
  }

  /** @throws {Error} with the end of the server's log when it is not ready in time. */
  static async start(options: TritonOptions): Promise<TritonServer> {
    const server = await TritonServer.launch(options);
    try {
      await server.ready();
    } catch (error) {
      await server.kill();
      throw error;
    }
    return server;
  }

  /** Starts the process without waiting until it serves. */
  static async launch({ models, ...options }: TritonOptions): Promise<TritonServer> {
    const repository = writeRepository(models);
    return new TritonServer(await TritonProcess.launch({ ...options, repository }), repository);
  }

  get ports(): TritonPorts {
    return this.#process.ports;
  }

  get endpoint(): string {
    return this.#process.endpoint;
  }

  get pid(): number {
    return this.#process.pid;
  }

  get ended(): boolean {
    return this.#process.hasEnded;
  }

  /** What the server wrote last. */
  log(): string {
    return this.#process.log();
  }

  /** Resolves once the server answers that it is ready. */
  ready(): Promise<void> {
    return this.#process.ready();
  }

  /** Value of a metric of one model, for instance `nv_inference_pending_request_count`. */
  metric(name: string, model: string): Promise<number> {
    return this.#process.metric(name, model);
  }

  /** Loads one more model while the server runs. */
  async load(model: PythonModel): Promise<void> {
    writeModel(this.#folder, model);
    const response = await fetch(`http://127.0.0.1:${this.ports.http}/v2/repository/models/${model.name}/load`, { method: 'POST' });
    if (!response.ok) throw new Error(`Triton did not load ${model.name}: ${await response.text()}`);
  }

  signal(signal: NodeJS.Signals): void {
    this.#process.signal(signal);
  }

  /** SIGTERM: running work ends, then the process. */
  async stop(): Promise<void> {
    await this.#process.stop();
    this.#removeFolder();
  }

  /** SIGKILL, to the processes of its models too. */
  async kill(): Promise<void> {
    await this.#process.kill();
    this.#removeFolder();
  }

  #removeFolder(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
