/** What a scenario file may say (design.md 8). What the governor is told is left to the schema of its parameters. */
import { z } from 'zod';

const MAX_RUN_MS = 3_600_000;
const MAX_DURATION_MS = 600_000;
/** Twice this in nanoseconds is drawn at once, in 32 bits. */
const MAX_JITTER_MS = 2000;
const MAX_TOKENS = 1_000_000;

function number(min: number, max: number, unit = ' (ms)') {
  const error = `expected a number from ${min} to ${max}${unit}`;
  return z.number(error).min(min, error).max(max, error);
}

function wholes(min: number, max: number) {
  const error = `expected a list of whole numbers from ${min} to ${max}`;
  return z
    .array(z.int(error).min(min, error).max(max, error), error)
    .min(1, error)
    .refine((numbers) => new Set(numbers).size === numbers.length, 'a number stands twice; give each once');
}

function tokens(min: number) {
  const error = `expected a whole number from ${min} to ${MAX_TOKENS} (tokens)`;
  return z.int(error).min(min, error).max(MAX_TOKENS, error);
}

/** Checked with the parameters of the governor. */
const governed = z.exactOptional(z.unknown());
const runtime = number(0.001, MAX_DURATION_MS);
const period = number(0.1, MAX_DURATION_MS);
const delay = number(0, MAX_DURATION_MS);

const sourceSchema = z.strictObject(
  {
    period_ms: period,
    jitter_ms: number(0, MAX_JITTER_MS).default(0),
    transport_ms: delay.default(0),
    phase_ms: delay.default(0),
    burst: z.exactOptional(
      z.strictObject({ every_ms: period, for_ms: period, period_ms: period }, 'expected {every_ms, for_ms, period_ms}'),
    ),
    stop_ms: z.exactOptional(number(0, MAX_RUN_MS)),
    prompt_tokens: z.exactOptional(tokens(0)),
    max_tokens: z.exactOptional(tokens(1)),
  },
  'expected a group with period_ms and what else a source has',
);

const variantSchema = z.strictObject(
  {
    quality: governed,
    quality_source: governed,
    preprocess_us: governed,
    p50_ms: runtime,
    p99_ms: runtime,
  },
  'expected a group with p50_ms and p99_ms',
);

const streamSchema = z.strictObject(
  {
    class: governed,
    queue: governed,
    contract: z.record(z.string(), z.unknown(), 'expected a group with max_age_ms and what else the contract of a stream has'),
    source: sourceSchema,
    cooperative: governed,
    variants: z.record(z.string(), variantSchema, 'expected variants by name, each {p50_ms: …, p99_ms: …}'),
    profile_error: number(0.01, 100, '').default(1),
    failure_permille: number(0, 1000, '').default(0),
  },
  'expected a group with source, contract and variants',
);

/** The published seeds; tuning and judging use different ones. */
const DEFAULT_SEEDS = [1, 2, 3, 4, 5].map((seed) => 0x5eed_0000 + seed);
const DEFAULT_POLICIES: readonly string[] = ['fifo-1', 'fifo-16', 'latest', 'latest_priority', 'latest_edf', 'triton_policy', 'governor'];

export const scenarioSchema = z.strictObject({
  name: z.string('expected a name').min(1, 'expected a name').max(100, 'expected a name of at most 100 characters'),
  run_ms: number(1, MAX_RUN_MS),
  backend: z
    .strictObject(
      {
        slots: governed,
        pipelining_depth: governed,
        pipelining_lead_ms: governed,
        no_corun: governed,
        round_trip_ms: delay.default(0),
        dispatch_gap_ms: delay.default(0),
      },
      'expected a group with slots and what else the backend has',
    )
    .prefault({}),
  load_permille: z.exactOptional(wholes(1, 100_000)),
  scale: z.enum(['runtimes', 'periods'], 'expected runtimes or periods').default('runtimes'),
  seeds: wholes(0, Number.MAX_SAFE_INTEGER).default(DEFAULT_SEEDS),
  policies: z
    .array(z.string(), 'expected a list of policies')
    .min(1, 'expected a list of policies')
    .default([...DEFAULT_POLICIES]),
  scheduling: governed,
  learning: governed,
  overload: governed,
  streams: z.record(z.string(), streamSchema, 'expected streams by name, in the order in which they draw'),
});

export type ScenarioEntry = z.output<typeof scenarioSchema>;
export type StreamEntry = ScenarioEntry['streams'][string];
