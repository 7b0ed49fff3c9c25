/** What a script can say of the decisions: partly, one line each. */
import { z } from 'zod';
import { CAUSES, type Cause, STATES, type State } from '../core/catalogue.js';
import { OVERLOAD } from '../core/overload.js';
import { choice, count, flag, id, instant, name } from './script-fields.js';

const MAX_COUNT = 1_000_000;

const when = { at_ms: instant().optional(), before_ms: instant().optional() };
const of = { ...when, backend: name('backend').optional() };

export const EXPECTATION_SCHEMAS = {
  dispatch: z.strictObject({ ...when, dispatch: id(), variant: name('variant').optional(), tokens: count(0, MAX_COUNT).optional() }),
  tokens: z.strictObject({ ...when, tokens: count(0, MAX_COUNT) }),
  outcome: z.strictObject({
    ...when,
    outcome: id(),
    state: choice(Object.keys(STATES) as State[]).optional(),
    cause: choice(Object.keys(CAUSES) as Cause[]).optional(),
    variant: name('variant').optional(),
  }),
  veto: z.strictObject({ ...when, veto: id(), by: name('stream').optional(), variant: name('variant').optional() }),
  wait: z.strictObject({ ...when, wait: id(), until_ms: instant().optional(), variant: name('variant').optional() }),
  violation: z.strictObject({ ...when, violation: name('stream') }),
  late_answer: z.strictObject({ ...when, late_answer: id() }),
  reconciled: z.strictObject({ ...when, reconciled: id(), by: choice(['count', 'restart']).optional() }),
  restart: z.strictObject({ ...when, restart: name('backend'), count: count(0, MAX_COUNT).optional() }),
  wake: z.strictObject({ ...when, wake: instant() }),
  held: z.strictObject({ ...of, held: count(0, MAX_COUNT) }),
  quarantined: z.strictObject({ ...of, quarantined: count(0, MAX_COUNT) }),
  level: z.strictObject({ ...of, level: count(0, OVERLOAD.protectedOnly) }),
  ready: z.strictObject({ ...of, ready: flag() }),
  error: z.strictObject({ ...when, error: name('parameter') }),
};

export type ExpectationKind = keyof typeof EXPECTATION_SCHEMAS;
export const EXPECTATION_KINDS = Object.keys(EXPECTATION_SCHEMAS) as ExpectationKind[];
