/**
 * Runs a check on drawn cases: the same ones each time, or others with VIG_FUZZ_SEED, or for as long as VIG_FUZZ_SECONDS says. A case
 * that fails is named by seed and number, and VIG_FUZZ_CASE runs it alone.
 */
import { Random } from './random.js';

/** No case of a few kilobytes takes that long, on whatever machine: it would hang. */
const LONGEST_CASE_MS = 10_000;
/** Beyond what came in, and what is allocated anew anyhow. */
const MEMORY_PER_CASE_BYTES = 32 * 1024 * 1024;

export interface FuzzOptions {
  /** Without VIG_FUZZ_SECONDS. */
  readonly cases: number;
}

const setting = (name: string): number | undefined => {
  const text = process.env[name];
  if (text === undefined || text === '') return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`${name}=${text}: expected a whole number from 0, or leave it out`);
  return value;
};

/**
 * @param draw makes what comes in, by libraries that are not ours to judge
 * @param check throws when what becomes of it is wrong; its time and memory are looked at
 */
export function fuzz<T>({ cases }: FuzzOptions, draw: (random: Random) => T, check: (drawn: T, random: Random) => void): void {
  const seed = setting('VIG_FUZZ_SEED') ?? 1;
  const only = setting('VIG_FUZZ_CASE');
  const run = (number: number) => runCase(seed, number, draw, check);
  if (only !== undefined) {
    run(only);
    return;
  }
  const seconds = setting('VIG_FUZZ_SECONDS');
  const endMs = seconds === undefined ? undefined : performance.now() + seconds * 1000;
  for (let number = 0; endMs === undefined ? number < cases : performance.now() < endMs; number += 1) run(number);
}

/** How long a test with this may take. */
export function fuzzTimeoutMs(): number {
  return 120_000 + 1000 * (setting('VIG_FUZZ_SECONDS') ?? 0);
}

function runCase<T>(seed: number, number: number, draw: (random: Random) => T, check: (drawn: T, random: Random) => void): void {
  const random = new Random(seed, number);
  const drawn = draw(random);
  const startMs = performance.now();
  const memoryBefore = allocated();
  try {
    check(drawn, random);
  } catch (cause) {
    const error = cause instanceof Error ? `${cause.name}: ${cause.message.slice(0, 500)}` : String(cause);
    throw new Error(`VIG_FUZZ_SEED=${seed} VIG_FUZZ_CASE=${number}: ${error}`, { cause });
  }
  const tookMs = performance.now() - startMs;
  const grewBytes = allocated() - memoryBefore;
  if (tookMs > LONGEST_CASE_MS) throw new Error(`VIG_FUZZ_SEED=${seed} VIG_FUZZ_CASE=${number} took ${tookMs} ms`);
  if (grewBytes > MEMORY_PER_CASE_BYTES) throw new Error(`VIG_FUZZ_SEED=${seed} VIG_FUZZ_CASE=${number} took ${grewBytes} bytes`);
}

/** What a collection frees in between counts against growth: nothing is reported that was not there. */
function allocated(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
