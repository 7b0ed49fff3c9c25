/** How long a call of a cooperative model is planned to take (rules.md 12). */
import type { Profile, VariantConfiguration } from '../configuration.js';
import { type MarginRule, withMargin } from '../margin.js';
import { type Micros, micros } from '../units.js';
import { type Cooperative, costUs } from './cooperative.js';

const US_PER_S = 1_000_000;

/** One cooperative model. */
export class QuantumCost {
  readonly cooperative: Cooperative;
  readonly #preprocessUs: number;
  readonly #whole: Profile | undefined;
  readonly #rule: MarginRule;
  /** Follows how often quanta outlast their plan, as margins of other models do. */
  #marginPercent: number;

  /** @param variant the one it has; its profile, where it has one, is that of requests that are not cut. */
  constructor(
    cooperative: Cooperative,
    { preprocessUs = micros(0), profile }: Pick<VariantConfiguration, 'preprocessUs' | 'profile'>,
    rule: MarginRule,
  ) {
    this.cooperative = cooperative;
    this.#preprocessUs = preprocessUs;
    this.#whole = profile;
    this.#rule = rule;
    this.#marginPercent = rule.startPercent;
  }

  /** Without margin. */
  costUs(tokens: number, context: number): Micros {
    return micros(this.#preprocessUs + costUs(this.cooperative, tokens, context));
  }

  /** For promises: the base cost with margin, too. */
  plannedUs(tokens: number, context: number): Micros {
    return micros(withMargin(this.costUs(tokens, context), this.#marginPercent));
  }

  /** Of a request that is not cut, without margin. */
  wholeUs(tokens: number, context: number): Micros {
    return this.#whole === undefined ? this.costUs(tokens, context) : micros(this.#whole.p50Us + this.#preprocessUs);
  }

  /** The same for promises. */
  wholePlannedUs(tokens: number, context: number): Micros {
    if (this.#whole === undefined) return this.plannedUs(tokens, context);
    return micros(withMargin(this.#whole.p99Us + this.#preprocessUs, this.#marginPercent));
  }

  /** The most tokens that are planned to fit; -1 when not even an empty call does. */
  fitting(gapUs: number, context: number): number {
    const forTokensUs = (gapUs * 100) / this.#marginPercent - this.costUs(0, context);
    let tokens = Math.max(-1, Math.floor((forTokensUs * this.cooperative.tokensPerSecond) / US_PER_S) + 1);
    while (tokens >= 0 && this.plannedUs(tokens, context) > gapUs) tokens -= 1;
    return tokens;
  }

  /** A call that ended well. */
  observe(runtimeUs: Micros, plannedUs: Micros): void {
    this.#marginPercent = this.#rule.after(this.#marginPercent, runtimeUs > plannedUs);
  }

  /** What stands for the runtimes of whole requests: one may be over after a token, and has at most as many as the model allows. */
  get profile(): Profile {
    const { maxTotalTokens } = this.cooperative;
    const longestUs = this.costUs(maxTotalTokens, 0);
    return { p50Us: this.costUs(Math.min(1, maxTotalTokens), 0), p95Us: longestUs, p99Us: longestUs };
  }
}
