import type { Terminate, Why } from '../core/actions.js';
import { CAUSES } from '../core/catalogue.js';

const inMs = (us: number): string => `${(us / 1000).toFixed(1)} ms`;

/**
 * One line for a person about one end. It prints the decision's own grounds and computes nothing anew (rules.md 1).
 * @param added what only the world outside the core knows: the server's words, the reason of a missing variant.
 */
export function explain(end: Terminate, added?: string): string {
  const parts = [grounds(end), added].filter((part) => part !== undefined && part !== '');
  return parts.length > 0 ? parts.join('; ') : CAUSES[end.cause].meaning;
}

function grounds(end: Terminate): string | undefined {
  const why = end.why;
  switch (end.cause) {
    case 'newer_capture':
    case 'out_of_order':
    case 'duplicate_stamp':
    case 'overflow_oldest':
      return why.supersededBy === undefined ? undefined : `request ${why.supersededBy} took its place`;
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
