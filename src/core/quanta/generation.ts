/** One request that generates: asked for once and answered once, in as many calls as the slot allows (rules.md 12). */
import type { CallResult } from '../events.js';
import type { Micros } from '../units.js';
import type { QuantumCost } from './quantum-cost.js';

/** What is asked for. */
export interface Prompt {
  /** Tokens of the prompt; 0 when nobody counted them. */
  readonly promptTokens?: number;
  /** The client's own limit; 0 stays 0. Without it the limit of the model. */
  readonly maxTokens?: number;
  /** It has sampling parameters that nobody here knows: what two calls generate might not be what one would. */
  readonly unknownSampling?: boolean;
}

/** What a call generated, as far as its answer tells. */
export interface Generated {
  readonly tokens?: number;
  /** Of text: no more tokens than that, where they are not counted. */
  readonly bytes?: number;
  /** Whether the model came to an end by itself; without it: when it stopped short of what was asked for. */
  readonly finished?: boolean;
}

/** One call of it. */
export interface Quantum {
  /** Its ticket: the first call is 1, and each re-entry has a new one. */
  readonly number: number;
  /** It may generate so many. */
  readonly tokens: number;
}

/** What the end of a call means for the request. */
export type Progress = 'done' | 'goes_on' | 'withdrawn' | 'chain_broken';

export class Generation {
  readonly cost: QuantumCost;
  readonly divisible: boolean;
  readonly #promptTokens: number;
  readonly #ceiling: number;
  #generated = 0;
  #tokens = 0;
  #number = 0;
  #withdrawn = false;
  /** Of its first call. */
  dispatchedUs: Micros | undefined;

  constructor(cost: QuantumCost, { promptTokens = 0, maxTokens, unknownSampling = false }: Prompt) {
    const { maxTotalTokens } = cost.cooperative;
    this.cost = cost;
    this.divisible = !unknownSampling;
    this.#promptTokens = promptTokens;
    this.#ceiling = Math.min(maxTokens ?? maxTotalTokens, maxTotalTokens);
  }

  /** Tokens so far. */
  get generated(): number {
    return this.#generated;
  }

  get remaining(): number {
    return this.#ceiling - this.#generated;
  }

  /** Tokens that the next call has to read first. */
  get context(): number {
    return this.#promptTokens + this.#generated;
  }

  /** Sizes the next call. */
  ask(tokens: number): void {
    this.#tokens = tokens;
  }

  /** Planned runtime of the call that was sized last. */
  get plannedUs(): Micros {
    return this.divisible ? this.cost.plannedUs(this.#tokens, this.context) : this.cost.wholePlannedUs(this.#tokens, this.context);
  }

  /** The same without margin. */
  get costUs(): Micros {
    return this.divisible ? this.cost.costUs(this.#tokens, this.context) : this.cost.wholeUs(this.#tokens, this.context);
  }

  /** The call that was sized last goes out. */
  begin(now: Micros): Quantum {
    this.dispatchedUs ??= now;
    this.#number += 1;
    return this.quantum;
  }

  /** The newest call. */
  get quantum(): Quantum {
    return { number: this.#number, tokens: this.#tokens };
  }

  /** The call that runs is planned to leave something for another one. */
  get returns(): boolean {
    return this.divisible && this.#tokens < this.remaining;
  }

  /** Whoever asked is gone: the call that runs is the last. */
  withdraw(): void {
    this.#withdrawn = true;
  }

  /** How the newest call ended. An error of the first one is an error like any other: nothing was lost. */
  end(end: CallResult): Progress {
    if (end.result === 'unknown') return 'done';
    if (end.result !== 'ok') return this.#number > 1 ? 'chain_broken' : 'done';
    const { finished, ...counts } = end.generated ?? {};
    const tokens = countOf(counts, this.#tokens);
    this.#generated += tokens;
    if (!this.divisible || this.remaining <= 0 || (finished ?? tokens < this.#tokens)) return 'done';
    if (this.#withdrawn) return 'withdrawn';
    return tokens > 0 ? 'goes_on' : 'chain_broken'; // without progress it would go on for ever
  }
}

function countOf({ tokens, bytes }: Pick<Generated, 'tokens' | 'bytes'>, asked: number): number {
  return tokens ?? Math.min(asked, bytes ?? asked);
}
