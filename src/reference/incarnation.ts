import { Server, ServerCredentials } from '@grpc/grpc-js';
import { loadProtocol } from '../triton/protocol.js';
import { Connections } from './connections.js';
import { descriptionService } from './description-service.js';
import type { ExecutionLog } from './execution-log.js';
import type { Faults } from './faults.js';
import { inferenceService } from './inference-service.js';
import { memoryService } from './memory-service.js';
import { modelControlService } from './model-control-service.js';
import type { ModelDescription } from './model-description.js';
import { Models } from './models.js';
import { MAX_MESSAGE_BYTES } from './request.js';
import { SharedMemory } from './shared-memory.js';
import { within } from './within.js';

export const HOST = '127.0.0.1';
const MAX_CONCURRENT_CALLS = 1024; // of one connection
const DRAIN_LIMIT_MS = 30_000;
const CLOSE_LIMIT_MS = 500;

export interface IncarnationOptions {
  readonly models: readonly ModelDescription[];
  /** 0 = any free one. */
  readonly port: number;
  /** What the server's metadata say. */
  readonly version: string;
  /** Told of what runs. */
  readonly executions?: ExecutionLog | undefined;
}

/** What a restart loses: the port's connections, the models with their counters and their work, the shared-memory registrations. */
export class Incarnation {
  readonly models: Models;
  readonly connections: Connections;
  readonly #grpc: Server;
  readonly #memory: SharedMemory;

  private constructor(connections: Connections, grpc: Server, models: Models, memory: SharedMemory) {
    this.connections = connections;
    this.models = models;
    this.#grpc = grpc;
    this.#memory = memory;
  }

  /** @throws {Error} of the operating system when the port cannot be had. */
  static async begin({ models: descriptions, port, version, executions }: IncarnationOptions, faults: Faults): Promise<Incarnation> {
    const loadMs = (model: string) => faults.loadMs(model);
    const models = new Models(descriptions, loadMs);
    const memory = new SharedMemory();
    const grpc = new Server({
      'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
      'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
      'grpc.max_concurrent_streams': MAX_CONCURRENT_CALLS,
    });
    const injector = grpc.createConnectionInjector(ServerCredentials.createInsecure());
    const connections = await Connections.listen(HOST, port, (socket) => injector.injectConnection(socket));
    grpc.addService(loadProtocol().service, {
      ...descriptionService(models, faults, version),
      ...modelControlService(models, loadMs),
      ...inferenceService({ models, memory, faults, connections, executions }),
      ...memoryService(memory),
    });
    return new Incarnation(connections, grpc, models, memory);
  }

  /** Refuses new calls, lets what was accepted run to its end (30 s at most), then closes. */
  async drain(): Promise<void> {
    this.models.exit();
    await within(DRAIN_LIMIT_MS, this.models.idle());
    await this.close();
  }

  /** Ends everything now; calls that are open end UNAVAILABLE. */
  async close(): Promise<void> {
    this.models.exit();
    this.models.abandon();
    await within(CLOSE_LIMIT_MS, new Promise<void>((resolve) => this.#grpc.tryShutdown(() => resolve())));
    await this.#end();
  }

  /** As SIGKILL ends a process: nobody is told, the operating system hangs up. */
  async kill(): Promise<void> {
    const gone = this.connections.close();
    this.models.exit();
    this.models.abandon();
    await gone;
    await this.#end();
  }

  async #end(): Promise<void> {
    await this.connections.close(); // streams that their clients keep open, calls that hang
    this.#grpc.forceShutdown();
    this.#memory.close();
  }
}
