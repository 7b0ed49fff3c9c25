/** What a server lets us know about the calls whose end it did not tell: counters of its models, and whether it is the same process. */
import { status } from '@grpc/grpc-js';
import type { Logger } from 'pino';
import type { Micros } from '../core/units.js';
import type { EvidenceListener } from '../service/inference-server.js';
import { BootWitness } from './boot-witness.js';
import { completedCount } from './completed-count.js';
import type { Connection } from './connection.js';
import type { SharedMemory } from './shared-memory.js';
import { StatisticsPoller } from './statistics-poller.js';
import { statusOf, TritonError } from './triton-error.js';

const STATISTICS_TIMEOUT_MS = 2000;

export interface EvidenceOptions {
  /** Names at the server. */
  readonly models: Iterable<string>;
  readonly listener: Pick<EvidenceListener, 'counter' | 'witness'>;
  /** Core time. */
  readonly now: () => Micros;
  readonly log: Logger;
}

interface Counter {
  readonly poller: StatisticsPoller;
  /** The last one told. */
  completed: number;
}

export class Evidence {
  readonly #options: EvidenceOptions;
  readonly #counters: ReadonlyMap<string, Counter>;
  #witness: BootWitness | undefined;
  #connection: Connection | undefined;
  #saidNoCounts = false;

  constructor(options: EvidenceOptions) {
    this.#options = options;
    this.#counters = new Map([...options.models].map((model) => [model, this.#counter(model)]));
  }

  /** The server may be able to map what this process makes. Call it before the first connection. */
  useMemory(memory: SharedMemory): void {
    const { listener, now, log } = this.#options;
    this.#witness = new BootWitness({ memory, now, log, tell: (present, polledUs) => listener.witness(present, polledUs) });
  }

  /**
   * Finds out whether a new connection leads to the same process.
   * @throws {TritonError} `not_connected` or `no_answer`, when that was not found out; `another_process`, when it does not, and the one
   *   before still runs
   */
  async meet(connection: Connection): Promise<void> {
    await this.#witness?.check(connection);
  }

  /** The same; after that counters are asked for over it. @throws {TritonError} as `meet` does */
  async begin(connection: Connection): Promise<void> {
    await this.meet(connection);
    if (connection.state !== 'ready') return;
    this.#connection = connection;
    for (const [model, { poller }] of this.#counters) poller.start(() => this.#ask(connection, model));
  }

  /** Nothing is asked until a connection begins. */
  pause(): void {
    this.#connection = undefined;
    for (const { poller } of this.#counters.values()) poller.stop();
  }

  poll(model: string, everyUs: Micros): void {
    this.#counters.get(model)?.poller.poll(everyUs);
  }

  /** A call was sent that only a report asked for after it can place in the process behind the connection. */
  sentUnwitnessed(model: string): void {
    this.#counters.get(model)?.poller.hurry();
  }

  /** Asks for the counter of a model now. @returns once it is told, or cannot be had */
  async report(model: string): Promise<void> {
    await this.#counters.get(model)?.poller.report();
  }

  /** A call that is sent over this connection now goes to the process that holds our boot witness. */
  isWitnessed(connection: Connection): boolean {
    return this.#witness?.isConfirmedOn(connection) ?? false;
  }

  async close(connection: Connection | undefined): Promise<void> {
    this.pause();
    await this.#witness?.close(connection);
  }

  #counter(model: string): Counter {
    const { listener, now } = this.#options;
    const counted = (completed: number, polledUs: Micros): void => {
      const fell = completed < counter.completed;
      counter.completed = completed;
      listener.counter(model, completed, polledUs);
      if (fell) this.#checkWitness();
    };
    const counter: Counter = { poller: new StatisticsPoller({ now, counted }), completed: 0 };
    return counter;
  }

  /** A restart, or a model was loaded anew. When it cannot be asked the connection is lost, and the next one begins with it. */
  #checkWitness(): void {
    if (this.#connection !== undefined) this.#witness?.check(this.#connection).catch(() => undefined);
  }

  async #ask(connection: Connection, name: string): Promise<number | undefined> {
    try {
      return completedCount(name, await connection.control((service) => service.ModelStatistics, { name }, STATISTICS_TIMEOUT_MS));
    } catch (error) {
      // A model that is not loaded has no statistics; a connection that is lost, and a server that is silent, are told elsewhere.
      if (error instanceof TritonError && (error.code === 'invalid_metadata' || statusOf(error) === status.UNIMPLEMENTED)) {
        this.#sayNoCounts(name, error.message);
      }
      return undefined;
    }
  }

  #sayNoCounts(model: string, reason: string): void {
    if (this.#saidNoCounts) return;
    this.#saidNoCounts = true;
    const text = 'this server does not count executions: a call of unknown fate keeps its credit until the server restarts';
    this.#options.log.warn({ model, reason }, text);
  }
}
