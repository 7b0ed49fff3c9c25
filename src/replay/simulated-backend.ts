/** A backend that answers after runtimes drawn from the profiles. */
import type { BackendParameters } from '../config/schema.js';
import { RequestTable } from '../core/request-table.js';
import { millis } from '../core/units.js';
import type { ActorBackend } from '../governor/actor.js';
import type { CallEnd, StartCall } from '../governor/ports.js';
import { SimulatedServer, type Work } from '../simulator/server.js';
import type { VirtualTime } from '../simulator/virtual-time.js';
import type { StreamRuntimes } from './runtimes.js';
import { SlotsRecord } from './slots-record.js';
import type { StreamRecord } from './stream-record.js';

/** What of a stream a call needs. */
export interface CalledStream {
  readonly name: string;
  readonly record: StreamRecord;
  readonly runtimes: StreamRuntimes;
  /** By backend model: its place among the variants, and the version it answers with. */
  readonly variants: ReadonlyMap<string, { readonly index: number; readonly version: string }>;
}

/** A message from its arrival until its outcome, and the end of its call. */
export interface Job {
  readonly stream: CalledStream;
  /** Of the message in its stream, from 0. */
  readonly number: number;
  slots: SlotsRecord | undefined;
  startNs: number;
  executedNs: number;
  /** Whether it has its outcome, and whether that is a fresh result. */
  ended: boolean;
  fresh: boolean;
}

/** Who runs what, for plots. */
export type ExecutionListener = (job: Job, backend: string, slot: number, startNs: number, endNs: number) => void;

export interface SimulatedBackendOptions {
  readonly name: string;
  readonly parameters: BackendParameters;
  readonly time: VirtualTime;
  /** Of the bag, in virtual time. */
  readonly endNs: number;
  readonly jobOf: (request: number) => Job;
  readonly executed: ExecutionListener;
}

export class SimulatedBackend implements Work {
  readonly slots: SlotsRecord;
  readonly #options: SimulatedBackendOptions;
  readonly #server: SimulatedServer;
  /** Jobs with a call, by request; the slot they are on. */
  readonly #called = new RequestTable<{ readonly job: Job; slot: number }>();

  constructor(options: SimulatedBackendOptions) {
    const { slots } = options.parameters;
    this.#options = options;
    this.slots = new SlotsRecord(slots);
    this.#server = new SimulatedServer(options.time, { slots, roundTripNs: 0, dispatchGapNs: 0 }, this);
  }

  get actorBackend(): ActorBackend {
    return { startCall: this.#startCall, timeoutUs: millis(this.#options.parameters.timeout_ms) };
  }

  /** Calls that have not ended. */
  get open(): number {
    return this.#called.size;
  }

  runtimeNs(request: number, variant: number): number {
    const { stream, number } = this.#callOf(request).job;
    return stream.runtimes.draw(number, variant);
  }

  fails(): boolean {
    return false;
  }

  started(request: number, _variant: number, slot: number, nowNs: number): void {
    const call = this.#callOf(request);
    call.slot = slot;
    call.job.startNs = nowNs;
  }

  executed(request: number, nowNs: number): void {
    const { job, slot } = this.#callOf(request);
    const { name, endNs, executed } = this.#options;
    const ranNs = nowNs - job.startNs;
    job.executedNs = ranNs;
    job.stream.record.computeNs += ranNs;
    this.slots.executed(job.startNs, nowNs, endNs);
    if (job.ended) this.slots.wasted(ranNs); // its requester did not wait
    executed(job, name, slot, job.startNs, nowNs);
  }

  readonly #startCall: StartCall = ({ request, backendModel }, ended) => {
    const job = this.#options.jobOf(request);
    const variant = job.stream.variants.get(backendModel);
    if (variant === undefined) throw new RangeError(`a call went to "${backendModel}", which the stream does not have`);
    job.slots = this.slots;
    this.#called.set(request, { job, slot: -1 });
    this.#server.send(request, variant.index, () => {
      this.#called.delete(request);
      ended({ result: 'ok', outputs: [], modelVersion: variant.version } satisfies CallEnd);
    });
  };

  #callOf(request: number): { readonly job: Job; slot: number } {
    const call = this.#called.get(request);
    if (call === undefined) throw new RangeError(`request ${request} has no call`);
    return call;
  }
}
