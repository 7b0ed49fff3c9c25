/**
 * What people write by hand: each frame is sent to the server at once, in order of arrival; a bounded number may wait there for each
 * topic, the rest is dropped. Nobody looks at the age before the result is there. Frames are counted and judged as the governor does.
 */
import type { Logger } from 'pino';
import { toContract } from '../config/core-configuration.js';
import type { Parameters } from '../config/schema.js';
import type { Cause, State } from '../core/catalogue.js';
import { NO_LEASES } from '../core/snapshot.js';
import { requestId } from '../core/units.js';
import { readCapture } from '../governor/capture-time.js';
import type { CallEnd, Clock, Frame, Header, OutcomeRecord, Publisher } from '../governor/ports.js';
import type { ReceivedMessage } from '../service/governor-service.js';
import { NO_EVIDENCE_NEEDED } from '../service/inference-server.js';
import { type ConnectServer, ServedBackend } from '../service/served-backend.js';
import { modelsServedBy } from '../service/served-models.js';
import { createStreams, type Stream } from '../service/stream.js';
import type { GovernorStatus } from '../telemetry/status.js';
import { StreamStatistics } from '../telemetry/stream-statistics.js';
import { InvalidMessage } from '../tensor/invalid-message.js';

export interface UngovernedPorts {
  readonly clock: Clock;
  readonly publisher: Publisher;
  readonly connect: ConnectServer;
  readonly log: Logger;
}

interface Lane {
  readonly stream: Stream;
  readonly statistics: StreamStatistics;
  readonly backend: ServedBackend;
  readonly variant: string;
  readonly backendModel: string;
  /** Calls at the server at most: one that runs, and those that wait. */
  readonly limit: number;
  readonly maxAgeUs: number;
  open: number;
}

/** Known when a message came in. */
interface Arrival {
  readonly lane: Lane;
  readonly header: Header;
  readonly request: ReturnType<typeof requestId>;
  readonly captureUs: number;
}

export class UngovernedService {
  readonly #parameters: Parameters;
  readonly #ports: UngovernedPorts;
  readonly #backends: ReadonlyMap<string, ServedBackend>;
  readonly #lanes: ReadonlyMap<string, Lane>;
  readonly #usable = new Set<string>();
  #requests = 0;

