/** What the planner believes of a variant's runtime: for worth only, never for a veto (policy.md 3). */
import type { RuntimeEstimate } from '../estimates.js';
import { NORMAL_QUANTILES, normalBelow } from './normal.js';

export const QUANTILES = NORMAL_QUANTILES.length;
/** Entries of the table: the 15th, 65th and 90th percentile. */
export const Q15 = 2;
export const Q65 = 10;
export const Q90 = 14;

/** A median this close to the profile's tells nothing new. */
const SAME_WITHIN = 0.06;

/** A log-normal through the profile's p50 and p99, scaled to what was seen. */
export class RuntimeBelief {
  readonly #estimate: RuntimeEstimate;
  readonly #occupancy: number;
  /** exp(sigma · z), by quantile. */
  readonly #shape = new Float64Array(QUANTILES);
  #sigma = Number.NaN;
  /** In whole microseconds, rising: sums of fractions would depend on where the clock began. */
  readonly quantilesUs = new Float64Array(QUANTILES);
  medianUs = 0;
  meanUs = 0;

  /** @param occupancy calls that run beside it. */
  constructor(estimate: RuntimeEstimate, occupancy: number) {
    this.#estimate = estimate;
    this.#occupancy = occupancy;
  }

  /** To be called before a pass; costs nothing while the estimate stays. */
  refresh(): void {
    const typicalUs = this.#estimate.typicalUs(this.#occupancy);
    const { p50Us } = this.#estimate;
    const medianUs = Math.round(p50Us > 0 && Math.abs(typicalUs / p50Us - 1) <= SAME_WITHIN ? p50Us : typicalUs);
    const sigma = this.#estimate.sigma(this.#occupancy);
    if (sigma === this.#sigma && medianUs === this.medianUs) return;
    if (sigma !== this.#sigma) this.#reshape(sigma);
    this.medianUs = medianUs;
    this.meanUs = 0;
    for (let k = 0; k < QUANTILES; k += 1) {
      this.quantilesUs[k] = Math.round(medianUs * (this.#shape[k] as number));
      this.meanUs += (this.quantilesUs[k] as number) / QUANTILES;
    }
  }

  #reshape(sigma: number): void {
    this.#sigma = sigma;
    for (let k = 0; k < QUANTILES; k += 1) this.#shape[k] = Math.exp(sigma * (NORMAL_QUANTILES[k] as number));
  }

  /** How likely it runs no longer than this. */
  within(us: number): number {
    if (us < 0) return 0;
    if (this.medianUs === 0 || this.#sigma === 0) return us >= this.medianUs ? 1 : 0;
    return us === 0 ? 0 : normalBelow(Math.log(us / this.medianUs) / this.#sigma);
  }

  /** When a run that has lasted so long is likely to end: the median, or the next quantile beyond. */
  likelyUs(elapsedUs: number): number {
    if (elapsedUs <= this.medianUs) return this.medianUs;
    for (const us of this.quantilesUs) if (us > elapsedUs) return us;
    return elapsedUs;
  }
}
