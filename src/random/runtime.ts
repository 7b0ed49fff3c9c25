import type { Pcg32 } from './pcg32.js';

/** Variant i of a model draws from generator i + 7. */
export const FIRST_RUNTIME_GENERATOR = 7n;
/** The 99th percentile of the standard normal distribution. */
const Z_99 = 2.326347874040841;

/** A log-normal distribution of runtimes, in whole nanoseconds. */
export interface RuntimeDistribution {
  readonly p50Ns: number;
  readonly p99Ns: number;
}

/**
 * Draws runtimes in whole nanoseconds, never below half of p50 or above three times p99. Equal percentiles give a constant, without a
 * draw.
 */
export function runtimeDraw({ p50Ns, p99Ns }: RuntimeDistribution): (generator: Pcg32) => number {
  const sigma = Math.log(p99Ns / p50Ns) / Z_99;
  if (sigma === 0 || p50Ns === 0) return () => p50Ns;
  const lowest = Math.floor(p50Ns / 2);
  return (generator) => Math.trunc(Math.min(Math.max(p50Ns * Math.exp(sigma * generator.normal()), lowest), 3 * p99Ns));
}
