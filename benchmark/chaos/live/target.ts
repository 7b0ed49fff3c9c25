/** What both servers have in common: faults of a process, of its models, and of the way to it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Death, monotonicUs } from './executions.js';
import { isReady, load, unload } from './model-control.js';
import type { Fault } from './plan.js';
import type { TcpProxy } from './tcp-proxy.js';
import { MODEL_NAMES } from './world.js';

const LOOK_MS = 10;
const RECOVERY_MS = 60_000;

/** A server process that can be replaced by another one on the same ports. */
export interface ServerPorts {
  readonly endpoint: string;
  signal(signal: NodeJS.Signals): void;
  /** SIGKILL; resolves when it has ended. */
  kill(): Promise<void>;
  /** Another one in the place of the one that was killed; resolves when it serves. */
  startAgain(): Promise<void>;
  hang(model: string, forMs: number): Promise<void>;
  /** @returns the number of the process that was killed, where the model has one of its own */
  crash(model: string): Promise<number | undefined>;
  /** A fault that only this server knows; resolves when it is over. */
  strike(fault: Fault): Promise<void>;
  /** Ends what it was told to do wrong. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

export class ProcessTarget {
  readonly log: string;
  readonly deaths: Death[] = [];
  readonly #ports: ServerPorts;
  readonly #proxy: TcpProxy;
  /** Kills and starts, one after the other. */
  #replacing: Promise<void> = Promise.resolve();

  constructor(ports: ServerPorts, proxy: TcpProxy, log: string) {
    this.#ports = ports;
    this.#proxy = proxy;
    this.log = log;
  }

  get endpoint(): string {
    return this.#ports.endpoint;
  }

  get cuttableEndpoint(): string {
    return this.#proxy.endpoint;
  }

  async strike(fault: Fault): Promise<void> {
    try {
      await this.#strike(fault);
    } catch {
      // Another fault was there first: what is down can neither be loaded nor commanded.
    }
  }

  async recover(): Promise<void> {
    const endMs = performance.now() + RECOVERY_MS;
    await this.#replacing;
    this.#ports.signal('SIGCONT');
    for (;;) {
      try {
        await this.#ports.clear();
        const ready = await Promise.all(MODEL_NAMES.map((model) => isReady(this.endpoint, model)));
        if (ready.every(Boolean)) return;
        // Only what is missing: to load a model that is there would be one more fault.
        for (const [index, model] of MODEL_NAMES.entries()) if (ready[index] === false) await load(this.endpoint, model);
      } catch (error) {
        if (performance.now() > endMs) throw error;
      }
      await sleep(LOOK_MS);
    }
  }

  async close(): Promise<void> {
    await this.#replacing;
    this.#ports.signal('SIGCONT');
    await this.#proxy.close();
    await this.#ports.close();
  }

  async #strike(fault: Fault): Promise<void> {
    const ports = this.#ports;
    switch (fault.kind) {
      case 'kill':
        this.#replacing = this.#replacing.then(() => this.#replace(fault.downMs));
        await this.#replacing;
        break;
      case 'freeze':
        ports.signal('SIGSTOP');
        await sleep(fault.forMs);
        ports.signal('SIGCONT');
        break;
      case 'hang':
        await ports.hang(fault.model, fault.forMs);
        break;
      case 'reload':
        await this.#reload(fault.model, fault.gapMs);
        break;
      case 'crash': {
        const pid = await ports.crash(fault.model);
        if (pid !== undefined) this.deaths.push({ atUs: monotonicUs(), pid });
        await sleep(fault.gapMs);
        await this.#reload(fault.model, 0);
        break;
      }
      case 'cut':
        this.#proxy.reset();
        break;
      default:
        await ports.strike(fault);
    }
  }

  async #replace(downMs: number): Promise<void> {
    await this.#ports.kill();
    this.deaths.push({ atUs: monotonicUs() });
    await sleep(downMs);
    await this.#ports.startAgain();
  }

  async #reload(model: string, gapMs: number): Promise<void> {
    await unload(this.endpoint, model);
    await sleep(gapMs);
    await load(this.endpoint, model);
  }
}