  constructor(parameters: Parameters, ports: UngovernedPorts) {
    this.#parameters = parameters;
    this.#ports = ports;
    const streams = createStreams(parameters);
    this.#backends = new Map(
      Object.entries(parameters.backends).map(([name, backend]) => {
        const models = modelsServedBy(name, streams.values());
        return [
          name,
          new ServedBackend({
            connect: ports.connect,
            name,
            parameters: backend,
            models,
            use: (model, metadata) => this.#use(model, metadata !== undefined),
            evidence: NO_EVIDENCE_NEEDED,
            now: () => ports.clock.now(),
            log: ports.log,
          }),
        ];
      }),
    );
    this.#lanes = new Map([...streams.values()].map((stream) => [stream.name, this.#lane(stream)]));
  }

  start(): void {
    for (const backend of this.#backends.values()) {
      backend.start();
      backend.activate();
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#backends.values()].map((backend) => backend.close()));
  }

  /** Never throws. */
  receive(name: string, { header, rosNowNs, message }: ReceivedMessage): void {
    const lane = this.#laneOf(name);
    this.#requests += 1;
    const request = requestId(this.#requests);
    const now = this.#ports.clock.now();
    const stampNs = BigInt(header.stamp.sec) * 1_000_000_000n + BigInt(header.stamp.nanosec);
    const reading = readCapture(lane.stream.stamps, { stampNs, rosNowNs, now });
    lane.statistics.received(reading.ageUs, now);
    const arrival = { lane, header, request, captureUs: reading.valid ? reading.capture : now };
    if (!reading.valid) this.#end(arrival, 'invalid', reading.cause, reading.detail);
    else if (!this.#usable.has(lane.backendModel)) this.#end(arrival, 'infeasible', 'no_variant_ready', 'the model is not ready');
    else if (lane.open >= lane.limit)
      this.#end(arrival, 'infeasible', 'queue_full', `${lane.limit} frames of this topic are at the server`);
    else this.#send(arrival, message);
  }

  refuse(name: string, header: Header, cause: 'inactive' | 'no_clock', detail: string): void {
    const lane = this.#laneOf(name);
    this.#requests += 1;
    const now = this.#ports.clock.now();
    lane.statistics.received(undefined, now);
    this.#end({ lane, header, request: requestId(this.#requests), captureUs: now }, 'cancelled', cause, detail);
  }

  countLost(name: string, messages: number): void {
    this.#laneOf(name).statistics.lost(messages);
  }

  noteInput(stream: string, problem: string): void {
    this.#ports.log.error({ stream }, problem);
  }

  status(): GovernorStatus {
    const now = this.#ports.clock.now();
    const lanes = [...this.#lanes.values()];
    return {
      ready: lanes.every((lane) => this.#usable.has(lane.backendModel)),
      streams: lanes.map(({ stream, statistics, open }) => ({
        ...statistics.snapshot(now),
        stream: stream.name,
        waiting: 0,
        inFlight: open,
        weaklyHardMisses: undefined,
        weaklyHardViolated: false,
        profile: 'unmeasured',
      })),
      backends: [...this.#backends.values()].map((backend) => ({
        ...backend.health(),
        backend: backend.name,
        slots: backend.parameters.slots,
        inFlight: lanes.filter((lane) => lane.backend === backend).reduce((sum, lane) => sum + lane.open, 0),
        held: 0,
        quarantined: 0,
        leases: NO_LEASES,
        reconciled: 0,
        restarts: 0,
        trusted: true,
        lateAnswers: 0,
        overloadLevel: 0,
      })),
    };
  }

  #send(arrival: Arrival, message: unknown): void {
    const { lane, header, request } = arrival;
    let frame: Frame;
    try {
      frame = lane.stream.codec.frame(header, message);
    } catch (error) {
      this.#end(arrival, 'invalid', error instanceof InvalidMessage ? error.cause : 'malformed_message', String(error));
      return;
    }
    const sentUs = this.#ports.clock.now();
    lane.open += 1;
    const call = { request, stream: frame.stream, backendModel: lane.backendModel, inputs: frame.inputs(lane.variant) };
    void lane.backend.server.infer(call).then((end) => {
      lane.open -= 1;
      this.#answered(arrival, end, this.#ports.clock.now() - sentUs);
    });
  }

  #answered(arrival: Arrival, end: CallEnd, serviceUs: number): void {
    if (end.result === 'failed') this.#end(arrival, 'backend_failed', end.cause, end.detail, serviceUs);
    else if (end.result !== 'ok') this.#end(arrival, 'backend_failed', FAILURES[end.result], end.detail, serviceUs);
    else if (this.#ports.clock.now() - arrival.captureUs > arrival.lane.maxAgeUs) this.#end(arrival, 'obsolete', 'obsolete', '', serviceUs);
    else this.#end(arrival, 'delivered', 'delivered', '', serviceUs);
  }

  #end({ lane, header, request, captureUs }: Arrival, state: State, cause: Cause, detail: string, serviceUs?: number): void {
    const ageUs = this.#ports.clock.now() - captureUs;
    const record: OutcomeRecord = {
      header,
      stream: lane.stream.name,
      request,
      state,
      cause,
      ageUs,
      ...(serviceUs === undefined ? {} : { serviceUs }),
      deadlineMissed: ageUs > lane.maxAgeUs,
      variant: lane.variant,
      detail,
    };
    lane.statistics.outcome(record);
    this.#ports.publisher.outcome(record);
  }

  #lane(stream: Stream): Lane {
    const parameters = this.#parameters.streams[stream.name];
    const [[variant, { backend_model: backendModel }] = ['', { backend_model: '' }]] = Object.entries(stream.model.variants);
    const backend = this.#backends.get(stream.model.backend);
    if (parameters === undefined || backend === undefined) throw new RangeError(`stream '${stream.name}' is not configured`);
    const contract = toContract(parameters.contract);
    return {
      stream,
      statistics: new StreamStatistics(contract),
      backend,
      variant,
      backendModel,
      limit: 1 + parameters.queue.capacity,
      maxAgeUs: contract.maxAgeUs,
      open: 0,
    };
  }

  #laneOf(name: string): Lane {
    const lane = this.#lanes.get(name);
    if (lane === undefined) throw new RangeError(`no stream '${name}'`);
    return lane;
  }

  #use(backendModel: string, usable: boolean): void {
    if (usable) this.#usable.add(backendModel);
    else this.#usable.delete(backendModel);
  }
}

const FAILURES = { not_counted: 'rejected_by_server', not_started: 'unavailable', unknown: 'execution_unknown' } as const;
