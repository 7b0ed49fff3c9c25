import type { Logger } from 'pino';
import { toCoreConfiguration, withUnverifiedProfiles } from '../config/core-configuration.js';
import type { Parameters } from '../config/schema.js';
import type { Contract, CoreConfiguration } from '../core/configuration.js';
import { DecisionCore } from '../core/decision-core.js';
import type { CoreEvent, Readiness } from '../core/events.js';
import { type Micros, micros, millis } from '../core/units.js';
import { Actor, type ActorBackend } from '../governor/actor.js';
import { type CaptureReading, readCapture, type StampPolicy } from '../governor/capture-time.js';
import { followCalls } from '../governor/follow-call.js';
import { type ModelMetadata, signatureOf } from '../governor/model-metadata.js';
import type { Clock, Frame, Header, Publisher, TraceSink } from '../governor/ports.js';
import type { DiagnosticStatus } from '../telemetry/diagnostics.js';
import { type HeldCalls, heldCalls } from '../telemetry/held-calls.js';
import { Metrics } from '../telemetry/metrics.js';
import { MetricsServer } from '../telemetry/metrics-server.js';
import { Observer } from '../telemetry/observer.js';
import { whatIsMissing } from '../telemetry/readiness.js';
import type { ClockFacts } from '../telemetry/ros-clock.js';
import type { GovernorStatus } from '../telemetry/status.js';
import { InvalidMessage } from '../tensor/invalid-message.js';
import { LiveTrace } from '../trace/live-trace.js';
import { RecentEvents } from '../trace/recent-events.js';
import type { EvidenceListener } from './inference-server.js';
import { LearnedFile } from './learned-file.js';
import { NodeStatus } from './node-status.js';
import { type ConnectServer, ServedBackend, type UseListener } from './served-backend.js';
import { modelsServedBy } from './served-models.js';
import { createStreams, type Stream } from './stream.js';

export interface ServicePorts {
  readonly clock: Clock;
  readonly publisher: Publisher;
  readonly connect: ConnectServer;
  readonly log: Logger;
  /** Instant zero of ROS time on the clock; cycles that contracts declare in ROS time count from there. */
  readonly rosEpochUs?: Micros | undefined;
  /** What is known of /clock; nothing without use_sim_time. */
  readonly rosClock?: () => ClockFacts | undefined;
  /** Hears of every event of the core from the first one on, whatever `trace.file` says. */
  readonly trace?: ((configuration: CoreConfiguration) => TraceSink) | undefined;
}

/** A message as an adapter received it; stamps are not judged yet. */
export interface ReceivedMessage {
  readonly header: Header;
  /** ROS time of the reception. */
  readonly rosNowNs: bigint;
  /** In the layout of its ROS type; its bytes are ours from now on. */
  readonly message: unknown;
}

/** How often the measured round trip is told to the core, and the trace put into its file. */
const HOUSEKEEPING_INTERVAL_MS = 1000;

/**
 * One governor from configure to cleanup, without ROS: the actor, its backends, its streams, its telemetry. After cleanup it is not used
 * again; the next configure makes a new one, which knows nothing of leases the old one held.
 */
export class GovernorService {
  #parameters: Parameters;
  /** That the core began with. */
  readonly #configuration: CoreConfiguration;
  readonly #ports: ServicePorts;
  readonly #streams: ReadonlyMap<string, Stream>;
  readonly #contracts: Map<string, Contract>;
  readonly #backends: ReadonlyMap<string, ServedBackend>;
  readonly #metrics: Metrics;
  readonly #core: DecisionCore;
  readonly #recent: RecentEvents;
  /** Hear of every event from the first one on. */
  readonly #traces: TraceSink[];
  readonly #observer: Observer;
  readonly #actor: Actor;
  readonly #status: NodeStatus;
  #trace: LiveTrace | undefined;
  #metricsServer: MetricsServer | undefined;
  /** Once it is read: what it holds is not overwritten before that. */
  #learnedFile: LearnedFile | undefined;
  #housekeeping: NodeJS.Timeout | undefined;
  #configured = false;
  #active = false;
  #rosEpochUs: Micros | undefined;

