/** What the core was told, as a trace holds it. */
import { z } from 'zod';
import { CAUSES, type Cause, type CauseOf } from '../core/catalogue.js';
import type { CoreEvent } from '../core/events.js';
import { contractSchema } from './configuration-schema.js';
import { count, name, request, us } from './units-schema.js';

const FAILURES = Object.keys(CAUSES).filter(
  (cause): cause is CauseOf<'backend_failed'> => CAUSES[cause as Cause].state === 'backend_failed',
);

const generated = z.strictObject({
  tokens: z.exactOptional(count),
  bytes: z.exactOptional(count),
  finished: z.exactOptional(z.boolean()),
});

const callResult = z.discriminatedUnion('result', [
  z.strictObject({ result: z.literal('ok'), generated: z.exactOptional(generated) }),
  z.strictObject({ result: z.literal('failed'), cause: z.enum(FAILURES) }),
  z.strictObject({ result: z.literal('not_counted') }),
  z.strictObject({ result: z.literal('not_started') }),
  z.strictObject({ result: z.literal('unknown'), witnessed: z.exactOptional(z.literal(true)) }),
]);

const prompt = z.strictObject({
  promptTokens: z.exactOptional(count),
  maxTokens: z.exactOptional(count),
  unknownSampling: z.exactOptional(z.boolean()),
});

const learned = z.strictObject({
  backend: name,
  model: name,
  variant: name,
  fingerprint: z.string(),
  occupancies: z.array(z.strictObject({ occupancy: count, marginPercent: z.number(), runtimesUs: z.array(z.number()) })),
});

const modelOfBackend = { backend: name, backendModel: name };

export const eventSchema: z.ZodType<CoreEvent> = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('arrival'),
    request,
    stream: name,
    capture: us,
    stampNs: z
      .string()
      .regex(/^-?\d+$/)
      .transform(BigInt),
    prompt: z.exactOptional(prompt),
  }),
  z.strictObject({
    type: z.literal('completion'),
    request,
    quantum: z.exactOptional(count),
    end: callResult,
    ran: z.exactOptional(z.strictObject({ sentUs: us, endedUs: us })),
  }),
  z.strictObject({ type: z.literal('timeout'), request }),
  z.strictObject({
    type: z.literal('readiness'),
    ...modelOfBackend,
    ready: z.boolean(),
    instances: z.exactOptional(count),
    signature: z.exactOptional(z.string()),
  }),
  z.strictObject({ type: z.literal('round_trip'), backend: name, p90: us }),
  z.strictObject({ type: z.literal('counter'), ...modelOfBackend, completed: count, polledUs: us }),
  z.strictObject({ type: z.literal('witness'), backend: name, present: z.boolean(), polledUs: us }),
  z.strictObject({ type: z.literal('warm_up'), ...modelOfBackend, call: count, end: z.exactOptional(callResult) }),
  z.strictObject({ type: z.literal('cancel'), request }),
  z.strictObject({ type: z.literal('drain') }),
  z.strictObject({ type: z.literal('drain_limit') }),
  z.strictObject({ type: z.literal('resume') }),
  z.strictObject({ type: z.literal('reconfigure'), contracts: z.array(z.strictObject({ stream: name, contract: contractSchema })) }),
  z.strictObject({ type: z.literal('clock_jump') }),
  z.strictObject({ type: z.literal('restore'), learned: z.array(learned) }),
  z.strictObject({ type: z.literal('tick') }),
]);
