/** What becomes of the messages of one run, whoever answers: counted for the report, and for plots when it happened. */
import type { CoreConfiguration } from '../core/configuration.js';
import { RequestTable } from '../core/request-table.js';
import type { Micros } from '../core/units.js';
import type { OutcomeRecord, Publisher, ResultRecord } from '../governor/ports.js';
import { Timeline } from './plot/timeline.js';
import type { ContractReport } from './report.js';
import { SlotsRecord } from './slots-record.js';
import { StreamRecord } from './stream-record.js';

/** A message from its arrival until its outcome, and the end of its calls. */
export interface Job {
  readonly stream: string;
  readonly record: StreamRecord;
  /** Of the message in its stream, from 0. */
  readonly number: number;
  slots: SlotsRecord | undefined;
  executedNs: number;
  /** Whether it has its outcome, and whether that is a fresh result. */
  ended: boolean;
  fresh: boolean;
}

/** One call on a slot; instants in nanoseconds from the start of the bag. */
export interface Execution {
  readonly job: Job;
  readonly backend: string;
  readonly slot: number;
  readonly startNs: number;
  readonly endNs: number;
}

export interface RunRecordOptions {
  readonly configuration: CoreConfiguration;
  /** Core time of the start of the bag. */
  readonly originUs: Micros;
  /** Of the bag, from its start. */
  readonly endNs: number;
  /** Now, from the start of the bag. */
  readonly nowNs: () => number;
  /** Whether a timeline is kept. */
  readonly timeline: boolean;
}

export class RunRecord implements Publisher {
  readonly timeline: Timeline | undefined;
  readonly #endNs: number;
  readonly #nowNs: () => number;
  readonly #streams: ReadonlyMap<string, StreamRecord>;
  readonly #slots: ReadonlyMap<string, SlotsRecord>;
  readonly #jobs = new RequestTable<Job>();
  #requests = 0;

  constructor({ configuration, originUs, endNs, nowNs, timeline }: RunRecordOptions) {
    const { streams, models, backends } = configuration;
    this.#endNs = endNs;
    this.#nowNs = nowNs;
    this.timeline = timeline ? new Timeline(configuration, endNs, nowNs) : undefined;
    const variants = new Map(models.map((model) => [model.name, model.variants.map(({ name }) => name)]));
    this.#streams = new Map(
      streams.map(({ name, model, contract }) => [name, new StreamRecord({ contract, variants: variants.get(model) ?? [], originUs })]),
    );
    this.#slots = new Map(backends.map(({ name, slots }) => [name, new SlotsRecord(slots)]));
  }

  /** Messages without an outcome. */
  get open(): number {
    return this.#jobs.size;
  }

  /** When the last message of a stream came; undefined before the first. */
  lastNs(stream: string): number | undefined {
    return this.#streamOf(stream).lastNs;
  }

  /** @throws {RangeError} for a request that has its outcome, or none of this run. */
  jobOf(request: number): Job {
    const job = this.#jobs.get(request);
    if (job === undefined) throw new RangeError(`request ${request} is not open`);
    return job;
  }

  /** The actor numbers requests from 1 as they come. */
  received(stream: string, ageUs: number | undefined): void {
    const record = this.#streamOf(stream);
    this.#requests += 1;
    this.#jobs.set(this.#requests, {
      stream,
      record,
      number: record.received,
      slots: undefined,
      executedNs: 0,
      ended: false,
      fresh: false,
    });
    record.arrived(ageUs, this.#nowNs());
  }

  executed(execution: Execution): void {
    const { job, backend, startNs, endNs } = execution;
    const ranNs = endNs - startNs;
    job.slots = this.#slots.get(backend);
    job.executedNs += ranNs;
    job.record.computeNs += ranNs;
    job.slots?.executed(startNs, endNs, this.#endNs);
    if (job.ended) job.slots?.wasted(ranNs); // its requester did not wait
    this.timeline?.executed(execution);
  }

  result(record: ResultRecord): void {
    this.#streamOf(record.stream).delivered(record, this.#nowNs());
    this.timeline?.result(record);
  }

  outcome(record: OutcomeRecord): void {
    const { request, state } = record;
    const job = this.jobOf(request);
    job.ended = true;
    job.fresh = state === 'delivered';
    if (!job.fresh) job.slots?.wasted(job.executedNs);
    job.record.ended(record);
    this.#jobs.delete(request);
    this.timeline?.outcome(record);
  }

  /** Of the whole bag, once every message has its outcome. @param params the files of the contract */
  report(params: readonly string[]): ContractReport {
    this.timeline?.finish();
    const reports = <R>(of: ReadonlyMap<string, { report(endNs: number): R }>): Record<string, R> =>
      Object.fromEntries([...of].map(([name, one]) => [name, one.report(this.#endNs)]));
    return { params, streams: reports(this.#streams), backends: reports(this.#slots) };
  }

  #streamOf(name: string): StreamRecord {
    const stream = this.#streams.get(name);
    if (stream === undefined) throw new RangeError(`no stream '${name}'`);
    return stream;
  }
}
