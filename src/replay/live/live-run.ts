/** A bag through the service of the live node, with real servers: in real time, or as fast as they answer. */
import type { Logger } from 'pino';
import { toCoreConfiguration } from '../../config/core-configuration.js';
import type { Parameters } from '../../config/schema.js';
import type { CoreConfiguration } from '../../core/configuration.js';
import { CLOCK_ORIGIN_US, type Micros, micros, millis } from '../../core/units.js';
import type { OutcomeRecord, Publisher, ResultRecord, TraceSink } from '../../governor/ports.js';
import { headerOf } from '../../ros/message-header.js';
import { GovernorService } from '../../service/governor-service.js';
import type { ConnectServer } from '../../service/served-backend.js';
import type { LogSpan } from '../bag/bag-file.js';
import type { Bag } from '../bag/open-bag.js';
import type { ReplayContract } from '../contract-file.js';
import { createMessageReader } from '../header-reader.js';
import { LogGaps } from '../log-gaps.js';
import type { NodeTopics } from '../output/node-topics.js';
import { reportRegularly } from '../output/status-times.js';
import type { Timeline } from '../plot/timeline.js';
import { type ContractReport, contractName } from '../report.js';
import { RunRecord } from '../run-record.js';
import { routesOf, TopicRouter } from '../topics.js';
import { OpenCalls } from './calls.js';
import { LiveClock } from './live-clock.js';
import { ObservedSlots } from './observed-slots.js';

/** Core time before the bag: for servers to become ready, and models to be warmed up. */
const LEAD_US = 600_000_000;
const READY_LIMIT_MS = 30_000;
const LOOK_MS = 20;
const NS_PER_US = 1000;

/** A server that cannot be used. */
export class LiveReplayError extends Error {
  override readonly name = 'LiveReplayError';
}

export interface LiveRunOptions {
  readonly bag: Bag;
  readonly span: LogSpan;
  readonly contract: ReplayContract;
  readonly connect: ConnectServer;
  /** Whether time in which no call is open is skipped. */
  readonly fast: boolean;
  /** Whether a timeline is kept, for plots. */
  readonly timeline: boolean;
  readonly log: Logger;
  /** Hears of every event of the core from the first one on. */
  readonly trace?: ((configuration: CoreConfiguration) => TraceSink) | undefined;
}

export interface LiveRunEnd {
  readonly report: ContractReport;
  /** About the bag, one line each. */
  readonly findings: readonly string[];
  /** Whether every call has ended. */
  readonly drained: boolean;
}

/** Used once: `start`, `run`, `close`. */
export class LiveRun implements Publisher {
  readonly #options: LiveRunOptions;
  readonly #clock = new LiveClock();
  readonly #calls = new OpenCalls();
  readonly #service: GovernorService;
  readonly #startUs: Micros = micros(CLOCK_ORIGIN_US + LEAD_US);
  readonly #endNs: number;
  readonly #record: RunRecord;
  readonly #slots: ReadonlyMap<string, ObservedSlots>;
  readonly #parameters: Parameters;
  #topics: NodeTopics | undefined;

