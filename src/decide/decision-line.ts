/** Decisions as one object a line: instants and durations in milliseconds of the script, requests by their names. */
import type { Action, Defer, Dispatch, Terminate, Why } from '../core/actions.js';
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
  passedOver: 'plain',
  passedOverFor: 'plain',
  passedOverPlannedUs: 'duration',
  passedOverWorth: 'plain',
} as const satisfies Record<keyof Why, 'duration' | 'instant' | 'request' | 'plain'>;

export function instantMs(at: Micros): number {
  return (at - CLOCK_ORIGIN_US) / 1000;
}

export function lineOf(action: Action, at: Micros, nameOf: NameOf): DecisionLine {
  const of = 'request' in action ? { id: nameOf(action.request) } : {};
  return { at_ms: instantMs(at), ...of, ...factsOf(action, nameOf) };
}

type Facts = Omit<DecisionLine, 'at_ms' | 'id'> & Pick<DecisionLine, 'action'>;

function factsOf(action: Action, nameOf: NameOf): Facts {
  switch (action.type) {
    case 'dispatch':
      return dispatchFacts(action, nameOf);
    case 'terminate':
      return outcomeFacts(action, nameOf);
    case 'defer':
      return deferFacts(action, nameOf);
    case 'late_answer':
      return { action: 'late_answer', backend: action.backend };
    case 'reconciled':
      return { action: 'reconciled', backend: action.backend, by: action.by };
    case 'restart': {
      const { backend, backendModel, restarts } = action;
      return { action: 'restart', backend, ...(backendModel === undefined ? {} : { backend_model: backendModel }), count: restarts };
    }
    case 'poll':
      return { action: 'poll', backend: action.backend, backend_model: action.backendModel, every_ms: action.everyUs / 1000 };
    case 'violation': {
      const { misses, inRow, contractVersion } = action.why;
      const version = contractVersion === undefined ? {} : { contract_version: contractVersion };
      return { action: 'violation', stream: action.stream, why: { misses, in_row: inRow, ...version } };
    }
    case 'level': {
      const { backend, level, previous, why } = action;
      return { action: 'level', backend, level, previous, why };
    }
    case 'wake':
      return { action: 'wake', wake_ms: instantMs(action.at) };
  }
}

function dispatchFacts({ stream, backend, model, variant, backendModel, quantum, why }: Dispatch, nameOf: NameOf): Facts {
  const call = quantum === undefined ? {} : { quantum: quantum.number, tokens: quantum.tokens };
  return { action: 'dispatch', stream, backend, model, variant, backend_model: backendModel, ...call, why: whyOf(why, nameOf) };
}

function outcomeFacts({ stream, variant, state, cause, ageUs, deadlineMissed, why }: Terminate, nameOf: NameOf): Facts {
  return {
    action: 'outcome',
    stream,
    ...(variant === undefined ? {} : { variant }),
    state,
    cause,
    age_ms: ageUs / 1000,
    deadline_missed: deadlineMissed,
    why: whyOf(why, nameOf),
  };
}

function deferFacts({ stream, variant, why }: Defer, nameOf: NameOf): Facts {
  const { waitUntilUs, blockedBy } = why;
  const told = waitUntilUs === undefined ? { action: 'veto', by: blockedBy } : { action: 'wait', until_ms: instantMs(waitUntilUs) };
  return { ...told, stream, variant, why: whyOf(why, nameOf) };
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
