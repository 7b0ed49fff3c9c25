/** What can happen in a script: one schema for each kind of event, named by the key that tells it. */
import { z } from 'zod';
import { CAUSES, type Cause, type CauseOf } from '../core/catalogue.js';
import type { CallResult } from '../core/events.js';
import type { Generated } from '../core/quanta/generation.js';
import { backwards, choice, count, duration, flag, happens, id, instant, name, span } from './script-fields.js';

const MAX_REPETITIONS = 10_000;
const MAX_COMPLETED = 999_999_999;

const isFailure = (cause: Cause): cause is CauseOf<'backend_failed'> => CAUSES[cause].state === 'backend_failed';
/** Causes that a failed call itself can have; the others follow from the other results. */
const FAILURES = (Object.keys(CAUSES) as Cause[])
  .filter(isFailure)
  .filter(
    (cause) => cause !== 'unavailable' && cause !== 'rejected_by_server' && cause !== 'execution_unknown' && cause !== 'chain_broken',
  );

const at_ms = instant();

const MAX_TOKENS = 1_000_000;
const tokens = (least = 0) => count(least, MAX_TOKENS);
/** Keys of a call that generated. */
const GENERATED = ['tokens', 'bytes', 'finished'] as const;

interface Returned {
  readonly result?: CallResult['result'] | undefined;
  readonly cause?: CauseOf<'backend_failed'> | undefined;
  readonly witnessed?: boolean | undefined;
  readonly tokens?: number | undefined;
  readonly bytes?: number | undefined;
  readonly finished?: boolean | undefined;
}

function endOf({ result = 'ok', cause = 'model_error', witnessed, ...returned }: Returned): CallResult {
  if (result === 'failed') return { result, cause };
  if (result === 'unknown') return { result, ...(witnessed === true ? { witnessed } : {}) };
  if (result !== 'ok') return { result };
  const generated: Generated = Object.fromEntries(GENERATED.flatMap((key) => (returned[key] === undefined ? [] : [[key, returned[key]]])));
  return Object.keys(generated).length === 0 ? { result } : { result, generated };
}

export const EVENT_SCHEMAS = {
  arrive: z.strictObject({
    at_ms,
    arrive: name('stream'),
    id: id(),
    capture_ms: instant().optional(),
    stamp_ms: instant().optional(),
    runtime_ms: duration().optional(),
    prompt_tokens: tokens().optional(),
    max_tokens: tokens().optional(),
    unknown_sampling: flag().optional(),
    repeat: z
      .strictObject({ times: count(1, MAX_REPETITIONS), every_ms: span() }, { error: 'expected {times: …, every_ms: …}' })
      .optional(),
  }),
  complete: z
    .strictObject({
      at_ms,
      complete: id(),
      result: choice(['ok', 'failed', 'not_counted', 'not_started', 'unknown']).optional(),
      cause: choice(FAILURES).optional(),
      witnessed: flag().optional(),
      quantum: tokens(1).optional(),
      tokens: tokens().optional(),
      bytes: tokens().optional(),
      finished: flag().optional(),
    })
    .refine(({ result, cause }) => cause === undefined || result === 'failed', {
      path: ['cause'],
      message: 'goes with result: failed only',
    })
    .refine(({ result, witnessed }) => witnessed === undefined || result === 'unknown', {
      path: ['witnessed'],
      message: 'goes with result: unknown only',
    })
    .superRefine((returned, context) => {
      if (returned.result === undefined || returned.result === 'ok') return;
      for (const key of GENERATED) {
        if (returned[key] !== undefined) context.addIssue({ code: 'custom', path: [key], message: 'goes with result: ok only' });
      }
    })
    .transform(({ at_ms, complete, quantum, ...returned }) => ({
      at_ms,
      complete,
      ...(quantum === undefined ? {} : { quantum }),
      end: endOf(returned),
    })),
  timeout: z.strictObject({ at_ms, timeout: id() }),
  cancel: z.strictObject({ at_ms, cancel: id() }),
  tick: z.strictObject({ at_ms, tick: happens() }),
  drain: z.strictObject({ at_ms, drain: happens() }),
  drain_limit: z.strictObject({ at_ms, drain_limit: happens() }),
  resume: z.strictObject({ at_ms, resume: happens() }),
  clock_jump_ms: z.strictObject({ at_ms, clock_jump_ms: backwards() }),
  reconfigure: z.strictObject({ at_ms, reconfigure: z.unknown() }),
  ready: z.strictObject({
    at_ms,
    ready: z.strictObject(
      {
        backend: name('backend').optional(),
        model: name('model').optional(),
        variant: name('variant').optional(),
        value: flag(),
      },
      { error: 'expected {backend: …, variant: …, value: true or false}' },
    ),
  }),
  counter: z.strictObject({
    at_ms,
    counter: z.strictObject(
      {
        backend: name('backend').optional(),
        backend_model: name('backend model').optional(),
        stream: name('stream').optional(),
        completed: count(0, MAX_COMPLETED),
        polled_at_ms: instant().optional(),
      },
      { error: 'expected {backend: …, backend_model: …, completed: …} or {stream: …, completed: …}' },
    ),
  }),
  witness: z.strictObject({
    at_ms,
    witness: z.strictObject(
      { backend: name('backend').optional(), present: flag(), polled_at_ms: instant().optional() },
      { error: 'expected {backend: …, present: true or false}' },
    ),
  }),
  round_trip: z.strictObject({
    at_ms,
    round_trip: z.strictObject({ backend: name('backend').optional(), p90_ms: span() }, { error: 'expected {backend: …, p90_ms: …}' }),
  }),
};

export type EventKind = keyof typeof EVENT_SCHEMAS;
export const EVENT_KINDS = Object.keys(EVENT_SCHEMAS) as EventKind[];
