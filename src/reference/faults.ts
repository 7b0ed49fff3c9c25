import type { ModelStatistics } from '../triton/generated/inference/ModelStatistics.js';
import type { CallFault, Fault, Instant, StandingFault } from './fault.js';

const MAX_FAULTS = 256;

/** A fault as it stands. */
export interface StandingEntry {
  readonly id: number;
  readonly fault: Fault;
  /** Calls that it has met. */
  readonly hits: number;
}

/** By model. */
type Statistics = ReadonlyMap<string, ModelStatistics>;

class Entry implements StandingEntry {
  readonly id: number;
  readonly fault: Fault;
  readonly statistics: Statistics;
  readonly cleared: Promise<void>;
  hits = 0;
  #clear: () => void = () => undefined;

  constructor(id: number, fault: Fault, statistics: Statistics) {
    this.id = id;
    this.fault = fault;
    this.statistics = statistics;
    this.cleared = new Promise((resolve) => {
      this.#clear = resolve;
    });
  }

  clear(): void {
    this.#clear();
  }
}

/** A fault that meets a call now. */
export interface MetFault {
  readonly fault: CallFault;
  /** Resolves when the fault is cleared. */
  readonly cleared: Promise<void>;
}

/** There are too many faults. */
export class TooManyFaultsError extends Error {
  override readonly name = 'TooManyFaultsError';
  readonly code = 'too_many';
}

/** The faults that stand. They outlive a restart of the server. */
export class Faults {
  readonly #entries = new Map<number, Entry>();
  #lastId = 0;

  /** @param statistics what the counters are now @throws {TooManyFaultsError} */
  add(fault: Fault, statistics: Statistics): StandingEntry {
    if (this.#entries.size >= MAX_FAULTS) throw new TooManyFaultsError(`${MAX_FAULTS} faults stand; clear some first`);
    this.#lastId += 1;
    const entry = new Entry(this.#lastId, fault, statistics);
    this.#entries.set(entry.id, entry);
    return entry;
  }

  list(): StandingEntry[] {
    return [...this.#entries.values()];
  }

  /** Ends a fault; what hangs by it goes on. @returns false when there is none of this number. */
  clear(id: number): boolean {
    const entry = this.#entries.get(id);
    entry?.clear();
    return this.#entries.delete(id);
  }

  clearAll(): number {
    const count = this.#entries.size;
    for (const id of [...this.#entries.keys()]) this.clear(id);
    return count;
  }

  /** The oldest fault that meets a call of the model at this instant. It counts as met. */
  meet(at: Instant, model: string): MetFault | undefined {
    for (const entry of this.#entries.values()) {
      const { fault } = entry;
      if (!('at' in fault) || fault.at !== at || !concerns(fault, model) || entry.hits >= (fault.count ?? Infinity)) continue;
      entry.hits += 1;
      return { fault, cleared: entry.cleared };
    }
    return undefined;
  }

  /** What readiness is said to be; undefined: what is true. @param model none: that of the server. */
  readiness(model?: string): boolean | undefined {
    return this.#standing('readiness', model)?.fault.ready;
  }

  /** What the counters are said to be; undefined: what is true. */
  counters(model: string): ModelStatistics | undefined {
    return this.#standing('counters', model)?.entry.statistics.get(model);
  }

  /** How long it takes to load the model, in milliseconds. */
  loadMs(model: string): number {
    return this.#standing('slow_load', model)?.fault.ms ?? 0;
  }

  /** The newest one counts. */
  #standing<F extends StandingFault['fault']>(name: F, model: string | undefined) {
    for (const entry of [...this.#entries.values()].reverse()) {
      const { fault } = entry;
      if (isOf(name, fault) && (model === undefined ? fault.model === undefined : concerns(fault, model))) return { fault, entry };
    }
    return undefined;
  }
}

function concerns({ model }: { readonly model?: string | undefined }, name: string): boolean {
  return model === undefined || model === name;
}

function isOf<F extends StandingFault['fault']>(name: F, fault: Fault): fault is Extract<StandingFault, { readonly fault: F }> {
  return fault.fault === name;
}
