/** One contract on the messages of a bag: the core and the actor of the live node, on virtual time. */
import { toCoreConfiguration, withUnverifiedProfiles } from '../config/core-configuration.js';
import type { CoreConfiguration } from '../core/configuration.js';
import { DecisionCore } from '../core/decision-core.js';
import { CLOCK_ORIGIN_US, type Micros, micros } from '../core/units.js';
import { Actor } from '../governor/actor.js';
import { readCapture, type StampPolicy } from '../governor/capture-time.js';
import type { Frame, Header, OutcomeRecord, Publisher, ResultRecord, TraceSink } from '../governor/ports.js';
import { stampPolicyOf } from '../service/stream.js';
import { VirtualClock } from '../simulator/virtual-clock.js';
import { VirtualTime } from '../simulator/virtual-time.js';
import type { StampFacts } from '../telemetry/stamp-offset.js';
import type { LogSpan } from './bag/bag-file.js';
import type { ReplayContract } from './contract-file.js';
import type { Timeline } from './plot/timeline.js';
import type { ContractReport } from './report.js';
import { RunRecord } from './run-record.js';
import { StreamRuntimes } from './runtimes.js';
import { type CalledStream, SimulatedBackend } from './simulated-backend.js';

/** What has no outcome so long after the last message is given one. */
const LONGEST_DRAIN_NS = 60_000_000_000;
const NS_PER_S = 1_000_000_000n;
const NS_PER_US = 1000;

export interface ContractRunOptions {
  readonly contract: ReplayContract;
  readonly span: LogSpan;
  readonly seed: number;
  /** Whether a timeline is kept, for plots. */
  readonly timeline: boolean;
  /** Hears of every event of the core from the first one on. */
  readonly trace?: (configuration: CoreConfiguration) => TraceSink;
}

export type StampReading = Pick<StampFacts, 'stampNs' | 'rosNowNs' | 'offsetUs'>;

/** Hears of every message, result and outcome, and of the stamps of messages that have one. */
export interface RunListener extends Publisher {
  stamped(stream: string, ageUs: number, reading: StampReading): void;
  /** Every message has its outcome. */
  finished(): void;
}

interface RunStream extends CalledStream {
  readonly stamps: StampPolicy;
}

export class ContractRun implements Publisher {
  readonly time = new VirtualTime();
  readonly clock = new VirtualClock(this.time, CLOCK_ORIGIN_US);
  readonly configuration: CoreConfiguration;
  readonly core: DecisionCore;
  readonly #endNs: number;
  readonly #options: ContractRunOptions;
  readonly #streams: ReadonlyMap<string, RunStream>;
  readonly #backends: ReadonlyMap<string, SimulatedBackend>;
  readonly #actor: Actor;
  readonly #record: RunRecord;
  /** Of streams that have no other capture: when the last message came. */
  readonly #receptionsUs = new Map<string, Micros>();
  #listener: RunListener | undefined;

