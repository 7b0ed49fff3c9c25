import type { ModelMetadata } from '../governor/model-metadata.js';
import type { TensorSource } from '../governor/ports.js';
import type { InferenceServer } from './inference-server.js';

/** Calls outside all counts before a model is used: the first ones after loading are slow (rules.md 4). */
const WARM_UP_CALLS = 3;
/** After a failure, before the next attempt: what failed it may be over, and the server need not say so. */
const RETRY_MS = 1000;

export interface GateSubject {
  readonly backendModel: string;
  /** One line per disagreement between what streams send and what the model takes. */
  mismatches(metadata: ModelMetadata): readonly string[];
  warmUpInputs(metadata: ModelMetadata): readonly TensorSource[];
}

export interface GateListener {
  /** The model can be used from now on. */
  opened(metadata: ModelMetadata): void;
  /** @param lasting it stays so until somebody changes something */
  closed(reason: string, lasting: boolean): void;
}

/**
 * Stands between "the server says the model is ready" and "work may be sent to it": fetches the metadata, compares it with what the
 * streams send, warms the model up. A model that fails one of these is closed with the reason and tried again every second; a change at the
 * server starts anew.
 */
export class ModelGate {
  readonly #subject: GateSubject;
  readonly #server: InferenceServer;
  readonly #listener: GateListener;
  #active = false;
  #serverReady = false;
  /** Counts the server's changes: an answer that belongs to an earlier one is dropped. */
  #generation = 0;
  #retry: NodeJS.Timeout | undefined;
  #reason = 'no connection to the server yet';

  constructor(subject: GateSubject, server: InferenceServer, listener: GateListener) {
    this.#subject = subject;
    this.#server = server;
    this.#listener = listener;
  }

  /** Why the model cannot be used, while it cannot. */
  get reason(): string | undefined {
    return this.#reason === '' ? undefined : this.#reason;
  }

  serverSays(ready: boolean, detail: string): void {
    this.stop();
    this.#serverReady = ready;
    if (!ready) this.#close(detail, this.#server.health().ready);
    else if (this.#active) this.#open();
  }

  activate(): void {
    this.#active = true;
    if (this.#serverReady) this.#open();
  }

  deactivate(): void {
    this.#active = false;
    this.stop();
    this.#close('the node is not active');
  }

  /** What was begun is dropped, and nothing is tried again. */
  stop(): void {
    this.#generation += 1;
    clearTimeout(this.#retry);
  }

  #open(): void {
    this.#close('the model is being checked and warmed up');
    this.#attempt();
  }

  #attempt(): void {
    const generation = this.#generation;
    this.#prepare().then(
      (metadata) => {
        if (generation !== this.#generation) return;
        this.#reason = '';
        this.#listener.opened(metadata);
      },
      (error: unknown) => {
        if (generation === this.#generation) this.#failed(error instanceof Error ? error.message : String(error));
      },
    );
  }

  /** Told once while the reason stays the same. */
  #failed(reason: string): void {
    if (reason !== this.#reason) this.#close(reason, true);
    this.#retry = setTimeout(() => this.#attempt(), RETRY_MS);
  }

  async #prepare(): Promise<ModelMetadata> {
    const { backendModel } = this.#subject;
    const metadata = await this.#server.describe(backendModel);
    const mismatches = this.#subject.mismatches(metadata);
    if (mismatches.length > 0) throw new Error(mismatches.join('; '));
    await this.#server.warmUp(backendModel, this.#subject.warmUpInputs(metadata), WARM_UP_CALLS);
    return metadata;
  }

  #close(reason: string, lasting = false): void {
    this.#reason = reason;
    this.#listener.closed(reason, lasting);
  }
}
