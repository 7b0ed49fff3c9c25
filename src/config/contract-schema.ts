/** `streams.<name>.contract`: what the stream needs. */
import { z } from 'zod';
import { DELIVERY_BOUNDARIES, DELIVERY_SEMANTICS, EVIDENCE, GUARANTEES } from '../core/configuration.js';
import { MAX_WINDOW_CYCLES } from '../core/miss-budget.js';
import { duration, field, MAX_DURATION_MS, real, whole } from './field.js';

const minRuntimeSchema = z.strictObject({
  budget_ms: field(duration(), {
    description: 'Runtime that a stream of class best_effort or normal gets in any window, as a floor.',
    unit: 'ms',
    sample: 300.0,
  }),
  window_ms: field(duration(), { description: 'The window of the floor.', unit: 'ms', sample: 1000.0 }),
  guarantee: field(z.enum(GUARANTEES).default('spare'), {
    description: 'spare: goes before other streams that are not guarded; firm: when due it goes before guarded streams too, at their cost.',
  }),
});

const missBudgetSchema = z
  .strictObject({
    max_misses: field(whole(0, MAX_WINDOW_CYCLES - 1), {
      description: 'Cycles of the consumer without a usable result, at most, in any window. Watched and reported; see mandatory_cycles.',
      sample: 2,
    }),
    window_cycles: field(whole(1, MAX_WINDOW_CYCLES), { description: 'Cycles of a window; more than max_misses.', sample: 100 }),
    max_consecutive: field(z.exactOptional(whole(0, MAX_WINDOW_CYCLES - 1)), {
      description: 'Missed cycles at most in a row; not more than max_misses.',
      whenAbsent: 'max_misses',
      sample: 1,
    }),
    mandatory_cycles: field(z.boolean().default(false), {
      description:
        'Whether the stream goes before others of its class while one more missed cycle would break the budget and the cycle that runs has no usable result yet. Else the budget is watched only.',
    }),
  })
  .transform((budget) => ({ ...budget, max_consecutive: budget.max_consecutive ?? budget.max_misses }));

const extensionSchema = z.strictObject({
  version: field(whole(1, 1).default(1), { description: 'Version of this block.' }),
  contract_version: field(whole(0, 2_147_483_647).default(0), {
    description: 'Your own count of the changes of this contract; diagnostics show which one is in force.',
  }),
  release_jitter_ms: field(real(0, MAX_DURATION_MS).default(0), {
    description: 'How far captures lie from their regular instants, either way. A guarded frame is expected for twice as long when late.',
    unit: 'ms',
  }),
  approved_variants: field(z.exactOptional(z.array(z.string()).max(64)), {
    description: 'Variants that may be used for the stream, whatever the pressure.',
    expects: 'a list of names of variants of the model',
    whenAbsent: 'all of its model',
    sample: ['full'],
  }),
  consumer_period_ms: field(z.exactOptional(duration()), {
    description: 'How often the consumer takes the newest result. Coverage and the miss budget count its cycles, not arrivals.',
    unit: 'ms',
    whenAbsent: 'coverage counts period_ms',
    sample: 33.3,
  }),
  phase_ms: field(z.exactOptional(real(0, MAX_DURATION_MS)), {
    description: 'When cycles end: at whole multiples of consumer_period_ms plus this, in ROS time.',
    unit: 'ms',
    whenAbsent: 'the first message begins a cycle',
    sample: 0.0,
  }),
  delivery_boundary: field(z.enum(DELIVERY_BOUNDARIES).default('governor'), {
    description: 'Where a result must still be fresh. governor: when it is published; consumer: at the end of the cycle it comes in.',
  }),
  delivery_semantics: field(z.enum(DELIVERY_SEMANTICS).default('latest_state'), {
    description:
      'latest_state: the newest result counts; every_event: no message may be skipped (fifo or never_drop); stateful_sequence: the same, for a stateful model that serves this stream only.',
  }),
  require_new_sample_each_cycle: field(z.boolean().default(false), {
    description: 'Whether a cycle is covered only by a result that came in it; else an older one covers it as long as it is fresh.',
  }),
  miss_budget: z.exactOptional(missBudgetSchema),
  evidence_required: field(z.enum(EVIDENCE).default('observed'), {
    description: 'observed: what happened is reported; qualified_slo: refused while the profile of a variant is missing or not verified.',
  }),
});

export const contractSchema = z
  .strictObject({
    period_ms: field(z.exactOptional(duration()), {
      description: 'Expected distance of captures.',
      unit: 'ms',
      whenAbsent: 'no forecast of the next frame',
      sample: 33.3,
    }),
    deadline_ms: field(z.exactOptional(duration()), {
      description: 'Age, counted from capture, after which a result counts as a missed deadline. Never a reason to drop work.',
      unit: 'ms',
      whenAbsent: 'max_age_ms',
      sample: 66.0,
    }),
    max_age_ms: field(duration(), {
      description: 'Age, counted from capture, up to which a result is fresh. Work that cannot be fresh when finished is not started.',
      unit: 'ms',
      sample: 100.0,
    }),
    min_quality: field(real(0, 1).default(0), { description: 'Variants of a lower quality are never used for the stream.' }),
    variant_dwell_ms: field(real(0, MAX_DURATION_MS).default(100), {
      description: 'Time after a change of variant before a better one is taken again. A faster one is taken at once.',
      unit: 'ms',
    }),
    min_runtime: z.exactOptional(minRuntimeSchema),
    extension: extensionSchema.prefault({}),
  })
  .transform((contract) => ({ ...contract, deadline_ms: contract.deadline_ms ?? contract.max_age_ms }));
