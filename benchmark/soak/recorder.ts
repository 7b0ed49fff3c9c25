/** Counts what became of the messages, and how the process fares. */
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import type { State } from '../../src/core/catalogue.js';
import type { OutcomeRecord, Publisher } from '../../src/governor/ports.js';
import type { GovernorService } from '../../src/service/governor-service.js';

/** One line of the table: counts since the start, the rest since the line before. */
export interface Row {
  readonly seconds: number;
  readonly received: number;
  readonly delivered: number;
  readonly superseded: number;
  readonly failed: number;
  /** Ended in any other way: too late, refused, cancelled. */
  readonly other: number;
  readonly in_flight: number;
  readonly held: number;
  readonly quarantined: number;
  readonly reconciled: number;
  readonly restarts: number;
  readonly rss_mb: number;
  readonly loop_delay_p50_ms: number;
  readonly loop_delay_p99_ms: number;
  readonly loop_delay_max_ms: number;
}

const MB = 1024 * 1024;
/** Of the event-loop delay, which is measured by a timer: what it counts is the time between two, so this is taken off. */
const RESOLUTION_MS = 5;
const FAILED: ReadonlySet<State> = new Set(['backend_failed', 'backend_timeout', 'invalid']);

export class Recorder implements Publisher {
  readonly #startMs = performance.now();
  readonly #delay: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  #received = 0;
  #ended = 0;
  #delivered = 0;
  #superseded = 0;
  #failed = 0;
  readonly #causes = new Map<string, number>();
  /** Of the last delivery, on the clock of the process. */
  lastDeliveryMs = 0;

  constructor() {
    this.#delay.enable();
  }

  get open(): number {
    return this.#received - this.#ended;
  }

  /** Ends by stream, state and cause, the most frequent first. */
  get causes(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#causes].toSorted(([, one], [, other]) => other - one));
  }

  received(): void {
    this.#received += 1;
  }

  result(): void {}

  outcome({ stream, state, cause }: OutcomeRecord): void {
    this.#ended += 1;
    const key = `${stream} ${state}/${cause}`;
    this.#causes.set(key, (this.#causes.get(key) ?? 0) + 1);
    if (state === 'delivered') {
      this.#delivered += 1;
      this.lastDeliveryMs = performance.now();
    } else if (state === 'superseded') this.#superseded += 1;
    else if (FAILED.has(state)) this.#failed += 1;
  }

  row(service: Pick<GovernorService, 'status'>): Row {
    const [backend] = service.status().backends;
    if (backend === undefined) throw new Error('the governor has lost its backend');
    const beyond = (ns: number) => round(Math.max(0, ns / 1e6 - RESOLUTION_MS));
    const delayMs = (percent: number) => beyond(this.#delay.percentile(percent));
    const row = {
      seconds: Math.round((performance.now() - this.#startMs) / 1000),
      received: this.#received,
      delivered: this.#delivered,
      superseded: this.#superseded,
      failed: this.#failed,
      other: this.#ended - this.#delivered - this.#superseded - this.#failed,
      in_flight: backend.inFlight,
      held: backend.held,
      quarantined: backend.quarantined,
      reconciled: backend.reconciled,
      restarts: backend.restarts,
      rss_mb: round(process.memoryUsage.rss() / MB),
      loop_delay_p50_ms: delayMs(50),
      loop_delay_p99_ms: delayMs(99),
      loop_delay_max_ms: beyond(this.#delay.max),
    };
    this.#delay.reset();
    return row;
  }

  close(): void {
    this.#delay.disable();
  }
}

const round = (value: number): number => Math.round(value * 10) / 10;
