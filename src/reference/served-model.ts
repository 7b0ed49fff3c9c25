import { setTimeout as sleep } from 'node:timers/promises';
import { ModelCounters } from './model-counters.js';
import type { ModelDescription } from './model-description.js';
import { ModelRunner } from './model-runner.js';

export type ModelState = 'LOADING' | 'READY' | 'UNLOADING' | 'UNAVAILABLE';

/** One model over its loads and unloads. */
export class ServedModel {
  readonly description: ModelDescription;
  #page: ModelCounters | undefined;
  #state: ModelState = 'UNAVAILABLE';
  #current: ModelRunner | undefined;
  /** Unloaded with work left, which runs to its end. */
  readonly #leaving = new Set<ModelRunner>();
  /** Loads and unloads, one after the other. */
  #control: Promise<void> = Promise.resolve();
  #loadedByCommand = false;

  constructor(description: ModelDescription) {
    this.description = description;
  }

  get state(): ModelState {
    return this.#state;
  }

  /** Takes calls; undefined while the model is not ready. */
  get runner(): ModelRunner | undefined {
    return this.#current;
  }

  /** What the metrics page shows. It goes on over loads, and is gone, as Triton's, when nothing of the model is left. */
  get page(): ModelCounters | undefined {
    return this.runners().length === 0 ? undefined : this.#page;
  }

  /** All that run work: the current one, and what was unloaded and is not through. */
  runners(): ModelRunner[] {
    return [...(this.#current === undefined ? [] : [this.#current]), ...this.#leaving];
  }

  /** Loads the model as the server starts. @param ms how long that takes; 0: it is ready at once. */
  start(ms: number): void {
    if (ms > 0) void this.#next(() => this.#load(ms));
    else this.#replace();
  }

  /** As Triton does: the first load by command replaces what was loaded at the start, a further one changes nothing. */
  load(ms: number): Promise<void> {
    return this.#next(async () => {
      if (this.#current === undefined || !this.#loadedByCommand) await this.#load(ms);
      this.#loadedByCommand = true;
    });
  }

  /** Refuses new calls; resolves at once, while accepted calls run to their end. */
  unload(): Promise<void> {
    return this.#next(() => this.#unload());
  }

  async #load(ms: number): Promise<void> {
    if (this.#current === undefined) this.#state = 'LOADING';
    if (ms > 0) await sleep(ms, undefined, { ref: false });
    this.#replace();
  }

  #replace(): void {
    this.#page = this.page ?? new ModelCounters();
    this.#leave();
    this.#current = new ModelRunner(this.description, this.#page);
    this.#state = 'READY';
  }

  #unload(): void {
    if (this.#current === undefined) return;
    this.#state = 'UNLOADING';
    const left = this.#leave();
    this.#current = undefined;
    left?.then(() => {
      if (this.#state === 'UNLOADING') this.#state = 'UNAVAILABLE';
    });
  }

  #leave(): Promise<void> | undefined {
    const old = this.#current;
    if (old === undefined) return undefined;
    this.#leaving.add(old);
    return old.idle().then(() => {
      this.#leaving.delete(old);
    });
  }

  #next(step: () => Promise<void> | void): Promise<void> {
    this.#control = this.#control.then(step);
    return this.#control;
  }
}
