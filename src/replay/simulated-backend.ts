/** A backend that answers after runtimes drawn from the profiles. */
import type { BackendParameters } from '../config/schema.js';
import { RequestTable } from '../core/request-table.js';
import { micros, millis } from '../core/units.js';
import type { ActorBackend } from '../governor/actor.js';
import type { CallEnd, StartCall } from '../governor/ports.js';
import { SimulatedServer, type Work } from '../simulator/server.js';
import type { VirtualTime } from '../simulator/virtual-time.js';
import type { Job, RunRecord } from './run-record.js';
import type { StreamRuntimes } from './runtimes.js';

const NS_PER_US = 1000;

/** What of a stream a call needs. */
export interface CalledStream {
  readonly runtimes: StreamRuntimes;
  /** By backend model: its place among the variants, and the version it answers with. */
  readonly variants: ReadonlyMap<string, { readonly index: number; readonly version: string }>;
}

interface OpenCall {
  readonly job: Job;
  readonly stream: CalledStream;
  slot: number;
  startNs: number;
}

export interface SimulatedBackendOptions {
  readonly name: string;
  readonly parameters: BackendParameters;
  readonly time: VirtualTime;
  readonly streams: ReadonlyMap<string, CalledStream>;
  readonly record: RunRecord;
}

export class SimulatedBackend implements Work {
  /** To be told to the core, as a live backend's is once it is measured. */
  readonly roundTripUs = micros(0);
  readonly #options: SimulatedBackendOptions;
  readonly #server: SimulatedServer;
  readonly #calls = new RequestTable<OpenCall>();

  constructor(options: SimulatedBackendOptions) {
    const { slots } = options.parameters;
    this.#options = options;
    this.#server = new SimulatedServer(options.time, { slots, roundTripNs: NS_PER_US * this.roundTripUs, dispatchGapNs: 0 }, this);
  }

  get actorBackend(): ActorBackend {
    return { startCall: this.#startCall, timeoutUs: millis(this.#options.parameters.timeout_ms) };
  }

  /** Calls that have not ended. */
  get open(): number {
    return this.#calls.size;
  }

  runtimeNs(request: number, variant: number): number {
    const { stream, job } = this.#callOf(request);
    return stream.runtimes.draw(job.number, variant);
  }

  fails(): boolean {
    return false;
  }

  started(request: number, _variant: number, slot: number, nowNs: number): void {
    const call = this.#callOf(request);
    call.slot = slot;
    call.startNs = nowNs;
  }

  executed(request: number, nowNs: number): void {
    const { job, slot, startNs } = this.#callOf(request);
    const { name: backend, record } = this.#options;
    record.executed({ job, backend, slot, startNs, endNs: nowNs });
  }

  readonly #startCall: StartCall = ({ request, backendModel }, ended) => {
    const job = this.#options.record.jobOf(request);
    const stream = this.#options.streams.get(job.stream);
    const variant = stream?.variants.get(backendModel);
    if (stream === undefined || variant === undefined)
      throw new RangeError(`a call went to "${backendModel}", which the stream does not have`);
    this.#calls.set(request, { job, stream, slot: -1, startNs: 0 });
    this.#server.send(request, variant.index, () => {
      this.#calls.delete(request);
      ended({ result: 'ok', outputs: [], modelVersion: variant.version } satisfies CallEnd);
    });
  };

  #callOf(request: number): OpenCall {
    const call = this.#calls.get(request);
    if (call === undefined) throw new RangeError(`request ${request} has no call`);
    return call;
  }
}
