import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processOfModel } from '../../../test/support/model-process.js';
import { type PythonModel, type TritonPorts, TritonServer } from '../../../test/support/triton-server.js';
import type { Fault } from './plan.js';
import { ProcessTarget, type ServerPorts } from './target.js';
import { TcpProxy } from './tcp-proxy.js';
import { hangFile, type ModelName, tritonModels } from './world.js';

/** A real Triton, with models that write down when they begin and end. */
class TritonTargetPorts implements ServerPorts {
  readonly #log: string;
  readonly #models: readonly PythonModel[];
  #server: TritonServer;

  private constructor(server: TritonServer, models: readonly PythonModel[], log: string) {
    this.#server = server;
    this.#models = models;
    this.#log = log;
  }

  static async start(log: string): Promise<TritonTargetPorts> {
    const models = tritonModels(log);
    return new TritonTargetPorts(await TritonServer.start({ models }), models, log);
  }

  get endpoint(): string {
    return this.#server.endpoint;
  }

  get ports(): TritonPorts {
    return this.#server.ports;
  }

  signal(signal: NodeJS.Signals): void {
    this.#server.signal(signal);
  }

  kill(): Promise<void> {
    return this.#server.kill();
  }

  async startAgain(): Promise<void> {
    this.#server = await TritonServer.start({ models: this.#models, ports: this.#server.ports });
  }

  async hang(model: ModelName, forMs: number): Promise<void> {
    writeFileSync(hangFile(this.#log, model), String(forMs));
    await sleep(forMs);
  }

  async crash(model: string): Promise<number> {
    const pid = processOfModel(this.#server.pid, model);
    process.kill(pid, 'SIGKILL');
    return pid;
  }

  async strike({ kind }: Fault): Promise<void> {
    throw new Error(`Triton has no fault "${kind}" on command`);
  }

  async clear(): Promise<void> {}

  close(): Promise<void> {
    return this.#server.stop();
  }
}

export const TritonTarget = {
  /** @param folder for what it writes */
  async start(folder: string): Promise<ProcessTarget> {
    const log = join(folder, 'executions');
    const ports = await TritonTargetPorts.start(log);
    return new ProcessTarget(ports, await TcpProxy.listen(ports.ports.grpc), log);
  },
};
