/** What a reason is called in the table, in the words of somebody who has not read the documentation. */
import { CAUSES, type Cause } from '../core/catalogue.js';

const PHRASES: Partial<Record<string, string>> = {
  delivered: 'result in time',
  obsolete: 'result too late to be of use',
  newer_capture: 'dropped for a newer frame',
  out_of_order: 'dropped: came after a newer frame',
  duplicate_stamp: 'dropped: same stamp as before',
  stale_on_arrival: 'dropped: too old on arrival',
  expired_waiting: 'dropped: grew too old waiting',
  predicted_stale: 'dropped: could not be in time',
  queue_full: 'dropped: queue full',
  admission: 'refused: the server is overloaded',
  protected_only: 'refused: only the protected run',
  no_variant_ready: 'refused: model not ready',
  shutdown: 'cancelled: shutting down',
  no_answer: 'no answer from the server',
  model_error: 'the model failed',
  unavailable: 'the server was away',
};

export function phraseOf(cause: string): string {
  return PHRASES[cause] ?? cause.replaceAll('_', ' ');
}

/** Causes in the order of the catalogue; what it does not know comes last. */
export function inOrder(causes: Iterable<string>): readonly string[] {
  return [...causes].toSorted((a, b) => numberOf(a) - numberOf(b) || a.localeCompare(b));
}

function numberOf(cause: string): number {
  return cause in CAUSES ? CAUSES[cause as Cause].number : Number.MAX_SAFE_INTEGER;
}