  constructor(options: LiveRunOptions) {
    const { contract, span, connect, timeline, log, trace: sink } = options;
    this.#options = options;
    this.#endNs = Number(span.endNs - span.startNs);
    const rosEpochUs = micros(this.#startUs - Number(span.startNs / 1000n));
    // Nothing of a node that may run beside it is touched: its port, what it learned, its trace.
    const { metrics, learning, trace } = contract.parameters;
    this.#parameters = {
      ...contract.parameters,
      metrics: { ...metrics, port: 0 },
      learning: { ...learning, state_file: '' },
      trace: { ...trace, file: '' },
    };
    this.#service = new GovernorService(this.#parameters, {
      clock: this.#clock,
      publisher: this,
      connect: this.#calls.counting(connect, (backend, request) => this.#slotsOf(backend).sent(request)),
      log,
      rosEpochUs,
      trace: sink,
    });
    const configuration = toCoreConfiguration(this.#parameters, rosEpochUs);
    const nowNs = () => this.#nowNs();
    const record = new RunRecord({ configuration, originUs: this.#startUs, endNs: this.#endNs, nowNs, timeline });
    this.#record = record;
    this.#slots = new Map(
      configuration.backends.map(({ name, slots }) => [name, new ObservedSlots({ backend: name, slots, record, nowNs })]),
    );
  }

  get timeline(): Timeline | undefined {
    return this.#record.timeline;
  }

  rosNowNs(): bigint {
    return this.#options.span.startNs + BigInt((this.#clock.now() - this.#startUs) * NS_PER_US);
  }

  /** @throws {LiveReplayError} when a server is not ready in time. */
  async start(): Promise<void> {
    await this.#service.configure();
    this.#service.activate();
    const limitUs = micros(this.#clock.now() + millis(READY_LIMIT_MS));
    for (let unserved = this.#service.unserved(); unserved.length > 0; unserved = this.#service.unserved()) {
      if (this.#clock.now() > limitUs)
        throw new LiveReplayError(
          `${contractName(this.#options.contract.files)}: not ready after ${READY_LIMIT_MS / 1000} s: ${unserved.join('; ')}`,
        );
      await this.#clock.until(micros(this.#clock.now() + millis(LOOK_MS)));
    }
    while (this.#clock.now() < this.#startUs) this.#clock.skip(this.#startUs);
  }

  /** @param settle called again and again with how much of the bag is replayed. */
  async run(topics: NodeTopics | undefined, settle: (doneNs: number) => Promise<void>): Promise<LiveRunEnd> {
    const { bag, contract } = this.#options;
    this.#topics = topics;
    const reportEnd = topics === undefined ? () => {} : this.#report(topics);
    const router = new TopicRouter({
      bag,
      routes: routesOf(contract, undefined),
      createReader: createMessageReader,
    });
    const gaps = new LogGaps(bag);
    for await (const { block, from, to } of bag.messages(router.wants)) {
      for (let index = from; index < to; index += 1) {
        const route = router.routeOf(block, index);
        if (route === undefined) continue;
        await this.#reach(block.sinceStartNs(index), settle);
        gaps.note(block, index);
        const logNs = block.logNs(index);
        const message = readable(
          () => route.read(block, index),
          (error) => router.unreadable(block, index, error),
        );
        for (const { stream } of route.targets)
          this.#service.receive(stream, { header: headerOf(message, logNs), rosNowNs: this.rosNowNs(), message });
      }
      await settle(block.sinceStartNs(to - 1));
    }
    await this.#reach(this.#endNs, settle);
    await this.#comeToRest();
    reportEnd(); // while the node is active: one that is not reports itself as an error
    const { open } = this.#record;
    const drained = await this.#drain();
    if (open > 0) topics?.status(this.#service.status()); // what the drain left
    await settle(this.#endNs);
    router.tell();
    return { report: this.#record.report(contract.files), findings: gaps.tell(), drained };
  }

  async close(): Promise<void> {
    await this.#service.cleanup();
    this.#clock.close();
  }

  received(stream: string, ageUs: number | undefined): void {
    this.#record.received(stream, ageUs);
  }

  result(record: ResultRecord): void {
    this.#record.result(record);
    this.#topics?.result(record);
  }

  outcome(record: OutcomeRecord): void {
    this.#record.outcome(record);
    this.#topics?.outcome(record);
  }

  /** Until an instant of the bag: by waiting, or where nothing is under way and nobody minds, at once. */
  async #reach(sinceStartNs: number, settle: (doneNs: number) => Promise<void>): Promise<void> {
    const at = micros(this.#startUs + Math.ceil(sinceStartNs / NS_PER_US));
    while (this.#clock.now() < at) {
      if (!this.#options.fast) await this.#clock.until(at);
      else if (this.#calls.any) await Promise.race([this.#clock.until(at), this.#calls.ended()]);
      else {
        this.#clock.skip(at);
        await settle(Math.min(this.#nowNs(), sinceStartNs));
      }
    }
  }

  /** What waits may still start within the time that a drain has. */
  async #comeToRest(): Promise<void> {
    const limitUs = micros(this.#clock.now() + millis(this.#parameters.drain_timeout_ms));
    while (this.#record.open > 0 && this.#clock.now() < limitUs) await this.#clock.until(micros(this.#clock.now() + millis(LOOK_MS)));
  }

  /** @returns whether every call has ended. */
  async #drain(): Promise<boolean> {
    const drained = await this.#service.deactivate();
    for (const slots of this.#slots.values()) slots.close();
    return drained;
  }

  /** @returns what tells how it ended. */
  #report(topics: NodeTopics): () => void {
    const node = {
      status: () => this.#service.status(),
      diagnostics: () => this.#service.diagnostics(),
      silentUs: (stream: string) => (this.#nowNs() - (this.#record.lastNs(stream) ?? 0)) / NS_PER_US,
      isBusy: () => !this.#options.fast || this.#calls.any || this.#record.open > 0,
    };
    return reportRegularly(node, this.#parameters, this.#clock, topics);
  }

  #slotsOf(backend: string): ObservedSlots {
    const slots = this.#slots.get(backend);
    if (slots === undefined) throw new RangeError(`no backend '${backend}'`);
    return slots;
  }

  #nowNs(): number {
    return (this.#clock.now() - this.#startUs) * NS_PER_US;
  }
}

/** What cannot be read is nothing that the codec of a stream takes: it ends as malformed. */
function readable(read: () => unknown, failed: (error: unknown) => void): unknown {
  try {
    return read();
  } catch (error) {
    failed(error);
    return undefined;
  }
}
