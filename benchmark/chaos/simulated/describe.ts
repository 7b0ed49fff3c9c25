/** Events and decisions in a few words, for a schedule that failed. */
import type { Action } from '../../../src/core/actions.js';
import type { CoreEvent } from '../../../src/core/events.js';

/** Not one of the many frames that end where they came in, nor a look at the clock that finds nothing. */
export function isTelling(event: CoreEvent, actions: readonly Action[]): boolean {
  if (event.type !== 'arrival' && event.type !== 'tick') return true;
  return actions.some(({ type }) => type === 'dispatch' || type === 'reconciled');
}

export function describeEvent(event: CoreEvent): string {
  switch (event.type) {
    case 'arrival':
      return `frame ${event.request} of ${event.stream}`;
    case 'completion':
      return `call ${event.request} ended ${event.end.result}${witnessed(event.end)}`;
    case 'timeout':
      return `time-out of ${event.request}`;
    case 'readiness':
      return `${event.backendModel} ${event.ready ? 'ready' : 'not ready'}`;
    case 'counter':
      return `count of ${event.backendModel} ${event.completed}, asked ${event.polledUs}`;
    case 'witness':
      return `${event.present ? 'witness' : 'NO WITNESS'}, asked ${event.polledUs}`;
    case 'warm_up':
      return `warm-up ${event.call} of ${event.backendModel} ${event.end === undefined ? 'sent' : event.end.result + witnessed(event.end)}`;
    default:
      return event.type;
  }
}

export function describeActions(actions: readonly Action[]): string[] {
  return actions.flatMap((action) => {
    switch (action.type) {
      case 'dispatch':
        return [`${action.request} sent to ${action.backendModel}`];
      case 'reconciled':
        return [`CREDIT of ${action.request} back by ${action.by}`];
      case 'restart':
        return [`RESTART of ${action.backendModel ?? 'the server'}`];
      case 'late_answer':
        return [`credit of ${action.request} back`];
      case 'terminate':
        return [`${action.request} ${action.state}/${action.cause}`];
      default:
        return [];
    }
  });
}

function witnessed(end: { readonly result: string; readonly witnessed?: true }): string {
  return end.witnessed ? ', witnessed' : '';
}
