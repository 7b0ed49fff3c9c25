/**
 * The one source of parameter names, types, defaults, ranges, units and descriptions: validation, ROS descriptors, docs/parameters.md
 * and config/governor.yaml are derived from it. Rules between parameters stand in cross-checks.ts.
 */
import { z } from 'zod';
import { backendSchema } from './backend-schema.js';
import { field, MAX_DURATION_MS, named, real, whole } from './field.js';
import { learningSchema } from './learning-schema.js';
import { modelSchema } from './model-schema.js';
import { overloadSchema } from './overload-schema.js';
import { schedulingSchema } from './scheduling-schema.js';
import { streamSchema } from './stream-schema.js';
import { traceSchema } from './trace-schema.js';

export const parametersSchema = z.strictObject({
  autostart: field(z.boolean().default(true), { description: 'Whether the node configures and activates itself at start.' }),
  drain_timeout_ms: field(real(0, MAX_DURATION_MS).default(5000), {
    description: 'How long running calls may finish when the node deactivates or ends; what is left then ends as cancelled/drain_limit.',
    unit: 'ms',
  }),
  metrics: z
    .strictObject({
      port: field(whole(0, 65_535).default(9464), {
        description: 'Port of the Prometheus metrics (/metrics) and of the pages for a supervisor (/readyz, /healthz); 0 turns them off.',
      }),
      host: field(z.string().min(1).max(255).default('127.0.0.1'), {
        description: 'Address they are served on; by default only this machine sees them.',
        expects: 'a host name or address',
      }),
    })
    .prefault({}),
  scheduling: schedulingSchema.prefault({}),
  overload: overloadSchema.prefault({}),
  learning: learningSchema.prefault({}),
  trace: traceSchema.prefault({}),
  backends: named(backendSchema),
  models: named(modelSchema),
  streams: named(streamSchema),
});

/** The whole configuration, defaults filled in; keys are those of the YAML. */
export type Parameters = z.output<typeof parametersSchema>;
export type BackendParameters = z.output<typeof backendSchema>;
export type ModelParameters = z.output<typeof modelSchema>;
export type VariantParameters = ModelParameters['variants'][string];
export type InputParameters = ModelParameters['input'];
export type OutputParameters = ModelParameters['output'];
export type StreamParameters = z.output<typeof streamSchema>;
export type ContractParameters = StreamParameters['contract'];
export type OverloadParameters = z.output<typeof overloadSchema>;
export type LearningParameters = z.output<typeof learningSchema>;
export type TraceParameters = z.output<typeof traceSchema>;
