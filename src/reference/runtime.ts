import { Pcg32 } from '../random/pcg32.js';
import { runtimeDraw } from '../random/runtime.js';
import type { RuntimeDescription } from './model-description.js';

const NS_PER_MS = 1_000_000;

/** A function that gives the runtime of the next execution in milliseconds. The same description gives the same sequence. */
export function runtimeSource(runtime: RuntimeDescription): () => number {
  if (runtime.kind === 'fixed') return () => runtime.fixedMs;
  const draw = runtimeDraw({ p50Ns: Math.round(runtime.p50Ms * NS_PER_MS), p99Ns: Math.round(runtime.p99Ms * NS_PER_MS) });
  const generator = new Pcg32(BigInt(runtime.seed), 1n);
  return () => draw(generator) / NS_PER_MS;
}
