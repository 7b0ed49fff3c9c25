import type { ModelDescription } from './model-description.js';
import { RpcFailure } from './rpc-failure.js';
import { runtimeSource } from './runtime.js';

/** Count and total time of what ended in one way. */
export interface Tally {
  count: number;
  ns: bigint;
}

interface Accepted {
  readonly begin: () => void;
  readonly queuedAt: bigint;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** The instances of one model and its queue. Calls are served in order of arrival; what was accepted runs, unless all is abandoned. */
export class ModelRunner {
  readonly model: ModelDescription;
  readonly success: Tally = { count: 0, ns: 0n };
  readonly fail: Tally = { count: 0, ns: 0n };
  readonly queue: Tally = { count: 0, ns: 0n };
  readonly compute: Tally = { count: 0, ns: 0n };
  /** Milliseconds since the epoch, 0 before the first. */
  lastInferenceMs = 0;
  readonly #nextRuntimeMs: () => number;
  readonly #waiting: Accepted[] = [];
  readonly #running = new Map<NodeJS.Timeout, Accepted>();
  #idle: (() => void)[] = [];

  constructor(model: ModelDescription) {
    this.model = model;
    this.#nextRuntimeMs = runtimeSource(model.runtime);
  }

  /** Calls that wait for an instance. */
  get pending(): number {
    return this.#waiting.length;
  }

  /**
   * Waits for an instance, runs `begin` on it, and resolves when the runtime is over. The counters have moved by then.
   * @param begin takes the inputs in; when it throws the execution has failed.
   * @throws {RpcFailure} when the queue is full: counted nowhere; what `begin` threw.
   */
  run(begin: () => void): Promise<void> {
    if (this.#running.size >= this.model.instances && this.#waiting.length >= this.model.maxQueueSize) {
      return Promise.reject(new RpcFailure('UNAVAILABLE', 'Exceeds maximum queue size'));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ begin, queuedAt: process.hrtime.bigint(), resolve, reject });
      this.#startWaiting();
    });
  }

  /** Resolves when nothing runs or waits. */
  idle(): Promise<void> {
    if (this.#running.size === 0 && this.#waiting.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /** Drops everything that runs or waits: their callers are told. */
  abandon(): void {
    const dropped = [...this.#running.values(), ...this.#waiting.splice(0)];
    for (const timer of this.#running.keys()) clearTimeout(timer);
    this.#running.clear();
    for (const { reject } of dropped) reject(new RpcFailure('UNAVAILABLE', 'Server exiting'));
    this.#startWaiting();
  }

  #startWaiting(): void {
    while (this.#running.size < this.model.instances) {
      const next = this.#waiting.shift();
      if (next === undefined) break;
      this.#start(next);
    }
    if (this.#running.size > 0 || this.#waiting.length > 0) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  #start(call: Accepted): void {
    const { begin, queuedAt, resolve, reject } = call;
    const startedAt = process.hrtime.bigint();
    try {
      begin();
    } catch (error) {
      this.lastInferenceMs = Date.now();
      add(this.fail, process.hrtime.bigint() - queuedAt);
      reject(error);
      return;
    }
    const timer = setTimeout(() => {
      this.#running.delete(timer);
      const endedAt = process.hrtime.bigint();
      this.lastInferenceMs = Date.now();
      add(this.success, endedAt - queuedAt);
      add(this.queue, startedAt - queuedAt);
      add(this.compute, endedAt - startedAt);
      resolve();
      this.#startWaiting();
    }, this.#nextRuntimeMs());
    this.#running.set(timer, call);
  }
}

function add(tally: Tally, ns: bigint): void {
  tally.count += 1;
  tally.ns += ns;
}
