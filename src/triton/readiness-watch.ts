/**
 * Asks a server once a second, over one connection, whether it and the models are ready. The same calls show whether it answers at all,
 * and what a round trip costs.
 */

import type { ModelMetadata } from '../governor/model-metadata.js';
import type { Connection } from './connection.js';
import { parseModelMetadata } from './model-metadata.js';
import { oneLine } from './one-line.js';
import { TritonError, textOf } from './triton-error.js';

const ROUND_MS = 1000;
const CALL_TIMEOUT_MS = 2000;

export interface WatchedModel {
  readonly name: string;
  /** Empty: the server chooses. */
  readonly version: string;
}

export type ModelReport = { readonly ready: true; readonly metadata: ModelMetadata } | { readonly ready: false; readonly detail: string };

export interface WatchListener {
  /** Before the first round, and again until it went well; rejects as `Connection.control` does. */
  introduce(): Promise<void>;
  /** A model is about to be called ready that was not before. Never rejects. */
  loaded(model: WatchedModel): Promise<void>;
  /** One round is over. The models are in the order given; all are not ready while the server is not. */
  round(server: { readonly ready: boolean; readonly detail: string }, models: readonly ModelReport[]): void;
  /** A round failed because the server did not answer. @param sinceMs since its last answer */
  silent(sinceMs: number): void;
  roundTrip(us: number): void;
}

export class ReadinessWatch {
  readonly #connection: Connection;
  readonly #models: readonly WatchedModel[];
  readonly #listener: WatchListener;
  readonly #known = new Map<string, ModelMetadata>();
  #timer: NodeJS.Timeout | undefined;
  #introduced = false;
  #stopped = false;
  #answeredAt = performance.now();

  constructor(connection: Connection, models: readonly WatchedModel[], listener: WatchListener) {
    this.#connection = connection;
    this.#models = models;
    this.#listener = listener;
  }

  /** Starts with a round at once. */
  start(): void {
    void this.#round();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  async #round(): Promise<void> {
    try {
      if (!this.#introduced) await this.#listener.introduce();
      this.#introduced = true;
      const server = await this.#askServer();
      const reports = server.ready ? await this.#askModels() : this.#noneReady(server.detail);
      if (!this.#stopped) this.#listener.round(server, reports);
    } catch (error) {
      this.#failed(error);
    }
    if (!this.#stopped) this.#timer = setTimeout(() => void this.#round(), ROUND_MS);
  }

  #failed(error: unknown): void {
    if (this.#stopped) return;
    if (error instanceof TritonError && error.code === 'another_process') {
      this.#answeredAt = performance.now();
      this.#listener.round({ ready: false, detail: error.message }, this.#noneReady(error.message));
      return;
    }
    const sinceMs = performance.now() - this.#answeredAt;
    // A lost connection is the supervisor's to tell; one that stands although nothing goes over it is not lost.
    const isLost = error instanceof TritonError && error.code === 'not_connected' && sinceMs < CALL_TIMEOUT_MS;
    if (!isLost) this.#listener.silent(sinceMs);
  }

  #noneReady(detail: string): readonly ModelReport[] {
    return this.#models.map(() => ({ ready: false, detail }));
  }

  async #askServer(): Promise<{ ready: boolean; detail: string }> {
    try {
      const answer = await this.#timed(() => this.#connection.control((service) => service.ServerReady, {}, CALL_TIMEOUT_MS));
      return answer.ready ? { ready: true, detail: 'ready' } : { ready: false, detail: 'the server says that it is not ready yet' };
    } catch (error) {
      return { ready: false, detail: `the server says that it is not ready: ${refusal(error)}` };
    }
  }

  async #askModels(): Promise<readonly ModelReport[]> {
    const reports: ModelReport[] = [];
    for (const model of this.#models) reports.push(await this.#askModel(model));
    return reports;
  }

  async #askModel(model: WatchedModel): Promise<ModelReport> {
    try {
      const { ready } = await this.#timed(() => this.#connection.control((service) => service.ModelReady, model, CALL_TIMEOUT_MS));
      if (!ready) {
        this.#known.delete(model.name);
        return { ready: false, detail: await this.#whyNotReady(model) };
      }
      const metadata = this.#known.get(model.name) ?? (await this.#meet(model));
      if (metadata.decoupled)
        return { ready: false, detail: `model "${model.name}" is decoupled: it does not give one answer to one call` };
      return { ready: true, metadata };
    } catch (error) {
      this.#known.delete(model.name);
      if (error instanceof TritonError && error.code === 'invalid_metadata') return { ready: false, detail: error.message };
      return { ready: false, detail: `model "${model.name}" is not ready: ${refusal(error)}` };
    }
  }

  async #meet(model: WatchedModel): Promise<ModelMetadata> {
    const metadata = await this.#describe(model);
    await this.#listener.loaded(model);
    this.#known.set(model.name, metadata);
    return metadata;
  }

  async #describe(model: WatchedModel): Promise<ModelMetadata> {
    const metadata = await this.#connection.control((service) => service.ModelMetadata, model, CALL_TIMEOUT_MS);
    const config = await this.#optional(() => this.#connection.control((service) => service.ModelConfig, model, CALL_TIMEOUT_MS));
    return parseModelMetadata(model.name, metadata, config?.config ?? undefined);
  }

  /** The server's own words where it has them: never loaded, failed to load, still loading. */
  async #whyNotReady(model: WatchedModel): Promise<string> {
    const index = await this.#optional(() => this.#connection.control((service) => service.RepositoryIndex, {}, CALL_TIMEOUT_MS));
    if (index === undefined) return `model "${model.name}" is not ready at the server`;
    const entries = index.models.filter((entry) => entry.name === model.name && (model.version === '' || entry.version === model.version));
    const [entry] = entries.sort((a, b) => Number(b.version) - Number(a.version));
    if (entry !== undefined)
      return oneLine(`model "${model.name}" is ${entry.state || 'not loaded'}${entry.reason === '' ? '' : `: ${entry.reason}`}`);
    const others = index.models.map(({ name }) => name);
    const version = model.version === '' ? '' : ` in version ${model.version}`;
    return oneLine(`the server does not know model "${model.name}"${version}; it has: ${others.slice(0, 8).join(', ') || 'none'}`);
  }

  /** undefined where the server does not have this call. */
  async #optional<T>(call: () => Promise<T>): Promise<T | undefined> {
    try {
      return await call();
    } catch (error) {
      if (isAnswer(error)) return undefined;
      throw error;
    }
  }

  async #timed<T>(call: () => Promise<T>): Promise<T> {
    const start = performance.now();
    const answer = await call();
    this.#answeredAt = performance.now();
    this.#listener.roundTrip((this.#answeredAt - start) * 1000);
    return answer;
  }
}

/** What a server answered that refused a call, or could not be read. @throws the error when it is not an answer */
function refusal(error: unknown): string {
  if (isAnswer(error)) return textOf(error);
  throw error;
}

function isAnswer(error: unknown): boolean {
  return error instanceof TritonError && (error.code === 'refused' || error.code === 'unreadable');
}
