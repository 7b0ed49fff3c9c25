import type { Logger } from 'pino';
import type { BackendParameters } from '../config/schema.js';
import type { Micros } from '../core/units.js';
import type { ModelMetadata } from '../governor/model-metadata.js';
import type { EvidenceListener, InferenceServer, ServerHealth, ServerListener } from './inference-server.js';
import { type GateSubject, ModelGate } from './model-gate.js';

/** Opens the way to one inference server; nothing is sent before `start`. */
export type ConnectServer = (request: ConnectRequest) => InferenceServer;

export interface ConnectRequest {
  readonly name: string;
  readonly parameters: BackendParameters;
  readonly models: readonly { readonly backendModel: string; readonly version: string }[];
  readonly listener: ServerListener;
  /** Core time. */
  readonly now: () => Micros;
  readonly log: Logger;
}

export interface ServedModel extends GateSubject {
  readonly version: string;
}

/** Told when work may be sent to a model, with what the server says of it, and when it may no longer. */
export type UseListener = (backendModel: string, metadata: ModelMetadata | undefined) => void;

export interface ServedBackendOptions extends Omit<ConnectRequest, 'models' | 'listener'> {
  readonly connect: ConnectServer;
  readonly models: readonly ServedModel[];
  readonly use: UseListener;
  readonly evidence: EvidenceListener;
}

/** One inference server and a gate in front of each of its models. */
export class ServedBackend {
  readonly name: string;
  readonly parameters: BackendParameters;
  readonly server: InferenceServer;
  readonly #gates: ReadonlyMap<string, ModelGate>;

  constructor({ connect, use, evidence, ...options }: ServedBackendOptions) {
    this.name = options.name;
    this.parameters = options.parameters;
    const readiness: ServerListener['readiness'] = (backendModel, ready, detail) =>
      this.#gates.get(backendModel)?.serverSays(ready, detail);
    this.server = connect({ ...options, listener: { ...evidence, readiness } });
    this.#gates = new Map(options.models.map((model) => [model.backendModel, this.#gate(model, use, options.log)]));
  }

  start(): void {
    this.server.start();
  }

  /** Warms up what is ready now; what becomes ready later is warmed up then. Each model is used from the end of its own warm-up. */
  activate(): void {
    for (const gate of this.#gates.values()) gate.activate();
  }

  deactivate(): void {
    for (const gate of this.#gates.values()) gate.deactivate();
  }

  async close(): Promise<void> {
    for (const gate of this.#gates.values()) gate.stop();
    await this.server.close();
  }

  health(): ServerHealth {
    return this.server.health();
  }

  /** What to do when nothing listens at the endpoint. */
  get startHint(): string {
    const { type, endpoint } = this.parameters;
    const port = endpoint.slice(endpoint.lastIndexOf(':') + 1);
    const start = { triton: `tritonserver --grpc-port ${port}`, reference: `vig serve-reference --port ${port}` }[type];
    return `start the server (${start}), or correct backends.${this.name}.endpoint: ${endpoint}; the node reconnects by itself (docs/runbook.md#a-server-is-not-reachable)`;
  }

  /** Why a model cannot be used, while it cannot. */
  whyNotUsable(backendModel: string): string | undefined {
    return this.#gates.get(backendModel)?.reason;
  }

  #gate(model: ServedModel, use: UseListener, log: Logger): ModelGate {
    const { backendModel } = model;
    return new ModelGate(model, this.server, {
      opened: (metadata) => {
        log.info({ backend: this.name, model: backendModel }, 'model in use');
        use(backendModel, metadata);
      },
      closed: (reason, lasting) => {
        if (lasting) log.warn({ backend: this.name, model: backendModel, reason }, 'model cannot be used');
        use(backendModel, undefined);
      },
    });
  }
}
