/** A bag through the service of the live node, with real servers: in real time, or as fast as they answer. */
import type { Logger } from 'pino';
import { toCoreConfiguration } from '../../config/core-configuration.js';
import type { Parameters } from '../../config/schema.js';
import { CLOCK_ORIGIN_US, type Micros, micros, millis } from '../../core/units.js';
import type { OutcomeRecord, Publisher, ResultRecord } from '../../governor/ports.js';
import { headerOf } from '../../ros/message-header.js';
import { GovernorService } from '../../service/governor-service.js';
import type { ConnectServer } from '../../service/served-backend.js';
import type { LogSpan } from '../bag/bag-file.js';
import type { Bag } from '../bag/open-bag.js';
import type { ReplayContract } from '../contract-file.js';
import { createMessageReader } from '../header-reader.js';
import type { NodeTopics } from '../output/node-topics.js';
import { reportRegularly } from '../output/status-times.js';
import type { ContractReport } from '../report.js';
import { SlotsRecord } from '../slots-record.js';
import { StreamRecord } from '../stream-record.js';
import { TopicRouter } from '../topics.js';
import { OpenCalls } from './calls.js';
import { LiveClock } from './live-clock.js';

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
  readonly log: Logger;
}

/** Used once: `start`, `run`, `close`. */
export class LiveRun implements Publisher {
  readonly #options: LiveRunOptions;
  readonly #clock = new LiveClock();
  readonly #calls = new OpenCalls();
  readonly #service: GovernorService;
  readonly #startUs: Micros = micros(CLOCK_ORIGIN_US + LEAD_US);
  readonly #endNs: number;
  readonly #streams: ReadonlyMap<string, StreamRecord>;
  readonly #slots: ReadonlyMap<string, SlotsRecord>;
  readonly #parameters: Parameters;
  #topics: NodeTopics | undefined;
  #open = 0;

  constructor(options: LiveRunOptions) {
    const { contract, span, connect, log } = options;
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
      connect: this.#calls.counting(connect),
      log,
      rosEpochUs,
    });
    const { streams } = toCoreConfiguration(this.#parameters, rosEpochUs);
    this.#streams = new Map(streams.map(({ name, contract: own, model }) => [name, this.#record(own, model)]));
    this.#slots = new Map(Object.entries(this.#parameters.backends).map(([name, { slots }]) => [name, new SlotsRecord(slots)]));
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
      if (this.#clock.now() > limitUs) throw new LiveReplayError(`not ready after ${READY_LIMIT_MS / 1000} s: ${unserved.join('; ')}`);
      await this.#clock.until(micros(this.#clock.now() + millis(LOOK_MS)));
    }
    while (this.#clock.now() < this.#startUs) this.#clock.skip(this.#startUs);
  }

  /** @param settle called again and again with how much of the bag is replayed. */
  async run(topics: NodeTopics | undefined, settle: (doneNs: number) => Promise<void>): Promise<ContractReport> {
    const { bag, contract } = this.#options;
    this.#topics = topics;
    if (topics !== undefined) this.#report(topics);
    const routes = contract.streams.map(({ name, topic, type }) => ({ topic, type, stream: name, target: undefined }));
    const router = new TopicRouter({ bag, routes, createReader: createMessageReader, otherTypes: 'left out' });
    for await (const { block, from, to } of bag.messages(router.wants)) {
      for (let index = from; index < to; index += 1) {
        const route = router.routeOf(block, index);
        if (route === undefined) continue;
        await this.#reach(block.sinceStartNs(index));
        const logNs = block.logNs(index);
        for (const { stream } of route.targets) {
          const message = readable(() => route.read(block, index));
          this.#service.receive(stream, { header: headerOf(message, logNs), rosNowNs: logNs, message });
        }
      }
      await settle(block.sinceStartNs(to - 1));
    }
    await this.#reach(this.#endNs);
    await this.#finish();
    await settle(this.#endNs);
    router.tellMissing();
    return this.#contractReport();
  }

  async close(): Promise<void> {
    await this.#service.cleanup();
    this.#clock.close();
  }

  received(stream: string, ageUs: number | undefined): void {
    this.#open += 1;
    this.#recordOf(stream).arrived(ageUs, this.#nowNs());
  }

  result(record: ResultRecord): void {
    this.#recordOf(record.stream).delivered(record, this.#nowNs());
    this.#topics?.result(record);
  }

  outcome(record: OutcomeRecord): void {
    const { stream, state, serviceUs } = record;
    this.#open -= 1;
    const own = this.#recordOf(stream);
    own.ended(record);
    if (serviceUs !== undefined) {
      const ranNs = serviceUs * NS_PER_US;
      const slots = this.#slots.get(this.#parameters.models[this.#parameters.streams[stream]?.model ?? '']?.backend ?? '');
      own.computeNs += ranNs;
      slots?.executed(this.#nowNs() - ranNs, this.#nowNs(), this.#endNs);
      if (state !== 'delivered') slots?.wasted(ranNs);
    }
    this.#topics?.outcome(record);
  }

  /** Until an instant of the bag: by waiting, or where nothing is under way and nobody minds, at once. */
  async #reach(sinceStartNs: number): Promise<void> {
    const at = micros(this.#startUs + Math.ceil(sinceStartNs / NS_PER_US));
    while (this.#clock.now() < at) {
      if (!this.#options.fast) await this.#clock.until(at);
      else if (this.#calls.any) await Promise.race([this.#clock.until(at), this.#calls.ended()]);
      else this.#clock.skip(at);
    }
  }

  /** What waits may still start within the time that a drain has; then the drain. */
  async #finish(): Promise<void> {
    const limitUs = micros(this.#clock.now() + millis(this.#parameters.drain_timeout_ms));
    while (this.#open > 0 && this.#clock.now() < limitUs) await this.#clock.until(micros(this.#clock.now() + millis(LOOK_MS)));
    await this.#service.deactivate();
  }

  #report(topics: NodeTopics): void {
    const node = {
      status: () => this.#service.status(),
      diagnostics: () => this.#service.diagnostics(),
      silentUs: (stream: string) => (this.#nowNs() - (this.#recordOf(stream).lastNs ?? 0)) / NS_PER_US,
    };
    reportRegularly(node, this.#parameters, this.#clock, topics);
  }

  #contractReport(): ContractReport {
    const reports = <R, T extends { report(endNs: number): R }>(of: ReadonlyMap<string, T>): Record<string, R> =>
      Object.fromEntries([...of].map(([name, one]) => [name, one.report(this.#endNs)]));
    return { params: this.#options.contract.files, streams: reports(this.#streams), backends: reports(this.#slots) };
  }

  #record(contract: ConstructorParameters<typeof StreamRecord>[0]['contract'], model: string): StreamRecord {
    const variants = Object.keys(this.#parameters.models[model]?.variants ?? {});
    return new StreamRecord({ contract, variants, originUs: this.#startUs });
  }

  #recordOf(stream: string): StreamRecord {
    const record = this.#streams.get(stream);
    if (record === undefined) throw new RangeError(`no stream '${stream}'`);
    return record;
  }

  #nowNs(): number {
    return (this.#clock.now() - this.#startUs) * NS_PER_US;
  }
}

/** What cannot be read is nothing that the codec of a stream takes: it ends as malformed. */
function readable(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return undefined;
  }
}