  constructor(options: ContractRunOptions) {
    const { contract, span, timeline, trace } = options;
    const { parameters } = contract;
    this.#options = options;
    this.#endNs = Number(span.endNs - span.startNs);
    const rosEpochUs = micros(CLOCK_ORIGIN_US - Number(span.startNs / 1000n));
    this.configuration = withUnverifiedProfiles(toCoreConfiguration(parameters, rosEpochUs));
    this.core = new DecisionCore(this.configuration);
    this.#record = new RunRecord({
      configuration: this.configuration,
      originUs: CLOCK_ORIGIN_US,
      endNs: this.#endNs,
      nowNs: () => this.time.nowNs,
      timeline,
    });
    this.#streams = new Map(Object.keys(parameters.streams).map((name) => [name, this.#stream(name)]));
    const world = { time: this.time, streams: this.#streams, record: this.#record };
    this.#backends = new Map(
      Object.entries(parameters.backends).map(([name, backend]) => [name, new SimulatedBackend({ ...world, name, parameters: backend })]),
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

  get timeline(): Timeline | undefined {
    return this.#record.timeline;
  }

  /** Tells a listener of what happens from now on. */
  tell(listener: RunListener): void {
    this.#listener = listener;
  }

  /** ROS time now. */
  rosNowNs(): bigint {
    return this.#options.span.startNs + BigInt(this.time.nowNs);
  }

  /** Whether a message has no outcome, or a call no end. */
  isBusy(): boolean {
    return this.#record.open > 0 || [...this.#backends.values()].some(({ open }) => open > 0);
  }

  /** Brings virtual time to an instant from the start of the bag; what is due before happens before. */
  advance(toNs: number): void {
    while (this.time.nextNs < toNs) this.time.keepNext();
    if (toNs > this.time.nowNs) this.time.moveTo(toNs);
  }

  /** A message arrives now. @param logNs its log time, which is ROS time here. */
  receive(name: string, header: Header, logNs: bigint): void {
    const { stamps } = this.#streamOf(name);
    if (stamps.source === 'receive') this.#setApart(name);
    const stampNs = BigInt(header.stamp.sec) * NS_PER_S + BigInt(header.stamp.nanosec);
    const reading = readCapture(stamps, { stampNs, rosNowNs: logNs, now: this.clock.now() });
    if (reading.ageUs !== undefined && stamps.source === 'header')
      this.#listener?.stamped(name, reading.ageUs, { stampNs, rosNowNs: logNs, offsetUs: stamps.offsetUs });
    if (!reading.valid) this.#actor.refuse(name, header, reading.cause, reading.detail, reading.ageUs);
    else this.#actor.accept(frameOf(name, header), reading.capture, reading.stampNs, reading.ageUs);
  }

  /** A message of which not even the header could be read. */
  refuse(name: string, header: Header, detail: string): void {
    this.#actor.refuse(name, header, 'malformed_message', detail);
  }

  /** Gives what is open its outcome, once what runs has ended. */
  finish(): void {
    this.advance(this.#endNs);
    while (this.isBusy() && this.time.nextNs <= this.#endNs + LONGEST_DRAIN_NS) this.time.keepNext();
    this.#actor.post({ type: 'drain' });
    this.#actor.post({ type: 'drain_limit' });
    this.#actor.close();
    this.#listener?.finished();
  }

  /** Of the whole bag, once it is finished. */
  report(): ContractReport {
    return this.#record.report(this.#options.contract.files);
  }

  received(stream: string, ageUs: number | undefined): void {
    this.#record.received(stream, ageUs);
    this.#listener?.received(stream, ageUs);
  }

  result(record: ResultRecord): void {
    this.#record.result(record);
    this.#listener?.result(record);
  }

  outcome(record: OutcomeRecord): void {
    this.#record.outcome(record);
    this.#listener?.outcome(record);
  }

  /** What is captured as it comes has an instant of its own, as for the live node, and is no repetition: whatever log times say. */
  #setApart(name: string): void {
    const lastUs = this.#receptionsUs.get(name);
    if (lastUs !== undefined && this.clock.now() <= lastUs) this.advance((lastUs + 1 - CLOCK_ORIGIN_US) * NS_PER_US);
    this.#receptionsUs.set(name, this.clock.now());
  }

  #activate(): void {
    for (const { backend, variants } of this.configuration.models) {
      for (const { backendModel } of variants) this.#actor.post({ type: 'readiness', backend, backendModel, ready: true });
    }
    for (const [backend, { roundTripUs }] of this.#backends) this.#actor.post({ type: 'round_trip', backend, p90: roundTripUs });
    this.#actor.post({ type: 'resume' });
  }

  #stream(name: string): RunStream {
    const { parameters } = this.#options.contract;
    const stream = parameters.streams[name];
    const model = parameters.models[stream?.model ?? ''];
    if (stream === undefined || model === undefined) throw new RangeError(`no stream '${name}'`);
    const variants = Object.entries(model.variants);
    return {
      stamps: stampPolicyOf(stream),
      runtimes: new StreamRuntimes(this.#options.seed, name, model),
      variants: new Map(variants.map(([, { backend_model: backendModel, version }], index) => [backendModel, { index, version }])),
    };
  }

  #streamOf(name: string): RunStream {
    const stream = this.#streams.get(name);
    if (stream === undefined) throw new RangeError(`no stream '${name}'`);
    return stream;
  }
}

const nothing = () => [];

/** Its content is not looked at. */
function frameOf(stream: string, header: Header): Frame {
  return { stream, header, inputs: nothing, decode: nothing };
}
