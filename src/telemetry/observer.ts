import type { Cause } from '../core/catalogue.js';
import type { Contract } from '../core/configuration.js';
import type { Micros } from '../core/units.js';
import type { Clock, OutcomeRecord, Publisher, ResultRecord } from '../governor/ports.js';
import type { Metrics } from './metrics.js';
import type { StampFacts } from './stamp-offset.js';
import { StreamStatistics } from './stream-statistics.js';

/** What hears of every message and every end. */
type Counters = Pick<Metrics, 'received' | 'lost' | 'outcome'>;

/** Counts everything that is published, then passes it on. */
export class Observer implements Publisher {
  readonly #streams = new Map<string, StreamStatistics>();
  readonly #causes = new Map<string, Map<Cause, number>>();
  readonly #stamps = new Map<string, StampFacts>();
  /** By the machine's time: silence goes on while simulated time stands. */
  readonly #lastArrivalUs = new Map<string, Micros>();
  readonly #clock: Clock;
  readonly #metrics: Counters;
  readonly #next: Publisher;

  constructor(contracts: ReadonlyMap<string, Contract>, clock: Clock, metrics: Counters, next: Publisher) {
    for (const [name, contract] of contracts) {
      this.#streams.set(name, new StreamStatistics(contract));
      this.#causes.set(name, new Map());
    }
    this.#clock = clock;
    this.#metrics = metrics;
    this.#next = next;
  }

  /** @throws {RangeError} for a stream that is not configured. */
  statistics(stream: string): StreamStatistics {
    const found = this.#streams.get(stream);
    if (found === undefined) throw new RangeError(`no stream '${stream}'`);
    return found;
  }

  /** The ends of a stream by cause since the last call. */
  takeCauses(stream: string): ReadonlyMap<Cause, number> {
    const taken = this.#causes.get(stream) ?? new Map<Cause, number>();
    this.#causes.set(stream, new Map());
    return taken;
  }

  /** For how long nothing has come; undefined before the first message. */
  silentUs(stream: string): number | undefined {
    const lastUs = this.#lastArrivalUs.get(stream);
    return lastUs === undefined ? undefined : this.#machineNow() - lastUs;
  }

  /** The stamp of a message, and its age by it. */
  stamped(stream: string, ageUs: number, { stampNs, rosNowNs, offsetUs }: Pick<StampFacts, 'stampNs' | 'rosNowNs' | 'offsetUs'>): void {
    const { minAgeUs = ageUs, maxAgeUs = ageUs } = this.#stamps.get(stream) ?? {};
    this.#stamps.set(stream, { minAgeUs: Math.min(minAgeUs, ageUs), maxAgeUs: Math.max(maxAgeUs, ageUs), stampNs, rosNowNs, offsetUs });
  }

  /** The stamps of a stream since the last call. */
  takeStamps(stream: string): StampFacts | undefined {
    const taken = this.#stamps.get(stream);
    this.#stamps.delete(stream);
    return taken;
  }

  /** The clock that stamps are read by jumped. */
  startOver(): void {
    this.#stamps.clear();
    for (const statistics of this.#streams.values()) statistics.startOver();
  }

  received(stream: string, ageUs: number | undefined): void {
    this.#lastArrivalUs.set(stream, this.#machineNow());
    this.statistics(stream).received(ageUs, this.#clock.now());
    this.#metrics.received(stream);
    this.#next.received(stream, ageUs);
  }

  lost(stream: string, messages: number): void {
    this.statistics(stream).lost(messages);
    this.#metrics.lost(stream, messages);
  }

  result(record: ResultRecord): void {
    this.statistics(record.stream).result(record, this.#clock.now());
    this.#next.result(record);
  }

  outcome(record: OutcomeRecord): void {
    this.statistics(record.stream).outcome(record);
    const causes = this.#causes.get(record.stream);
    causes?.set(record.cause, (causes.get(record.cause) ?? 0) + 1);
    this.#metrics.outcome(record);
    this.#next.outcome(record);
  }

  #machineNow(): Micros {
    const { machine = this.#clock } = this.#clock;
    return machine.now();
  }
}
