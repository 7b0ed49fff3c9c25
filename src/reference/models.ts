import type { ModelDescription } from './model-description.js';
import type { ModelRunner } from './model-runner.js';
import { RpcFailure } from './rpc-failure.js';
import { ServedModel } from './served-model.js';

/** The models of one server, by name. */
export class Models {
  readonly #models: ReadonlyMap<string, ServedModel>;
  #exiting = false;

  /** @param loadMs how long a model takes to load as the server starts */
  constructor(descriptions: readonly ModelDescription[], loadMs: (model: string) => number = () => 0) {
    const sorted = [...descriptions].sort((a, b) => (a.name < b.name ? -1 : 1));
    this.#models = new Map(sorted.map((description) => [description.name, new ServedModel(description)]));
    for (const [name, model] of this.#models) model.start(loadMs(name));
  }

  /** Ordered by name, loaded or not. */
  list(): ServedModel[] {
    return [...this.#models.values()];
  }

  /** The server ends: models are gone for new calls, what was accepted goes on. */
  get exiting(): boolean {
    return this.#exiting;
  }

  /** Every model has been loaded, or was unloaded on purpose. */
  get isReady(): boolean {
    return this.list().every(({ state }) => state !== 'LOADING');
  }

  exit(): void {
    this.#exiting = true;
  }

  /** Resolves when nothing runs or waits. */
  async idle(): Promise<void> {
    await Promise.all(this.#runners().map((runner) => runner.idle()));
  }

  /** Drops everything that runs or waits: the callers are told. */
  abandon(): void {
    for (const runner of this.#runners()) runner.abandon();
  }

  /** Any model of this name, loaded or not. */
  named(name: string): ServedModel | undefined {
    return this.#models.get(name);
  }

  /**
   * The model for a call.
   * @param version empty: the one there is.
   * @throws {RpcFailure} NOT_FOUND for an unknown model or version and one that is not loaded, INVALID_ARGUMENT for a version that is no number.
   */
  get(name: string, version: string): ModelRunner {
    const runner = this.find(name, version);
    const model = this.named(name);
    if (model === undefined || (runner === undefined && version !== '' && version !== model.description.version))
      throw new RpcFailure('NOT_FOUND', `Request for unknown model: '${name}'${version === '' ? '' : ` version ${version}`} is not found`);
    if (runner === undefined || this.#exiting)
      throw new RpcFailure('NOT_FOUND', `Request for unknown model: '${name}' has no available versions`);
    return runner;
  }

  /** Undefined also while it is not loaded. @throws {RpcFailure} INVALID_ARGUMENT for a version that is no number. */
  find(name: string, version: string): ModelRunner | undefined {
    if (!/^\d*$/.test(version))
      throw new RpcFailure(
        'INVALID_ARGUMENT',
        `failed to get model version from specified version string '${version}', version should be an integral value > 0`,
      );
    const model = this.named(name);
    return version === '' || model?.description.version === version ? model?.runner : undefined;
  }

  #runners(): ModelRunner[] {
    return this.list().flatMap((model) => model.runners());
  }
}
