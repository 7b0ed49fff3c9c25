import type { RuntimeDescription } from './model-description.js';
import { Pcg32 } from './pcg32.js';

/** The 99th percentile of the standard normal distribution. */
const Z_99 = 2.326347874040841;

/** A function that gives the runtime of the next execution in milliseconds. The same description gives the same sequence. */
export function runtimeSource(runtime: RuntimeDescription): () => number {
  if (runtime.kind === 'fixed') return () => runtime.fixedMs;
  const { p50Ms, p99Ms } = runtime;
  const sigma = Math.log(p99Ms / p50Ms) / Z_99;
  const generator = new Pcg32(BigInt(runtime.seed), 1n);
  return () => Math.min(Math.max(p50Ms * Math.exp(sigma * generator.normal()), p50Ms / 2), 3 * p99Ms);
}
