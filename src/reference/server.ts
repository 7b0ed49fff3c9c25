import { setTimeout as sleep } from 'node:timers/promises';
import { control } from './control.js';
import { ControlServer } from './control-server.js';
import type { Happening } from './fault.js';
import { Faults } from './faults.js';
import { HOST, Incarnation, type IncarnationOptions } from './incarnation.js';
import { metricsPage } from './metrics-page.js';

export interface ReferenceServerOptions extends IncarnationOptions {
  /** Of the metrics page and the commands; 0 = any free one. */
  readonly metricsPort: number;
}

/** A port that cannot be had. */
class PortError extends Error {
  override readonly name = 'PortError';
  readonly code = 'port';
}

/** A KServe v2 server on loopback whose models only take time. One owner ends it, by `drain` or `close`. */
export class ReferenceServer {
  readonly port: number;
  readonly #options: ReferenceServerOptions;
  readonly #faults: Faults;
  #incarnation: Incarnation;
  #control: ControlServer | undefined;
  /** One restart at a time. */
  #restart: Promise<void> = Promise.resolve();
  readonly #ended = new AbortController();

  private constructor(options: ReferenceServerOptions, faults: Faults, incarnation: Incarnation) {
    this.port = incarnation.connections.port;
    this.#options = { ...options, port: this.port };
    this.#faults = faults;
    this.#incarnation = incarnation;
  }

  /** @throws {PortError} when a port is taken. */
  static async start(options: ReferenceServerOptions): Promise<ReferenceServer> {
    const faults = new Faults();
    const incarnation = await orPortError(Incarnation.begin(options, faults), 'port', options.port, '--port');
    const server = new ReferenceServer(options, faults, incarnation);
    try {
      server.#control = await orPortError(server.#listenForControl(), 'metrics port', options.metricsPort, '--metrics-port');
      return server;
    } catch (error) {
      await server.close();
      throw error;
    }
  }

  get metricsPort(): number {
    return this.#control?.port ?? 0;
  }

  /** Refuses new calls, lets what was accepted run to its end (30 s at most), then closes. */
  async drain(): Promise<void> {
    this.#ended.abort();
    await this.#restart;
    await this.#incarnation.drain();
    await this.#control?.close();
  }

  /** Ends everything now; calls that are open end UNAVAILABLE. */
  async close(): Promise<void> {
    this.#ended.abort();
    await this.#restart;
    await this.#incarnation.close();
    await this.#control?.close();
  }

  #listenForControl(): Promise<ControlServer> {
    const controlled = {
      metrics: metricsPage(() => this.#incarnation.models),
      faults: this.#faults,
      models: () => this.#incarnation.models,
      happen: (happening: Happening) => this.#happen(happening),
    };
    return ControlServer.listen(HOST, this.#options.metricsPort, (request) => control(controlled, request));
  }

  async #happen(happening: Happening): Promise<void> {
    switch (happening.fault) {
      case 'restart': {
        const restart = this.#restart.then(() => this.#startAgain(happening.down_ms));
        this.#restart = restart.catch(() => undefined); // the one who asked is told
        return restart;
      }
      case 'crash':
        return this.#incarnation.models.named(happening.model)?.runner?.crash();
      case 'reset':
        return this.#incarnation.connections.reset();
      case 'go_away':
        return this.#incarnation.connections.goAway();
    }
  }

  async #startAgain(downMs: number): Promise<void> {
    if (this.#ended.signal.aborted) return;
    await this.#incarnation.kill();
    await sleep(downMs, undefined, { signal: this.#ended.signal }).catch(() => undefined);
    if (!this.#ended.signal.aborted) this.#incarnation = await Incarnation.begin(this.#options, this.#faults);
  }
}

async function orPortError<T>(listening: Promise<T>, what: string, port: number, option: string): Promise<T> {
  try {
    return await listening;
  } catch (cause) {
    throw new PortError(`${what} ${port} on ${HOST} cannot be had; choose another with ${option}, or 0 for any free one`, { cause });
  }
}
