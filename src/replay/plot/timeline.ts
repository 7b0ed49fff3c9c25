/** What happened when, in a fixed number of spans of equal length: plots of bags of any length are as large. */
import type { Cause } from '../../core/catalogue.js';
import type { CoreConfiguration } from '../../core/configuration.js';
import type { OutcomeRecord, ResultRecord } from '../../governor/ports.js';
import type { Execution } from '../run-record.js';

export const SPANS = 240;
const NS_PER_US = 1000;
/** The piece of the bag whose executions are drawn one by one. */
const PIECE_NS = 1_000_000_000;
/** It begins at a multiple of this. */
const ROUND_NS = 100_000_000;
const MOST_EXECUTIONS = 4000;

export interface StreamTimeline {
  /** Highest age that the newest result reached in each span; NaN before the first one. */
  readonly peakAgesNs: Float64Array;
  readonly causes: Map<Cause, Uint32Array>;
}

export class Timeline {
  readonly endNs: number;
  readonly #nowNs: () => number;
  readonly piece: { readonly fromNs: number; readonly toNs: number };
  readonly executions: Execution[] = [];
  readonly #streams: ReadonlyMap<string, StreamTimeline & { newestNs: number; seenNs: number }>;
  readonly #busyNs = new Map<string, Float64Array>();

  /** @param endNs of the bag, from its start @param nowNs from the start of the bag */
  constructor({ streams, backends }: CoreConfiguration, endNs: number, nowNs: () => number) {
    this.#nowNs = nowNs;
    this.endNs = Math.max(1, endNs);
    const fromNs = Math.max(0, Math.floor((this.endNs - PIECE_NS) / 2 / ROUND_NS) * ROUND_NS);
    this.piece = { fromNs, toNs: Math.min(this.endNs, fromNs + PIECE_NS) };
    this.#streams = new Map(
      streams.map(({ name }) => [
        name,
        { peakAgesNs: new Float64Array(SPANS).fill(Number.NaN), causes: new Map(), newestNs: Number.NaN, seenNs: 0 },
      ]),
    );
    for (const { name } of backends) this.#busyNs.set(name, new Float64Array(SPANS));
  }

  get streams(): ReadonlyMap<string, StreamTimeline> {
    return this.#streams;
  }

  /** Busy time of all slots of a backend in each span. */
  get busyNs(): ReadonlyMap<string, Float64Array> {
    return this.#busyNs;
  }

  get spanNs(): number {
    return this.endNs / SPANS;
  }

  result({ stream, ageUs }: ResultRecord): void {
    const nowNs = this.#nowNs();
    const one = this.#streams.get(stream);
    if (one === undefined) return;
    this.#grow(one, nowNs);
    const captureNs = nowNs - ageUs * NS_PER_US;
    if (!(captureNs <= one.newestNs)) one.newestNs = captureNs;
  }

  outcome({ stream, cause }: OutcomeRecord): void {
    const one = this.#streams.get(stream);
    if (one === undefined) return;
    let counts = one.causes.get(cause);
    if (counts === undefined) {
      counts = new Uint32Array(SPANS);
      one.causes.set(cause, counts);
    }
    const span = this.#spanAt(this.#nowNs());
    counts[span] = (counts[span] ?? 0) + 1;
  }

  executed(execution: Execution): void {
    const { backend, startNs, endNs } = execution;
    const busy = this.#busyNs.get(backend);
    for (let span = this.#spanAt(startNs); busy !== undefined && span < SPANS && span * this.spanNs < endNs; span += 1) {
      const overlapNs = Math.min(endNs, (span + 1) * this.spanNs) - Math.max(startNs, span * this.spanNs);
      busy[span] = (busy[span] ?? 0) + Math.max(0, overlapNs);
    }
    const { fromNs, toNs } = this.piece;
    if (endNs > fromNs && startNs < toNs && this.executions.length < MOST_EXECUTIONS) this.executions.push(execution);
  }

  /** Ages grow to the end of the bag. */
  finish(): void {
    for (const one of this.#streams.values()) this.#grow(one, this.endNs);
  }

  /** The age grew since it was looked at. */
  #grow(one: StreamTimeline & { newestNs: number; seenNs: number }, nowNs: number): void {
    for (let span = this.#spanAt(one.seenNs); !Number.isNaN(one.newestNs) && span <= this.#spanAt(nowNs); span += 1) {
      const ageNs = Math.min(nowNs, (span + 1) * this.spanNs) - one.newestNs;
      const peakNs = one.peakAgesNs[span] ?? Number.NaN;
      if (!(ageNs <= peakNs)) one.peakAgesNs[span] = ageNs;
    }
    one.seenNs = nowNs;
  }

  #spanAt(ns: number): number {
    return Math.min(SPANS - 1, Math.floor(ns / this.spanNs));
  }
}
