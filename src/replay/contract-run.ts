/** One contract on the messages of a bag: the core and the actor of the live node, on virtual time. */
import { toCoreConfiguration, withUnverifiedProfiles } from '../config/core-configuration.js';
import type { CoreConfiguration } from '../core/configuration.js';
import { DecisionCore } from '../core/decision-core.js';
import { RequestTable } from '../core/request-table.js';
import { CLOCK_ORIGIN_US, micros } from '../core/units.js';
import { Actor } from '../governor/actor.js';
import { readCapture, type StampPolicy } from '../governor/capture-time.js';
import type { Frame, Header, OutcomeRecord, Publisher, ResultRecord, TraceSink } from '../governor/ports.js';
import { stampPolicyOf } from '../service/stream.js';
import { VirtualClock } from '../simulator/virtual-clock.js';
import { VirtualTime } from '../simulator/virtual-time.js';
import type { StampFacts } from '../telemetry/stamp-offset.js';
import type { LogSpan } from './bag/bag-file.js';
import type { ReplayContract } from './contract-file.js';
import type { ContractReport } from './report.js';
import { StreamRuntimes } from './runtimes.js';
import { type CalledStream, type ExecutionListener, type Job, SimulatedBackend } from './simulated-backend.js';
import { StreamRecord } from './stream-record.js';

/** What has no outcome so long after the last message is given one. */
const LONGEST_DRAIN_NS = 60_000_000_000;
const NS_PER_S = 1_000_000_000n;

export interface ContractRunOptions {
  readonly contract: ReplayContract;
  readonly span: LogSpan;
  readonly seed: number;
  /** Hears of every event of the core from the first one on. */
  readonly trace?: (configuration: CoreConfiguration) => TraceSink;
}

export type StampReading = Pick<StampFacts, 'stampNs' | 'rosNowNs' | 'offsetUs'>;

/** Hears of every message, result, outcome and execution, and of the stamps of those that have one. */
export interface RunListener extends Publisher {
  readonly executed: ExecutionListener;
  stamped(stream: string, ageUs: number, reading: StampReading): void;
}

interface RunStream extends CalledStream {
  readonly stamps: StampPolicy;
  messages: number;
}

export class ContractRun implements Publisher {
  readonly time = new VirtualTime();
  readonly clock = new VirtualClock(this.time, CLOCK_ORIGIN_US);
  readonly configuration: CoreConfiguration;
  readonly core: DecisionCore;
  readonly endNs: number;
  readonly #options: ContractRunOptions;
  readonly #streams: ReadonlyMap<string, RunStream>;
  readonly #backends: ReadonlyMap<string, SimulatedBackend>;
  readonly #actor: Actor;
  readonly #jobs = new RequestTable<Job>();
  readonly #listeners: RunListener[] = [];
  #requests = 0;

