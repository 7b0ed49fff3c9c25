import { nextBatch } from './batch.js';
import { ModelCounters } from './model-counters.js';
import type { ModelDescription } from './model-description.js';
import { pause } from './pause.js';
import { RpcFailure } from './rpc-failure.js';
import { runtimeSource } from './runtime.js';

/** A call as the model sees it. */
export interface ModelCall {
  /** Elements of the batch dimension. */
  readonly size: number;
  /** Only calls of equal shape share a batch. */
  readonly shape: string;
  /**
   * Takes the inputs in, when an instance begins with the call; the execution goes on when what it returned resolves.
   * What it throws, this call fails with; what it rejects with, the whole batch.
   */
  readonly begin: () => Promise<void> | void;
  /** What has begun is over, however it ended; before anything else begins on its instance. */
  readonly ended?: () => void;
  /** An answer of several is there, and not the last one. */
  readonly partial?: () => void;
}

/** How long it takes Triton to find a model's process not healthy. */
const HEALTH_CHECK_MS = 1000;

interface Accepted extends ModelCall {
  readonly queuedAt: bigint;
  readonly queuedAtMs: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** The instances of one model and its queue. Calls are served in order of arrival; what was accepted runs, unless all is abandoned. */
export class ModelRunner {
  readonly model: ModelDescription;
  readonly counters = new ModelCounters();
  /** Those of the metrics page, which go on when the model is loaded again. */
  readonly #page: ModelCounters;
  readonly #nextRuntimeMs: () => number;
  readonly #waiting: Accepted[] = [];
  readonly #running = new Set<AbortController>();
  #delay: NodeJS.Timeout | undefined;
  /** Set when the process of the model was killed: nothing runs any more. */
  #crash: RpcFailure | undefined;
  #idle: (() => void)[] = [];

  constructor(model: ModelDescription, page = new ModelCounters()) {
    this.model = model;
    this.#page = page;
    this.#nextRuntimeMs = runtimeSource(model.runtime);
  }

  /** Calls that wait for an instance. */
  get pending(): number {
    return this.#waiting.length;
  }

  /**
   * Waits for an instance, runs the call on it, and resolves when the runtime is over. The counters have moved by then.
   * @throws {RpcFailure} when the queue is full: counted nowhere; what `begin` threw.
   */
  run(call: ModelCall): Promise<void> {
    if (this.#running.size >= this.model.instances && this.#waiting.length >= this.model.maxQueueSize) {
      return Promise.reject(new RpcFailure('UNAVAILABLE', 'Exceeds maximum queue size'));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...call, queuedAt: process.hrtime.bigint(), queuedAtMs: performance.now(), resolve, reject });
      this.#startWaiting();
    });
  }

  /** Resolves when nothing runs or waits. */
  idle(): Promise<void> {
    if (this.#running.size === 0 && this.#waiting.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /** Drops everything that runs or waits: their callers are told, nothing is counted. */
  abandon(): void {
    const reason = new RpcFailure('UNAVAILABLE', 'Server exiting');
    for (const { reject } of this.#waiting.splice(0)) reject(reason);
    for (const execution of this.#running) execution.abort(reason);
    this.#startWaiting();
  }

  /** As when the process of the model is killed: what runs fails and is counted, and so does all that comes, until the model is loaded again. */
  crash(): void {
    this.#crash = new RpcFailure('INTERNAL', `Stub process '${this.model.name}_0_0' is not healthy.`);
    for (const execution of this.#running) execution.abort(this.#crash);
  }

  #startWaiting(): void {
    clearTimeout(this.#delay);
    while (this.#running.size < this.model.instances) {
      const next = nextBatch(this.#waiting, this.model.batching, performance.now());
      if ('waitMs' in next) {
        this.#delay = setTimeout(() => this.#startWaiting(), Math.ceil(next.waitMs));
        break;
      }
      if (next.count === 0) break;
      this.#start(this.#waiting.splice(0, next.count));
    }
    if (this.#running.size > 0 || this.#waiting.length > 0) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  #start(batch: readonly Accepted[]): void {
    const execution = new AbortController();
    this.#running.add(execution);
    const begun: Accepted[] = [];
    this.#execute(batch, begun, execution.signal).finally(() => {
      for (const { ended } of begun) ended?.();
      this.#running.delete(execution);
      this.#startWaiting();
    });
  }

  /** Never rejects: each call is told its own end. @param begun receives the calls that have begun */
  async #execute(batch: readonly Accepted[], begun: Accepted[], stopped: AbortSignal): Promise<void> {
    const startedAt = process.hrtime.bigint();
    try {
      if (this.#crash !== undefined) {
        begun.push(...batch);
        await pause(HEALTH_CHECK_MS, stopped);
        throw this.#crash;
      }
      await pause(Promise.all(this.#begin(batch, begun, startedAt)), stopped);
      if (begun.length > 0) await this.#work(begun, stopped);
    } catch (error) {
      if (stopped.aborted && error !== this.#crash) {
        for (const { reject } of begun) reject(error);
        return;
      }
      if (error !== this.#crash) this.#count((counters) => counters.executed());
      for (const call of begun) this.#fail(call, startedAt, error);
      return;
    }
    const endedAt = process.hrtime.bigint();
    if (begun.length > 0) this.#count((counters) => counters.executed());
    for (const { queuedAt, size, resolve } of begun) {
      this.#count((counters) => counters.succeeded({ queuedAt, startedAt, endedAt }, size));
      resolve();
    }
  }

  /** @param begun receives the calls that have begun; the others are told here */
  #begin(batch: readonly Accepted[], begun: Accepted[], startedAt: bigint): Promise<void>[] {
    return batch.map((call) => {
      try {
        const ready = Promise.resolve(call.begin());
        begun.push(call);
        return ready;
      } catch (error) {
        this.#fail(call, startedAt, error);
        return Promise.resolve();
      }
    });
  }

  /** Every answer takes a runtime of its own. */
  async #work(calls: readonly Accepted[], stopped: AbortSignal): Promise<void> {
    for (let answer = 1; answer <= this.model.responses; answer += 1) {
      await pause(this.#nextRuntimeMs(), stopped);
      if (answer < this.model.responses) for (const call of calls) call.partial?.();
    }
  }

  #fail({ queuedAt, reject }: Accepted, startedAt: bigint, error: unknown): void {
    this.#count((counters) => counters.failed({ queuedAt, startedAt, endedAt: process.hrtime.bigint() }));
    reject(error);
  }

  #count(move: (counters: ModelCounters) => void): void {
    move(this.counters);
    move(this.#page);
  }
}
