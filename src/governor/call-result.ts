/** The end of a call in the words of the core. */
import type { CallResult } from '../core/events.js';
import type { CallEnd } from './ports.js';

export function resultOf(end: CallEnd): CallResult {
  switch (end.result) {
    case 'ok':
      return { result: 'ok', ...(end.generated === undefined ? {} : { generated: end.generated }) };
    case 'failed':
      return { result: 'failed', cause: end.cause };
    case 'unknown':
      return { result: 'unknown', ...(end.witnessed === undefined ? {} : { witnessed: end.witnessed }) };
    case 'not_counted':
    case 'not_started':
      return { result: end.result };
  }
}
