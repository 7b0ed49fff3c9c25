/** Gathers what the nodes of an arm publish. Counts come from the status, which leaves nothing out; ages and causes from the outcomes. */
import type { State } from '../core/catalogue.js';
import { noOutcomes } from '../telemetry/outcome-counts.js';
import type { StreamStatus } from '../telemetry/status.js';
import type { AgeMs, StreamReport } from './arm-report.js';

/** An outcome as the demo needs it. */
export interface SeenOutcome {
  readonly stream: string;
  readonly state: State;
  readonly cause: string;
  /** When it ended, by the ROS clock: stamp and age. Too early when the node was held up while it read the age. */
  readonly endUs: number;
  /** When it was published, by the ROS clock. Too late when the node was held up before. */
  readonly publishedUs: number;
  readonly ageUs: number;
  /** Negative when it was never dispatched. */
  readonly serviceUs: number;
}

export type SeenStream = Pick<StreamStatus, 'stream' | 'received' | 'waiting' | 'inFlight' | 'lostBeforeNode' | 'outcomes'>;

export interface SeenStatus {
  readonly ready: boolean;
  readonly streams: readonly SeenStream[];
  /** Calls whose end is not proven. */
  readonly inFlight: number;
}

/** Results of an hour at 30 Hz. */
const MAX_AGES = 108_000;

interface StreamTally {
  readonly agesMs: number[];
  readonly causes: Map<string, number>;
}

export class ArmStatistics {
  readonly #maxAgesMs: ReadonlyMap<string, number>;
  readonly #tallies = new Map<string, StreamTally>();
  readonly #calls = new CallOverlap();
  #status: SeenStatus | undefined;
  #inFlightMax = 0;

  /** @param maxAgesMs of each stream */
  constructor(maxAgesMs: ReadonlyMap<string, number>) {
    this.#maxAgesMs = maxAgesMs;
    for (const stream of maxAgesMs.keys()) this.#tallies.set(stream, { agesMs: [], causes: new Map() });
  }

  get status(): SeenStatus | undefined {
    return this.#status;
  }

  outcome(outcome: SeenOutcome): void {
    const tally = this.#tallies.get(outcome.stream);
    if (tally === undefined) return;
    tally.causes.set(outcome.cause, (tally.causes.get(outcome.cause) ?? 0) + 1);
    if (outcome.serviceUs >= 0) this.#calls.add(outcome.publishedUs - outcome.serviceUs, outcome.endUs);
    const isResult = outcome.state === 'delivered' || outcome.state === 'obsolete';
    if (isResult && tally.agesMs.length < MAX_AGES) tally.agesMs.push(outcome.ageUs / 1000);
  }

  seen(status: SeenStatus): void {
    this.#status = status;
    this.#inFlightMax = Math.max(this.#inFlightMax, status.inFlight);
  }

  inFlightMax(): number {
    return Math.max(this.#inFlightMax, this.#calls.max);
  }

  /** By the last status; zeros before the first. */
  streams(): Readonly<Record<string, StreamReport>> {
    return Object.fromEntries([...this.#tallies].map(([stream, tally]) => [stream, this.#stream(stream, tally)]));
  }

  /** As far as the outcomes tell, which come at once; the status comes once a second. */
  now(stream: string): {
    received: number;
    causes: Readonly<Record<string, number>>;
    ageMs: AgeMs;
    maxAgeMs: number;
    open: number;
    lost: number;
  } {
    const { agesMs, causes } = this.#tallies.get(stream) ?? { agesMs: [], causes: new Map<string, number>() };
    const status = this.#status?.streams.find((one) => one.stream === stream);
    const open = (status?.waiting ?? 0) + (status?.inFlight ?? 0);
    const ended = [...causes.values()].reduce((sum, count) => sum + count, 0);
    return {
      received: ended + open,
      causes: Object.fromEntries(causes),
      ageMs: agesOf(agesMs),
      maxAgeMs: this.#maxAgesMs.get(stream) ?? 0,
      open,
      lost: status?.lostBeforeNode ?? 0,
    };
  }

  #stream(stream: string, tally: StreamTally): StreamReport {
    const status = this.#status?.streams.find((one) => one.stream === stream);
    return {
      received: status?.received ?? 0,
      outcomes: status?.outcomes ?? noOutcomes(),
      causes: Object.fromEntries(tally.causes),
      age_ms: agesOf(tally.agesMs),
      contract: { max_age_ms: this.#maxAgesMs.get(stream) ?? 0 },
      lost_before_node: status?.lostBeforeNode ?? 0,
    };
  }
}

/** Whether every frame has its outcome and no call runs. */
export function isDrained(status: SeenStatus): boolean {
  return status.inFlight === 0 && status.streams.every((stream) => stream.waiting === 0 && stream.inFlight === 0 && isComplete(stream));
}

function isComplete({ received, outcomes }: SeenStream): boolean {
  return Object.values(outcomes).reduce((sum, count) => sum + count, 0) === received;
}

/** Nearest rank. */
export function agesOf(agesMs: readonly number[]): AgeMs {
  const sorted = agesMs.toSorted((a, b) => a - b);
  const at = (part: number) => {
    const value = sorted[Math.ceil(part * sorted.length) - 1];
    return value === undefined ? null : Math.round(value * 10) / 10;
  };
  return { p50: at(0.5), p95: at(0.95), max: at(1) };
}

const REMEMBERED_CALLS = 64;

/** How many calls ran at the same time, told by the time that each surely ran; they come about in order of their ends. */
class CallOverlap {
  readonly #calls: { readonly startUs: number; readonly endUs: number }[] = [];
  max = 0;

  add(startUs: number, endUs: number): void {
    this.#calls.push({ startUs, endUs });
    if (this.#calls.length > REMEMBERED_CALLS) this.#calls.shift();
    for (const { startUs: at } of this.#calls) {
      const running = this.#calls.filter((call) => call.startUs <= at && call.endUs > at).length;
      this.max = Math.max(this.max, running);
    }
  }
}
