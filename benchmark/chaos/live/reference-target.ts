import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { command, control } from '../../../test/support/faults.js';
import { ReferenceProcess } from '../../../test/support/reference-server.js';
import type { Fault } from './plan.js';
import { ProcessTarget, type ServerPorts } from './target.js';
import { TcpProxy } from './tcp-proxy.js';
import { REFERENCE_MODELS } from './world.js';

/** `vig serve-reference`; its faults on command are used beside what can be done to any process. */
class ReferencePorts implements ServerPorts {
  readonly #log: string;
  #process: ReferenceProcess;

  private constructor(process: ReferenceProcess, log: string) {
    this.#process = process;
    this.#log = log;
  }

  static async start(log: string): Promise<ReferencePorts> {
    return new ReferencePorts(await ReferenceProcess.start(REFERENCE_MODELS, { executions: log }), log);
  }

  get endpoint(): string {
    return this.#process.endpoint;
  }

  get port(): number {
    return this.#process.port;
  }

  signal(signal: NodeJS.Signals): void {
    this.#process.signal(signal);
  }

  kill(): Promise<void> {
    return this.#process.kill();
  }

  async startAgain(): Promise<void> {
    const { port, metricsPort } = this.#process;
    this.#process = await ReferenceProcess.start(REFERENCE_MODELS, { port, metricsPort, executions: this.#log });
  }

  hang(model: string, forMs: number): Promise<void> {
    return this.#for(forMs, { fault: 'hang', model, count: 1 });
  }

  async crash(model: string): Promise<undefined> {
    await this.#command({ fault: 'crash', model });
  }

  async strike(fault: Fault): Promise<void> {
    switch (fault.kind) {
      case 'restart':
        await this.#command({ fault: 'restart', down_ms: fault.downMs });
        break;
      case 'go_away':
        await this.#command({ fault: 'go_away' });
        break;
      case 'disconnect':
        await this.#command({ fault: 'disconnect', count: fault.count });
        break;
      case 'refuse':
        await this.#command({
          fault: 'error',
          at: 'arrival',
          code: 'UNAVAILABLE',
          details: 'Exceeds maximum queue size',
          count: fault.count,
        });
        break;
      case 'give_up':
        await this.#command({ fault: 'error', at: 'answer', code: 'UNAVAILABLE', details: 'upstream gone', count: fault.count });
        break;
      case 'not_ready':
        await this.#for(fault.forMs, { fault: 'readiness', ready: false });
        break;
      case 'still_counters':
        await this.#for(fault.forMs, { fault: 'counters' });
        break;
      default:
        throw new Error(`the reference server knows no fault "${fault.kind}"`);
    }
  }

  async clear(): Promise<void> {
    await control(this.#process.metricsPort, 'DELETE', '/faults');
  }

  async close(): Promise<void> {
    await this.clear();
    await this.#process.stop();
  }

  #command(fault: Readonly<Record<string, unknown>>): Promise<number | undefined> {
    return command(this.#process.metricsPort, fault);
  }

  async #for(ms: number, fault: Readonly<Record<string, unknown>>): Promise<void> {
    const id = await this.#command(fault);
    await sleep(ms);
    await control(this.#process.metricsPort, 'DELETE', `/faults/${id}`);
  }
}

export const ReferenceTarget = {
  /** @param folder for what it writes */
  async start(folder: string): Promise<ProcessTarget> {
    const log = join(folder, 'executions');
    const ports = await ReferencePorts.start(log);
    return new ProcessTarget(ports, await TcpProxy.listen(ports.port), log);
  },
};