  constructor(options: ContractRunOptions) {
    const { contract, span, trace } = options;
    const { parameters } = contract;
    this.#options = options;
    this.endNs = Number(span.endNs - span.startNs);
    const rosEpochUs = micros(CLOCK_ORIGIN_US - Number(span.startNs / 1000n));
    this.configuration = withUnverifiedProfiles(toCoreConfiguration(parameters, rosEpochUs));
    this.core = new DecisionCore(this.configuration);
    this.#streams = new Map(this.configuration.streams.map(({ name }) => [name, this.#stream(name)]));
    this.#backends = new Map(
      Object.entries(parameters.backends).map(([name, backend]) => {
        const jobOf = (request: number) => this.#jobOf(request);
        return [
          name,
          new SimulatedBackend({ name, parameters: backend, time: this.time, endNs: this.endNs, jobOf, executed: this.#executed }),
        ];
      }),
    );
    this.#actor = new Actor(this.core, {
      clock: this.clock,
      publisher: this,
      backends: new Map([...this.#backends].map(([name, backend]) => [name, backend.actorBackend])),
      whyNotReady: () => undefined,
      ...(trace === undefined ? {} : { trace: trace(this.configuration) }),
    });
    this.#activate();
  }

  listen(listener: RunListener): void {
    this.#listeners.push(listener);
  }

  /** ROS time now. */
  rosNowNs(): bigint {
    return this.#options.span.startNs + BigInt(this.time.nowNs);
  }

  /** Brings virtual time to an instant from the start of the bag; what is due before happens before. */
  advance(toNs: number): void {
    while (this.time.nextNs < toNs) this.time.keepNext();
    if (toNs > this.time.nowNs) this.time.moveTo(toNs);
  }

  /** A message arrives now. @param logNs its log time, which is ROS time here. */
  receive(name: string, header: Header, logNs: bigint): void {
    const stream = this.#streamOf(name);
    this.#admit(stream);
    const stampNs = BigInt(header.stamp.sec) * NS_PER_S + BigInt(header.stamp.nanosec);
    const reading = readCapture(stream.stamps, { stampNs, rosNowNs: logNs, now: this.clock.now() });
    if (this.#listeners.length > 0 && reading.ageUs !== undefined && stream.stamps.source === 'header') {
      const { offsetUs } = stream.stamps;
      for (const listener of this.#listeners) listener.stamped(name, reading.ageUs, { stampNs, rosNowNs: logNs, offsetUs });
    }
    if (!reading.valid) this.#actor.refuse(name, header, reading.cause, reading.detail, reading.ageUs);
    else this.#actor.accept(frameOf(name, header), reading.capture, reading.stampNs, reading.ageUs);
  }

  /** A message of which not even the header could be read. */
  refuse(name: string, header: Header, detail: string): void {
    this.#admit(this.#streamOf(name));
    this.#actor.refuse(name, header, 'malformed_message', detail);
  }

  /** Gives what is open its outcome, once what runs has ended. */
  finish(): void {
    this.advance(this.endNs);
    while (this.#isBusy() && this.time.nextNs <= this.endNs + LONGEST_DRAIN_NS) this.time.keepNext();
    this.#actor.post({ type: 'drain' });
    this.#actor.post({ type: 'drain_limit' });
    this.#actor.close();
  }

  /** Of the whole bag, once it is finished. */
  report(): ContractReport {
    const { files } = this.#options.contract;
    return {
      params: files,
      streams: Object.fromEntries([...this.#streams].map(([name, { record }]) => [name, record.report(this.endNs)])),
      backends: Object.fromEntries([...this.#backends].map(([name, { slots }]) => [name, slots.report(this.endNs)])),
    };
  }

  received(stream: string, ageUs: number | undefined): void {
    this.#streamOf(stream).record.arrived(ageUs, this.time.nowNs);
    for (const listener of this.#listeners) listener.received(stream, ageUs);
  }

  result(record: ResultRecord): void {
    this.#streamOf(record.stream).record.delivered(record, this.time.nowNs);
    for (const listener of this.#listeners) listener.result(record);
  }

  outcome(record: OutcomeRecord): void {
    const { request, state } = record;
    const job = this.#jobOf(request);
    job.ended = true;
    job.fresh = state === 'delivered';
    if (state !== 'delivered') job.slots?.wasted(job.executedNs);
    job.stream.record.ended(record);
    this.#jobs.delete(request);
    for (const listener of this.#listeners) listener.outcome(record);
  }

  readonly #executed: ExecutionListener = (...execution) => {
    for (const listener of this.#listeners) listener.executed(...execution);
  };

  #activate(): void {
    for (const { backend, variants } of this.configuration.models) {
      for (const { backendModel } of variants) this.#actor.post({ type: 'readiness', backend, backendModel, ready: true });
    }
    this.#actor.post({ type: 'resume' });
  }

  #isBusy(): boolean {
    return this.#jobs.size > 0 || [...this.#backends.values()].some(({ open }) => open > 0);
  }

  /** The actor numbers requests from 1 as they come. */
  #admit(stream: RunStream): void {
    this.#requests += 1;
    this.#jobs.set(this.#requests, {
      stream,
      number: stream.messages,
      slots: undefined,
      startNs: 0,
      executedNs: 0,
      ended: false,
      fresh: false,
    });
    stream.messages += 1;
  }

  #stream(name: string): RunStream {
    const { parameters } = this.#options.contract;
    const stream = parameters.streams[name];
    const model = parameters.models[stream?.model ?? ''];
    const configured = this.configuration.streams.find((one) => one.name === name);
    if (stream === undefined || model === undefined || configured === undefined) throw new RangeError(`no stream '${name}'`);
    const variants = Object.entries(model.variants);
    return {
      name,
      stamps: stampPolicyOf(stream),
      messages: 0,
      record: new StreamRecord({
        contract: configured.contract,
        variants: variants.map(([variant]) => variant),
        originUs: CLOCK_ORIGIN_US,
      }),
      runtimes: new StreamRuntimes(this.#options.seed, name, model),
      variants: new Map(variants.map(([, { backend_model: backendModel, version }], index) => [backendModel, { index, version }])),
    };
  }

  #streamOf(name: string): RunStream {
    const stream = this.#streams.get(name);
    if (stream === undefined) throw new RangeError(`no stream '${name}'`);
    return stream;
  }

  #jobOf(request: number): Job {
    const job = this.#jobs.get(request);
    if (job === undefined) throw new RangeError(`request ${request} is not open`);
    return job;
  }
}

const nothing = () => [];

/** Its content is not looked at. */
function frameOf(stream: string, header: Header): Frame {
  return { stream, header, inputs: nothing, decode: nothing };
}
