import type { ModelDescription } from './model-description.js';
import { ModelRunner } from './model-runner.js';
import { RpcFailure } from './rpc-failure.js';

/** The models of one server, by name. */
export class Models {
  readonly #runners: ReadonlyMap<string, ModelRunner>;
  #exiting = false;

  constructor(descriptions: readonly ModelDescription[]) {
    const sorted = [...descriptions].sort((a, b) => (a.name < b.name ? -1 : 1));
    this.#runners = new Map(sorted.map((description) => [description.name, new ModelRunner(description)]));
  }

  /** Ordered by name. */
  list(): ModelRunner[] {
    return [...this.#runners.values()];
  }

  /** The server ends: models are gone for new calls, what was accepted goes on. */
  get exiting(): boolean {
    return this.#exiting;
  }

  exit(): void {
    this.#exiting = true;
  }

  /**
   * The model for a call.
   * @param version empty: the one there is.
   * @throws {RpcFailure} NOT_FOUND for an unknown model or version, INVALID_ARGUMENT for a version that is no number.
   */
  get(name: string, version: string): ModelRunner {
    const runner = this.find(name, version);
    if (runner === undefined)
      throw new RpcFailure('NOT_FOUND', `Request for unknown model: '${name}'${version === '' ? '' : ` version ${version}`} is not found`);
    if (this.#exiting) throw new RpcFailure('NOT_FOUND', `Request for unknown model: '${name}' has no available versions`);
    return runner;
  }

  /** @throws {RpcFailure} INVALID_ARGUMENT for a version that is no number. */
  find(name: string, version: string): ModelRunner | undefined {
    if (!/^\d*$/.test(version))
      throw new RpcFailure(
        'INVALID_ARGUMENT',
        `failed to get model version from specified version string '${version}', version should be an integral value > 0`,
      );
    const runner = this.#runners.get(name);
    return version === '' || runner?.model.version === version ? runner : undefined;
  }
}
