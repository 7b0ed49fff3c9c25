import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { CAUSES } from '../core/catalogue.js';
import type { OutcomeRecord } from '../governor/ports.js';
import { HELD_STATES } from './held-calls.js';
import type { BackendStatus, GovernorStatus } from './status.js';

/** Seconds; a camera's period and the usual contracts lie well inside. */
const BUCKETS_S = [0.001, 0.002, 0.005, 0.01, 0.02, 0.033, 0.05, 0.066, 0.1, 0.15, 0.2, 0.3, 0.5, 1, 2, 5];

/** The Prometheus metrics of one node. Labels are names from the configuration and the catalogue, never ids or stamps. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #received: Counter<'stream'>;
  readonly #lost: Counter<'stream'>;
  readonly #outcomes: Counter<'stream' | 'state' | 'cause'>;
  readonly #age: Histogram<'stream'>;
  readonly #waiting: Histogram<'stream'>;
  readonly #service: Histogram<'stream'>;

  /** @param status read at each scrape, for what is a state rather than an event. */
  constructor(status: () => GovernorStatus) {
    const registers = [this.#registry];
    const byStream = ['stream'] as const;
    this.#received = new Counter({ name: 'vig_received_total', help: 'Messages received.', labelNames: byStream, registers });
    this.#lost = new Counter({
      name: 'vig_lost_before_node_total',
      help: 'Messages lost before the node: gaps in the sequence of the publisher. They have no outcome.',
      labelNames: byStream,
      registers,
    });
    this.#outcomes = new Counter({
      name: 'vig_outcomes_total',
      help: 'Terminal outcomes by state and cause.',
      labelNames: ['stream', 'state', 'cause'],
      registers,
    });
    const histogram = (name: string, help: string): Histogram<'stream'> =>
      new Histogram({ name, help, labelNames: byStream, buckets: BUCKETS_S, registers });
    this.#age = histogram('vig_result_age_seconds', 'Age of results, from capture to publication.');
    this.#waiting = histogram('vig_waiting_seconds', 'From reception to dispatch, of frames that were dispatched.');
    this.#service = histogram('vig_service_seconds', 'From dispatch to the end, of frames that were dispatched.');
    this.#addStates(status);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** The page in the Prometheus text format. */
  page(): Promise<string> {
    return this.#registry.metrics();
  }

  received(stream: string): void {
    this.#received.inc({ stream });
  }

  lost(stream: string, messages: number): void {
    this.#lost.inc({ stream }, messages);
  }

  outcome(record: OutcomeRecord): void {
    const { stream, state, cause } = record;
    this.#outcomes.inc({ stream, state, cause });
    if (record.serviceUs === undefined) return;
    if (record.waitingUs !== undefined) this.#waiting.observe({ stream }, record.waitingUs / 1e6);
    this.#service.observe({ stream }, record.serviceUs / 1e6);
    const hasResult = CAUSES[cause].state === 'delivered' || CAUSES[cause].state === 'obsolete';
    if (hasResult && record.ageUs !== undefined) this.#age.observe({ stream }, record.ageUs / 1e6);
  }

  #addStates(status: () => GovernorStatus): void {
    const gauge = <L extends string>(name: string, help: string, label: L, read: (now: GovernorStatus) => [string, number][]): void => {
      new Gauge({
        name,
        help,
        labelNames: [label],
        registers: [this.#registry],
        collect() {
          for (const [of, value] of read(status())) this.set({ [label]: of } as Record<L, string>, value);
        },
      });
    };
    gauge('vig_waiting_requests', 'Requests that wait for dispatch.', 'stream', (now) => now.streams.map((s) => [s.stream, s.waiting]));
    gauge('vig_weakly_hard_misses', 'Missed cycles in the window of the miss budget.', 'stream', (now) =>
      now.streams.flatMap((s) => (s.weaklyHardMisses === undefined ? [] : [[s.stream, s.weaklyHardMisses]])),
    );
    gauge('vig_weakly_hard_violated', '1 while the miss budget is broken.', 'stream', (now) =>
      now.streams.flatMap((s) => (s.weaklyHardMisses === undefined ? [] : [[s.stream, s.weaklyHardViolated ? 1 : 0]])),
    );
    this.#addProofs(status);
    gauge('vig_in_flight', 'Calls whose end is not proven.', 'backend', (now) => now.backends.map((b) => [b.backend, b.inFlight]));
    gauge(
      'vig_quarantined_slots',
      'Of the calls in flight: held, their requester has its outcome. By state: vig_held_calls.',
      'backend',
      (now) => now.backends.map((b) => [b.backend, b.held]),
    );
    gauge('vig_late_answers', 'Answers that came after their time-out.', 'backend', (now) =>
      now.backends.map((b) => [b.backend, b.lateAnswers]),
    );
    gauge('vig_overload_level', 'Overload level: 0 normal, 1 sweep, 2 degraded, 3 no best effort, 4 guarded only.', 'backend', (now) =>
      now.backends.map((b) => [b.backend, b.overloadLevel]),
    );
    gauge('vig_backend_ready', '1 while the server says that it is ready.', 'backend', (now) =>
      now.backends.map((b) => [b.backend, b.ready ? 1 : 0]),
    );
    gauge('vig_backend_trusted', '0 once a model was called by others too, so that counts prove less.', 'backend', (now) =>
      now.backends.map((b) => [b.backend, b.trusted ? 1 : 0]),
    );
  }

  /** What is known of the ends of calls (rules.md 11). */
  #addProofs(status: () => GovernorStatus): void {
    const registers = [this.#registry];
    new Gauge({
      name: 'vig_held_calls',
      help: 'Held calls by what is known of their end; docs/runbook.md says what to do about each.',
      labelNames: ['backend', 'state'],
      registers,
      collect() {
        for (const { backend, leases } of status().backends) for (const state of HELD_STATES) this.set({ backend, state }, leases[state]);
      },
    });
    const counter = (name: string, help: string, read: (backend: BackendStatus) => number): void => {
      new Counter({
        name,
        help,
        labelNames: ['backend'],
        registers,
        collect() {
          this.reset();
          for (const backend of status().backends) this.inc({ backend: backend.backend }, read(backend));
        },
      });
    };
    counter('vig_execution_reconciled_total', 'Slots that came back by another proof than an answer.', (backend) => backend.reconciled);
    counter('vig_backend_restarts_total', 'Restarts of the server or of one of its models, noticed so far.', (backend) => backend.restarts);
  }
}
