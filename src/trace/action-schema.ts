/** What the core decided, and what never got to it, as a trace holds it. */
import { z } from 'zod';
import { type Action, type Dispatch, PASSED_OVER_FOR, type Why } from '../core/actions.js';
import { CAUSES, type Cause, type State } from '../core/catalogue.js';
import type { Refusal } from '../governor/ports.js';
import { count, name, request, us } from './units-schema.js';

const CAUSE_NAMES = Object.keys(CAUSES) as Cause[];

const why: z.ZodType<Why> = z.strictObject({
  slackUs: z.exactOptional(us),
  optimisticUs: z.exactOptional(us),
  startUs: z.exactOptional(us),
  follows: z.exactOptional(request),
  supersededBy: z.exactOptional(request),
  blockedBy: z.exactOptional(name),
  plannedUs: z.exactOptional(us),
  startWorth: z.exactOptional(z.number()),
  waitWorth: z.exactOptional(z.number()),
  waitUntilUs: z.exactOptional(us),
  expectedUs: z.exactOptional(us),
  passedOver: z.exactOptional(name),
  passedOverFor: z.exactOptional(z.enum(PASSED_OVER_FOR)),
  passedOverPlannedUs: z.exactOptional(us),
  passedOverWorth: z.exactOptional(z.number()),
  mandatory: z.exactOptional(z.literal(true)),
  generated: z.exactOptional(count),
  tokens: z.exactOptional(count),
});

const end = { request, stream: name, state: z.string(), cause: z.enum(CAUSE_NAMES) };

/** State and cause go together. */
function withItsState<E extends { readonly state: string; readonly cause: Cause }>(
  { state, ...rest }: E,
  context: z.RefinementCtx,
): Omit<E, 'state'> & { readonly state: State } {
  const known = CAUSES[rest.cause].state;
  if (state !== known) context.addIssue({ code: 'custom', message: `${rest.cause} is a cause of ${known}` });
  return { ...rest, state: known };
}

export const refusalSchema: z.ZodType<Refusal> = z
  .strictObject({ ...end, ageUs: z.exactOptional(z.number()), detail: z.string() })
  .transform(withItsState);

const terminate = z
  .strictObject({
    type: z.literal('terminate'),
    ...end,
    ageUs: us,
    waitingUs: us,
    serviceUs: z.exactOptional(us),
    deadlineMissed: z.boolean(),
    variant: z.exactOptional(name),
    why,
  })
  .transform(withItsState);

const shared = { request, stream: name, variant: name, why };

const dispatch = z.strictObject({
  type: z.literal('dispatch'),
  ...shared,
  backend: name,
  model: name,
  backendModel: name,
  quantum: z.exactOptional(z.strictObject({ number: count, tokens: count })),
});
export const dispatchSchema: z.ZodType<Dispatch> = dispatch;

export const actionSchema: z.ZodType<Action> = z.union([
  dispatch,
  z.strictObject({ type: z.literal('defer'), ...shared }),
  terminate,
  z.strictObject({ type: z.literal('late_answer'), request, backend: name }),
  z.strictObject({ type: z.literal('reconciled'), request, backend: name, by: z.enum(['answer', 'count', 'restart']) }),
  z.strictObject({ type: z.literal('restart'), backend: name, backendModel: z.exactOptional(name), restarts: count }),
  z.strictObject({ type: z.literal('poll'), backend: name, backendModel: name, everyUs: us }),
  z.strictObject({ type: z.literal('wake'), at: us }),
  z.strictObject({
    type: z.literal('level'),
    backend: name,
    level: count,
    previous: count,
    why: z.strictObject({ violations: count, samples: count }),
  }),
  z.strictObject({
    type: z.literal('violation'),
    stream: name,
    why: z.strictObject({ misses: count, inRow: count, contractVersion: z.exactOptional(z.int()) }),
  }),
]);
