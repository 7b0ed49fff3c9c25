import { setTimeout as sleep } from 'node:timers/promises';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { MetricsServer } from '../telemetry/metrics-server.js';
import { loadProtocol } from '../triton/protocol.js';
import { descriptionService } from './description-service.js';
import { inferenceService } from './inference-service.js';
import { memoryService } from './memory-service.js';
import { metricsPage } from './metrics-page.js';
import type { ModelDescription } from './model-description.js';
import { Models } from './models.js';
import { MAX_MESSAGE_BYTES } from './request.js';
import { SharedMemory } from './shared-memory.js';

const HOST = '127.0.0.1';
const MAX_CONCURRENT_CALLS = 1024; // of one connection
const DRAIN_LIMIT_MS = 30_000;
const CLOSE_LIMIT_MS = 500;

export interface ReferenceServerOptions {
  readonly models: readonly ModelDescription[];
  /** 0 = any free one. */
  readonly port: number;
  readonly metricsPort: number;
  /** What the server's metadata say. */
  readonly version: string;
}

/** A port that cannot be had. */
class PortError extends Error {
  override readonly name = 'PortError';
  readonly code = 'port';
}

/** A KServe v2 server on loopback whose models only take time. One owner ends it, by `drain` or `close`. */
export class ReferenceServer {
  readonly port: number;
  readonly metricsPort: number;
  readonly #grpc: Server;
  readonly #metrics: MetricsServer;
  readonly #models: Models;
  readonly #memory: SharedMemory;

  private constructor(port: number, grpc: Server, metrics: MetricsServer, models: Models, memory: SharedMemory) {
    this.port = port;
    this.metricsPort = metrics.port;
    this.#grpc = grpc;
    this.#metrics = metrics;
    this.#models = models;
    this.#memory = memory;
  }

  /** @throws {PortError} when a port is taken. */
  static async start(options: ReferenceServerOptions): Promise<ReferenceServer> {
    const models = new Models(options.models);
    const memory = new SharedMemory();
    const metrics = await listenForMetrics(models, options.metricsPort);
    const grpc = new Server({
      'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
      'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
      'grpc.max_concurrent_streams': MAX_CONCURRENT_CALLS,
    });
    // Loading and unloading are not served: those calls end UNIMPLEMENTED.
    grpc.addService(loadProtocol().service, {
      ...descriptionService(models, options.version),
      ...inferenceService(models, memory),
      ...memoryService(memory),
    });
    try {
      const port = await bind(grpc, options.port);
      return new ReferenceServer(port, grpc, metrics, models, memory);
    } catch (error) {
      await metrics.close();
      throw error;
    }
  }

  /** Refuses new calls, lets what was accepted run to its end (30 s at most), then closes. */
  async drain(): Promise<void> {
    this.#models.exit();
    await within(DRAIN_LIMIT_MS, Promise.all(this.#models.list().map((runner) => runner.idle())));
    await this.close();
  }

  /** Ends everything now; calls that are open end UNAVAILABLE. */
  async close(): Promise<void> {
    this.#models.exit();
    for (const runner of this.#models.list()) runner.abandon();
    await within(CLOSE_LIMIT_MS, new Promise<void>((resolve) => this.#grpc.tryShutdown(() => resolve())));
    this.#grpc.forceShutdown(); // streams that their clients keep open
    await this.#metrics.close();
    this.#memory.close();
  }
}

async function within(limitMs: number, work: Promise<unknown>): Promise<void> {
  const limit = new AbortController();
  await Promise.race([work, sleep(limitMs, undefined, { signal: limit.signal }).catch(() => undefined)]);
  limit.abort();
}

async function listenForMetrics(models: Models, port: number): Promise<MetricsServer> {
  try {
    return await MetricsServer.listen(metricsPage(models), HOST, port);
  } catch (cause) {
    throw new PortError(`metrics port ${port} on ${HOST} cannot be had; choose another with --metrics-port, or 0 for any free one`, {
      cause,
    });
  }
}

function bind(grpc: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    grpc.bindAsync(`${HOST}:${port}`, ServerCredentials.createInsecure(), (cause, bound) => {
      if (cause === null) resolve(bound);
      else reject(new PortError(`port ${port} on ${HOST} cannot be had; choose another with --port, or 0 for any free one`, { cause }));
    });
  });
}
