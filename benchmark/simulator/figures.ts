/** The figures of one scenario, by policy and load: what the seeds gave, and how far they lie apart. */
import type { RunReport, SimulationReport, StreamReport } from '../../src/simulator/report.js';
import { isGuarded, type Scenario } from '../../src/simulator/scenario.js';
import { type Spread, spreadOf } from '../statistics.js';

export type Load = number | null;
export type Figure = (run: RunReport) => number | null;

export class Figures {
  readonly scenario: Scenario;
  readonly policies: readonly string[];
  readonly loads: readonly Load[];
  readonly seeds: number;
  readonly #runs = new Map<string, RunReport[]>();

  /** @param report of every seed. */
  constructor(scenario: Scenario, { runs }: SimulationReport) {
    this.scenario = scenario;
    this.policies = [...new Set(runs.map(({ policy }) => policy))];
    this.loads = [...new Set(runs.map(({ load_permille }) => load_permille))];
    for (const run of runs) {
      const key = keyOf(run.policy, run.load_permille);
      this.#runs.set(key, [...(this.#runs.get(key) ?? []), run]);
    }
    this.seeds = Math.max(...[...this.#runs.values()].map(({ length }) => length));
  }

  has(policy: string): boolean {
    return this.policies.includes(policy);
  }

  /** Undefined where it was not run, or most seeds have no such figure. */
  spread(policy: string, load: Load, figure: Figure): Spread | undefined {
    const values = (this.#runs.get(keyOf(policy, load)) ?? []).map(figure);
    const numbers = values.filter((value) => value !== null);
    return numbers.length * 2 <= values.length ? undefined : spreadOf(numbers);
  }

  median(policy: string, load: Load, figure: Figure): number | undefined {
    return this.spread(policy, load, figure)?.median;
  }

  /** Whether two policies did the same with every seed and at every load. */
  areAlike(one: string, other: string): boolean {
    return this.loads.every((load) => this.#fingerprint(one, load) === this.#fingerprint(other, load));
  }

  #fingerprint(policy: string, load: Load): string {
    return JSON.stringify((this.#runs.get(keyOf(policy, load)) ?? []).map(({ policy: _, ...run }) => run));
  }

  get guarded(): readonly string[] {
    return this.scenario.streams.filter(isGuarded).map(({ name }) => name);
  }

  /** Of bounded queues one depth for all loads, and for all scenarios of a family: that whose worst guarded stream misses least in all. */
  bestFifo(depths: readonly string[], family: readonly Figures[] = []): string | undefined {
    const missed = (policy: string) => [this, ...family].reduce((sum, figures) => sum + figures.#missed(policy), 0);
    return depths.filter((policy) => this.has(policy)).sort((a, b) => missed(a) - missed(b))[0];
  }

  #missed(policy: string): number {
    return this.loads.reduce<number>((sum, load) => sum + (this.median(policy, load, worstWindow) ?? 0), 0);
  }
}

export const worstWindow: Figure = ({ worst_guarded }) => worst_guarded?.window_uncovered_permille ?? null;
export const worstConsumer: Figure = ({ worst_guarded }) => worst_guarded?.consumer_uncovered_permille ?? null;
export const valid: Figure = (run) => run.valid;

/** The highest of some streams. */
export function worstOf(streams: readonly string[], figure: (stream: StreamReport) => number): Figure {
  return (run) => Math.max(...streams.map((name) => figureOf(run, name, figure)));
}

export function ofStream(name: string, figure: (stream: StreamReport) => number | null): Figure {
  return ({ streams }) => {
    const stream = streams[name];
    return stream === undefined ? null : figure(stream);
  };
}

export const windowUncovered = (stream: StreamReport): number => stream.window_uncovered_permille;
export const consumerUncovered = (stream: StreamReport): number => stream.consumer_uncovered_permille;

function figureOf({ streams }: RunReport, name: string, figure: (stream: StreamReport) => number): number {
  const stream = streams[name];
  return stream === undefined ? 0 : figure(stream);
}

function keyOf(policy: string, load: Load): string {
  return `${policy} ${load}`;
}
