import type { Action, Dispatch, PassedOverFor, Terminate, Why } from '../core/actions.js';
import { CAUSES } from '../core/catalogue.js';
import type { Micros, RequestId } from '../core/units.js';

/** For people. */
export const inMs = (us: number): string => `${(us / 1000).toFixed(1)} ms`;

const inTokens = (tokens: number): string => `${tokens} ${tokens === 1 ? 'token' : 'tokens'}`;

/** What a request is called. */
type NameOf = (request: RequestId) => string;
const byNumber: NameOf = (request) => `request ${request}`;

/** One line for a person about any decision, taken at this instant; undefined where there is nothing to explain. */
export function explainDecision(action: Action, at: Micros, nameOf: NameOf): string | undefined {
  switch (action.type) {
    case 'dispatch':
      return [explainStart(action, at, nameOf), ...betterOne(action.why)].join('; ');
    case 'defer':
      return deferGrounds(action.why, at);
    case 'terminate':
      return explain(action, undefined, nameOf);
    case 'late_answer':
      return 'its request had ended; the slot is free again';
    case 'reconciled':
      return action.by === 'count' ? 'as many calls have ended as can have got there' : 'it was in a process that has ended';
    case 'restart':
      return action.backendModel === undefined ? 'the server is another process' : 'its count of finished calls fell';
    case 'poll':
      return undefined;
    case 'level':
      return `${action.why.violations} of ${action.why.samples} guarded requests of the last second were violated`;
    case 'violation':
      return `${action.why.misses} cycles missed in the window, ${action.why.inRow} in a row`;
    case 'wake':
      return undefined;
  }
}

function deferGrounds(why: Why, at: Micros): string {
  const { blockedBy, plannedUs, expectedUs, tokens, waitUntilUs } = why;
  if (waitUntilUs !== undefined) return `waits ${inMs(waitUntilUs - at)} for a better moment${worths(why)}`;
  const length = tokens === undefined ? '' : `with ${inTokens(tokens)} `;
  const runs = plannedUs === undefined ? '' : `${length}would run ${inMs(plannedUs)} and `;
  const frame =
    expectedUs === undefined
      ? 'a waiting frame'
      : `the frame expected ${expectedUs < at ? 'since' : 'in'} ${inMs(Math.abs(expectedUs - at))}`;
  const whose = `${frame} of ${blockedBy ?? 'a higher class'}`;
  return tokens === undefined ? `${runs}make ${whose} late` : `${runs}keep the slot from ${whose}`;
}

/** What the plan weighed against each other, in the units of adr/0012. */
function worths({ startWorth, waitWorth }: Why): string {
  if (startWorth === undefined) return '';
  return `; worth ${startWorth} if started now${waitWorth === undefined ? '' : `, ${waitWorth} after the best wait`}`;
}

/** What stood against a better variant. */
const PASSED_OVER: Readonly<Record<PassedOverFor, string>> = {
  max_age: 'its result would come older than max_age',
  deadline: 'it would miss the deadline',
  supply: 'the last result would get too old for the consumer before it ends',
  overload: 'under overload the fastest one is taken',
  dwell: 'the variant changed less than variant_dwell_ms ago',
  busy: 'no instance of it was free',
  others: 'the time is kept for other frames',
  worth: 'the plan makes less of the time with it',
};

function betterOne(why: Why): string[] {
  const against = explainPassedOver(why);
  return against === undefined ? [] : [`not on ${why.passedOver}, ${against}`];
}

/** What a decision says of the better variant that it passed over; undefined where it did not. */
export function explainPassedOver({ passedOverFor, passedOverPlannedUs, passedOverWorth }: Why): string | undefined {
  if (passedOverFor === undefined || passedOverPlannedUs === undefined) return undefined;
  const worth = passedOverWorth === undefined ? '' : `, worth ${passedOverWorth}`;
  return `planned ${inMs(passedOverPlannedUs)}${worth}: ${PASSED_OVER[passedOverFor]}`;
}

/** One line about a start on the variant that was taken, and nothing of others. */
export function explainStart({ why, quantum }: Dispatch, at: Micros, nameOf: NameOf): string {
  const { slackUs, optimisticUs, plannedUs, startUs, follows, mandatory, generated } = why;
  const start =
    follows === undefined
      ? 'starts at once'
      : `sent behind ${nameOf(follows)}${startUs === undefined ? '' : `, starts in ${inMs(startUs - at)}`}`;
  const needs = optimisticUs === undefined ? '' : `, needs at least ${inMs(optimisticUs)}`;
  const planned = plannedUs === undefined ? '' : `, planned ${inMs(plannedUs)}`;
  const budget = mandatory === true ? '; one more missed cycle would break its miss budget' : '';
  const length = quantum === undefined ? '' : ` for ${inTokens(quantum.tokens)}${generated === undefined ? '' : ` after ${generated}`}`;
  return `${start}${length}${slackUs === undefined ? '' : `; ${inMs(slackUs)} before max_age`}${needs}${planned}${budget}${worths(why)}`;
}

/**
 * One line for a person about one end. It prints the decision's own grounds and computes nothing anew (rules.md 1).
 * @param added what only the world outside the core knows: the server's words, the reason of a missing variant.
 */
export function explain(end: Terminate, added?: string, nameOf: NameOf = byNumber): string {
  const parts = [grounds(end, nameOf), lost(end), added].filter((part) => part !== undefined && part !== '');
  return parts.length > 0 ? parts.join('; ') : CAUSES[end.cause].meaning;
}

/** Of a text that is not complete nothing is shown. */
function lost({ state, why: { generated } }: Terminate): string | undefined {
  if (generated === undefined || state === 'delivered' || state === 'obsolete') return undefined;
  return `${inTokens(generated)} of it are not published`;
}

function grounds(end: Terminate, nameOf: NameOf): string | undefined {
  const why = end.why;
  switch (end.cause) {
    case 'newer_capture':
    case 'out_of_order':
    case 'duplicate_stamp':
    case 'overflow_oldest':
      return why.supersededBy === undefined ? undefined : `${nameOf(why.supersededBy)} took its place`;
    case 'stale_on_arrival':
    case 'predicted_stale':
    case 'expired_waiting':
    case 'never_fits':
      return freshness(end, why);
    case 'obsolete':
      return `came at an age of ${inMs(end.ageUs)}${why.slackUs === undefined ? '' : `, ${inMs(-why.slackUs)} over max_age`}`;
    default:
      return why.blockedBy === undefined ? undefined : `blocked by ${why.blockedBy}`;
  }
}

function freshness(end: Terminate, why: Why): string {
  const needed = why.optimisticUs === undefined ? '' : `, needs at least ${inMs(why.optimisticUs)}`;
  const left =
    why.slackUs === undefined ? '' : `, ${why.slackUs < 0 ? `${inMs(-why.slackUs)} over` : `${inMs(why.slackUs)} before`} max_age`;
  return `${inMs(end.ageUs)} old${left}${needed}`;
}
