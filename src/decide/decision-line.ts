/** Decisions as one object a line: instants and durations in milliseconds of the script, requests by their names. */
import type { Action, Dispatch, Why } from '../core/actions.js';
import { CLOCK_ORIGIN_US, type Micros, type RequestId } from '../core/units.js';

/** A line of the output. */
export interface DecisionLine {
  readonly at_ms: number;
  readonly id?: string;
  readonly action: string;
  readonly [key: string]: unknown;
}

type NameOf = (id: RequestId) => string;

/** What each ground is: an instant, a duration, a request, or what it says itself. */
const GROUNDS = {
  slackUs: 'duration',
  optimisticUs: 'duration',
  startUs: 'instant',
  follows: 'request',
  supersededBy: 'request',
  blockedBy: 'plain',
  plannedUs: 'duration',
  expectedUs: 'instant',
  mandatory: 'plain',
  generated: 'plain',
  tokens: 'plain',
  startWorth: 'plain',
  waitWorth: 'plain',
  waitUntilUs: 'instant',
} as const satisfies Record<keyof Why, 'duration' | 'instant' | 'request' | 'plain'>;

export function instantMs(at: Micros): number {
  return (at - CLOCK_ORIGIN_US) / 1000;
}

export function lineOf(action: Action, at: Micros, nameOf: NameOf): DecisionLine {
  const at_ms = instantMs(at);
  switch (action.type) {
    case 'dispatch': {
      const { stream, backend, model, variant, backendModel } = action;
      const target = { stream, backend, model, variant, backend_model: backendModel, ...quantumOf(action) };
      return { at_ms, id: nameOf(action.request), action: 'dispatch', ...target, why: whyOf(action.why, nameOf) };
    }
    case 'terminate': {
      const { stream, variant, state, cause } = action;
      return {
        at_ms,
        id: nameOf(action.request),
        action: 'outcome',
        stream,
        ...(variant === undefined ? {} : { variant }),
        state,
        cause,
        age_ms: action.ageUs / 1000,
        deadline_missed: action.deadlineMissed,
        why: whyOf(action.why, nameOf),
      };
    }
    case 'late_answer':
      return { at_ms, id: nameOf(action.request), action: 'late_answer', backend: action.backend };
    case 'reconciled':
      return { at_ms, id: nameOf(action.request), action: 'reconciled', backend: action.backend, by: action.by };
    case 'restart': {
      const { backend, backendModel, restarts } = action;
      return { at_ms, action: 'restart', backend, ...(backendModel === undefined ? {} : { backend_model: backendModel }), count: restarts };
    }
    case 'poll':
      return { at_ms, action: 'poll', backend: action.backend, backend_model: action.backendModel, every_ms: action.everyUs / 1000 };
    case 'defer': {
      const { stream, variant, why } = action;
      const { waitUntilUs, blockedBy } = why;
      const told = waitUntilUs === undefined ? { action: 'veto', by: blockedBy } : { action: 'wait', until_ms: instantMs(waitUntilUs) };
      return { at_ms, id: nameOf(action.request), ...told, stream, variant, why: whyOf(why, nameOf) };
    }
    case 'violation': {
      const { misses, inRow, contractVersion } = action.why;
      const version = contractVersion === undefined ? {} : { contract_version: contractVersion };
      return { at_ms, action: 'violation', stream: action.stream, why: { misses, in_row: inRow, ...version } };
    }
    case 'level': {
      const { backend, level, previous, why } = action;
      return { at_ms, action: 'level', backend, level, previous, why };
    }
    case 'wake':
      return { at_ms, action: 'wake', wake_ms: instantMs(action.at) };
  }
}

function quantumOf({ quantum }: Dispatch) {
  return quantum === undefined ? {} : { quantum: quantum.number, tokens: quantum.tokens };
}

function whyOf(why: Why, nameOf: NameOf): Record<string, unknown> {
  const facts = Object.entries(why) as [keyof Why, Why[keyof Why]][];
  return Object.fromEntries(facts.map(([key, value]) => [snakeCase(key), groundOf(GROUNDS[key], value, nameOf)]));
}

function groundOf(kind: (typeof GROUNDS)[keyof Why], value: unknown, nameOf: NameOf): unknown {
  if (typeof value !== 'number' || kind === 'plain') return value;
  if (kind === 'request') return nameOf(value as RequestId);
  return kind === 'instant' ? instantMs(value as Micros) : value / 1000;
}

/** `startUs` becomes `start_ms`. */
function snakeCase(key: string): string {
  return key.replace(/Us$/, 'Ms').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
