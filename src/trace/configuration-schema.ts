/** The configuration of the core as a trace holds it: what is needed to run it again. */
import { z } from 'zod';
import {
  CLASSES,
  type Contract,
  type CoreConfiguration,
  DELIVERY_BOUNDARIES,
  DELIVERY_SEMANTICS,
  EVIDENCE,
  GUARANTEES,
  OVERFLOW_POLICIES,
  QUALITY_SOURCES,
  QUEUE_POLICIES,
  SCHEDULING_POLICIES,
  TRUST,
} from '../core/configuration.js';
import { FILL_UNTIL } from '../core/quanta/cooperative.js';
import { count, name, us } from './units-schema.js';

export const contractSchema: z.ZodType<Contract> = z.strictObject({
  periodUs: z.exactOptional(us),
  deadlineUs: us,
  maxAgeUs: us,
  releaseJitterUs: z.exactOptional(us),
  minQuality: z.exactOptional(z.number()),
  variantDwellUs: z.exactOptional(us),
  approvedVariants: z.exactOptional(z.array(name)),
  consumerPeriodUs: z.exactOptional(us),
  phaseUs: z.exactOptional(us),
  deliveryBoundary: z.exactOptional(z.enum(DELIVERY_BOUNDARIES)),
  deliverySemantics: z.exactOptional(z.enum(DELIVERY_SEMANTICS)),
  requireNewSampleEachCycle: z.exactOptional(z.boolean()),
  missBudget: z.exactOptional(
    z.strictObject({ maxMisses: count, windowCycles: count, maxConsecutive: count, mandatoryCycles: z.exactOptional(z.boolean()) }),
  ),
  version: z.exactOptional(z.int()),
  evidenceRequired: z.exactOptional(z.enum(EVIDENCE)),
  minRuntime: z.exactOptional(z.strictObject({ budgetUs: us, windowUs: us, guarantee: z.enum(GUARANTEES) })),
});

const backend = z.strictObject({
  name,
  slots: count,
  pipeliningDepth: count,
  pipeliningLeadUs: z.exactOptional(us),
  noCorun: z.array(z.tuple([name, name])),
  trust: z.exactOptional(z.enum(TRUST)),
});

const variant = z.strictObject({
  name,
  backendModel: name,
  version: z.exactOptional(z.string()),
  quality: z.number(),
  qualitySource: z.exactOptional(z.enum(QUALITY_SOURCES)),
  preprocessUs: z.exactOptional(us),
  profile: z.exactOptional(z.strictObject({ p50Us: us, p95Us: us, p99Us: us, unverified: z.exactOptional(z.boolean()) })),
});

const cooperative = z.strictObject({
  baseCostUs: us,
  prefillPerTokenUs: z.number(),
  tokensPerSecond: z.number(),
  minTokens: count,
  maxTotalTokens: count,
  fillUntil: z.enum(FILL_UNTIL),
});

const model = z.strictObject({
  name,
  backend: name,
  instances: z.exactOptional(count),
  stateful: z.exactOptional(z.boolean()),
  cooperative: z.exactOptional(cooperative),
  variants: z.array(variant),
});

const stream = z.strictObject({
  name,
  model: name,
  class: z.enum(CLASSES),
  queue: z.strictObject({ policy: z.enum(QUEUE_POLICIES), capacity: count, overflow: z.enum(OVERFLOW_POLICIES) }),
  contract: contractSchema,
});

export const configurationSchema: z.ZodType<CoreConfiguration> = z.strictObject({
  backends: z.array(backend),
  models: z.array(model),
  streams: z.array(stream),
  learning: z.exactOptional(z.strictObject({ marginPercent: z.number(), adapt: z.boolean(), ceilingPercent: z.number() })),
  scheduling: z.exactOptional(
    z.strictObject({
      protectSupply: z.boolean(),
      policy: z.exactOptional(z.enum(SCHEDULING_POLICIES)),
      strictClasses: z.exactOptional(z.boolean()),
    }),
  ),
  overload: z.exactOptional(
    z.strictObject({ enterPermille: z.array(z.number()), leavePermille: z.array(z.number()), dwellUs: us, minViolations: count }),
  ),
});
