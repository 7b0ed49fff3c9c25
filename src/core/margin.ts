/** The safety margin between a measured runtime and a promise (rules.md 4). */
import type { LearningConfiguration } from './configuration.js';

/** Points on top while nobody has verified the profile here. */
export const UNVERIFIED_POINTS = 40;
/** Length of one step of learning. */
const GAIN_POINTS = 10;
/** Share of runs that may outlast the plan where no miss budget says otherwise. */
const DEFAULT_OVERRUN_SHARE = 0.01;

/** What the margins of one model follow: shared by its variants and all their occupancies. */
export class MarginRule {
  readonly #learning: LearningConfiguration;
  #overrunShare = DEFAULT_OVERRUN_SHARE;

  constructor(learning: LearningConfiguration) {
    this.#learning = learning;
  }

  /** @param overrunShares of runs that may outlast the plan, from the miss budgets of the streams that use the model; the smallest holds. */
  allow(overrunShares: readonly number[]): void {
    this.#overrunShare = overrunShares.length === 0 ? DEFAULT_OVERRUN_SHARE : Math.min(...overrunShares);
  }

  get startPercent(): number {
    return this.#learning.marginPercent;
  }

  /** Between the configured floor and ceiling; the floor itself while nothing is learned. */
  bounded(percent: number): number {
    const { adapt, marginPercent, ceilingPercent } = this.#learning;
    return adapt ? Math.min(ceilingPercent, Math.max(marginPercent, percent)) : marginPercent;
  }

  /** The margin after one more run. In balance just the wanted share of runs outlasts the plan. */
  after(percent: number, overran: boolean): number {
    if (!this.#learning.adapt) return percent;
    return this.bounded(percent + GAIN_POINTS * ((overran ? 1 : 0) - this.#overrunShare));
  }
}

/** Rounded to the nearest: a product such as 10 ms x 110 % must come out exact. */
export function withMargin(runtimeUs: number, percent: number): number {
  return Math.round((runtimeUs * percent) / 100);
}