  constructor(parameters: Parameters, ports: ServicePorts) {
    this.#parameters = parameters;
    this.#ports = ports;
    this.#rosEpochUs = ports.rosEpochUs;
    this.#streams = createStreams(parameters);
    this.#metrics = new Metrics(() => this.status());
    const configuration = withUnverifiedProfiles(toCoreConfiguration(parameters, ports.rosEpochUs));
    this.#configuration = configuration;
    this.#contracts = new Map(configuration.streams.map(({ name, contract }) => [name, contract]));
    this.#observer = new Observer(this.#contracts, ports.clock, this.#metrics, ports.publisher);
    const core = new DecisionCore(configuration);
    this.#core = core;
    this.#recent = new RecentEvents(configuration);
    this.#traces = [this.#recent, ...(ports.trace === undefined ? [] : [ports.trace(configuration)])];
    this.#backends = new Map(Object.keys(parameters.backends).map((name) => [name, this.#serve(name)]));
    this.#actor = new Actor(core, {
      clock: ports.clock,
      publisher: this.#observer,
      trace: allOf(this.#traces),
      backends: new Map([...this.#backends.values()].map(actorBackend)),
      whyNotReady: (stream) => this.#whyNotReady(stream),
    });
    this.#status = new NodeStatus(core, this.#observer, this.#streams, this.#contracts, this.#backends, ports.clock);
  }

  /** The port the metrics are served on; absent while they are not. */
  get metricsPort(): number | undefined {
    return this.#metricsServer?.port;
  }

  /**
   * Serves metrics and connects to the backends; a server that is not there yet is waited for in the background.
   * @throws {Error} when the metrics port or the trace cannot be had; `cleanup` ends what is open then.
   */
  async configure(): Promise<void> {
    const { host, port } = this.#parameters.metrics;
    if (port !== 0) this.#metricsServer = await MetricsServer.listen(this.#metrics, host, port, () => this.#whatIsMissing());
    this.#trace = await LiveTrace.open(this.#parameters.trace, this.#configuration, this.#ports.log); // last: what can fail has not
    if (this.#trace !== undefined) this.#traces.push(this.#trace);
    for (const backend of this.#backends.values()) backend.start();
    this.#housekeeping = setInterval(() => {
      this.#tellRoundTrips();
      this.#trace?.flush();
    }, HOUSEKEEPING_INTERVAL_MS);
    this.#restore();
    this.#actor.post({ type: 'drain' }); // until activate, whatever comes is refused
    this.#configured = true;
    this.reconfigure(this.#parameters); // to what changed meanwhile: the trace tells of it, too
  }

  /** Serves from now on; a model is used from the end of its warm-up, and one that hangs there keeps nobody waiting. */
  activate(): void {
    for (const backend of this.#backends.values()) backend.activate();
    this.#actor.resume();
    this.#active = true;
  }

  /** Judges stamp and geometry, then hands the frame to the core. Never throws: a message that is no request ends as invalid. */
  receive(name: string, input: ReceivedMessage): void {
    const stream = this.#streamOf(name);
    const { header } = input;
    const stampNs = BigInt(header.stamp.sec) * 1_000_000_000n + BigInt(header.stamp.nanosec);
    const reading = this.#readCapture(stream.stamps, stampNs, input.rosNowNs);
    if (reading.ageUs !== undefined && stream.stamps.source === 'header') {
      this.#observer.stamped(name, reading.ageUs, { stampNs, rosNowNs: input.rosNowNs, offsetUs: stream.stamps.offsetUs });
    }
    if (!reading.valid) {
      this.#actor.refuse(name, header, reading.cause, reading.detail, reading.ageUs);
      return;
    }
    let frame: Frame;
    try {
      frame = stream.codec.frame(header, input.message);
    } catch (error) {
      const cause = error instanceof InvalidMessage ? error.cause : 'malformed_message';
      this.#actor.refuse(name, header, cause, error instanceof Error ? error.message : String(error), reading.ageUs);
      return;
    }
    this.#actor.accept(frame, reading.capture, reading.stampNs, reading.ageUs);
  }

  /** What is captured as it comes has an instant of its own, and is no repetition, even while the clock stands. */
  #readCapture(policy: StampPolicy, stampNs: bigint, rosNowNs: bigint): CaptureReading {
    const { clock } = this.#ports;
    const now = clock.now();
    const reading = readCapture(policy, { stampNs, rosNowNs, now });
    const mustOrder = clock.machine !== undefined && reading.valid && reading.capture === now;
    return mustOrder ? readCapture(policy, { stampNs, rosNowNs, now: clock.machine.orderedNow() }) : reading;
  }

  /** A message that came while it could not be judged; its reason is the node's, not its own. */
  refuse(name: string, header: Header, cause: 'inactive' | 'no_clock', detail: string): void {
    this.#actor.refuse(this.#streamOf(name).name, header, cause, detail);
  }

  /** Messages that were lost before the node. They have no outcome. */
  countLost(name: string, messages: number): void {
    this.#observer.lost(name, messages);
  }

  /** What the subscription of a stream knows, for instance an incompatible publisher; undefined when that is over. */
  noteInput(name: string, problem: string | undefined): void {
    this.#status.noteInput(name, problem);
  }

  /** Puts other contracts in force; everything else in the parameters has to be as it was. What waits stays. */
  reconfigure(parameters: Parameters): void {
    this.#parameters = parameters;
    if (!this.#configured) return;
    const { streams } = toCoreConfiguration(parameters, this.#rosEpochUs);
    const contracts = streams.filter(({ name, contract }) => JSON.stringify(contract) !== JSON.stringify(this.#contracts.get(name)));
    if (contracts.length === 0) return;
    this.#actor.post({ type: 'reconfigure', contracts: contracts.map(({ name, contract }) => ({ stream: name, contract })) });
    for (const { name, contract } of contracts) {
      this.#contracts.set(name, contract);
      this.#observer.statistics(name).adopt(contract);
    }
  }

  /** Where ROS time begins on the clock, which was not known before or has changed: cycles that contracts declare in it move along. */
  placeRosTime(rosEpochUs: Micros): void {
    this.#rosEpochUs = rosEpochUs;
    this.reconfigure(this.#parameters);
  }

  /** The clock that captures are read by jumped: what waits cannot be compared with what comes. */
  clockJumped(): void {
    if (!this.#configured) return; // nothing has come yet
    this.#actor.post({ type: 'clock_jump' });
    this.#observer.startOver();
  }

  /** Drains within drain_timeout_ms; every open request has its outcome when it returns. @returns whether the end of every call is proven. */
  async deactivate(): Promise<boolean> {
    this.#active = false;
    const complete = await this.#actor.drain(millis(this.#parameters.drain_timeout_ms));
    for (const backend of this.#backends.values()) backend.deactivate();
    this.#learnedFile?.write(this.#core.learned());
    return complete;
  }

  /** A drain does not wait any longer. */
  hurry(): void {
    this.#actor.hurry();
  }

  /** The calls whose end is not proven, one entry a backend that has some; cleanup forgets them. */
  heldCalls(): readonly HeldCalls[] {
    return heldCalls(this.status().backends);
  }

  /** Ends everything this service owns, whatever of it fails to end. @throws the first failure */
  async cleanup(): Promise<void> {
    clearInterval(this.#housekeeping);
    this.#learnedFile?.write(this.#core.learned());
    this.#actor.close();
    const ends = [this.#trace?.close(), ...[...this.#backends.values()].map((backend) => backend.close()), this.#metricsServer?.close()];
    this.#metricsServer = undefined;
    const failed = (await Promise.allSettled(ends)).find((end) => end.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  status(): GovernorStatus {
    return this.#status.read(this.#active);
  }

  /** Why a request ended so, or what became of the frames of a stream lately: a text for a person. */
  explain(subject: string): Promise<string> {
    return this.#recent.explain(subject);
  }

  /** Call it at a steady rate: what stays wrong over several calls becomes an error. */
  diagnostics(): readonly DiagnosticStatus[] {
    return this.#status.diagnose((stream) => this.#whyNotReady(stream), this.#ports.rosClock?.());
  }

  /** Why streams cannot be served now, one line each; nothing when every one of them can. */
  unserved(): readonly string[] {
    return [...this.#streams.keys()].flatMap((name) => {
      const reason = this.#whyNotReady(name);
      return reason === undefined ? [] : [`stream ${name}: ${reason}`];
    });
  }

  #restore(): void {
    const { state_file: stateFile } = this.#parameters.learning;
    if (stateFile === '') return;
    const file = new LearnedFile(stateFile, this.#ports.log);
    this.#actor.post({ type: 'restore', learned: file.read() });
    this.#learnedFile = file;
  }

  #serve(name: string): ServedBackend {
    const { clock, connect, log } = this.#ports;
    const parameters = this.#parameters.backends[name];
    if (parameters === undefined) throw new RangeError(`no backend '${name}'`);
    const models = modelsServedBy(name, this.#streams.values());
    const use: UseListener = (backendModel, metadata) =>
      this.#actor.post({ type: 'readiness', backend: name, backendModel, ready: metadata !== undefined, ...factsOf(metadata) });
    return new ServedBackend({
      connect,
      name,
      parameters,
      models,
      use,
      evidence: this.#evidenceOf(name),
      now: () => orderedNow(clock),
      log,
    });
  }

  /** What the server says of the ends of calls goes to the core as it is. */
  #evidenceOf(backend: string): EvidenceListener {
    return {
      counter: (backendModel, completed, polledUs) => this.#testify({ type: 'counter', backend, backendModel, completed, polledUs }),
      witness: (present, polledUs) => this.#testify({ type: 'witness', backend, present, polledUs }),
      warmUp: (backendModel, call, end) =>
        this.#testify({ type: 'warm_up', backend, backendModel, call, ...(end === undefined ? {} : { end }) }),
    };
  }

  /** Proofs go by what was asked and done before what: each has an instant of its own, even while the clock stands. */
  #testify(event: CoreEvent): void {
    orderedNow(this.#ports.clock);
    this.#actor.post(event);
  }

  #streamOf(name: string): Stream {
    const stream = this.#streams.get(name);
    if (stream === undefined) throw new RangeError(`no stream '${name}'`);
    return stream;
  }

  #whatIsMissing(): string | undefined {
    const missing = whatIsMissing(this.#active, this.status().backends);
    return missing.length === 0 ? undefined : missing.join(', ');
  }

  #whyNotReady(name: string): string | undefined {
    const { model } = this.#streamOf(name);
    const reasons = Object.values(model.variants).map((variant) => this.#backends.get(model.backend)?.whyNotUsable(variant.backend_model));
    if (reasons.includes(undefined)) return undefined;
    return `${[...new Set(reasons)].join('; ')} (backend '${model.backend}')`;
  }

  #tellRoundTrips(): void {
    for (const { name, server } of this.#backends.values()) {
      const p90 = server.roundTripP90();
      // Measured by the machine's time; the core plans in its own.
      const { pace = 1 } = this.#ports.clock.machine ?? {};
      if (p90 !== undefined) this.#actor.post({ type: 'round_trip', backend: name, p90: micros(Math.round(p90 * pace)) });
    }
  }
}

function allOf(sinks: readonly TraceSink[]): TraceSink {
  return {
    record: (event, at, actions) => {
      for (const sink of sinks) sink.record(event, at, actions);
    },
    refused: (refusal, at) => {
      for (const sink of sinks) sink.refused(refusal, at);
    },
  };
}

function orderedNow(clock: Clock): Micros {
  return clock.machine?.orderedNow() ?? clock.now();
}

function factsOf(metadata: ModelMetadata | undefined): Pick<Readiness, 'instances' | 'signature'> {
  if (metadata === undefined) return {};
  const { instances } = metadata;
  return { ...(instances === undefined ? {} : { instances }), signature: signatureOf(metadata) };
}

function actorBackend({ name, server, parameters }: ServedBackend): [string, ActorBackend] {
  const timeoutUs = millis(parameters.timeout_ms);
  return [name, { startCall: followCalls(server), timeoutUs, poll: (backendModel, everyUs) => server.poll(backendModel, everyUs) }];
}
