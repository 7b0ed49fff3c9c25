/** Events about a request that come too early or too late to mean anything: the core takes them, and nothing follows. */
import type { Action, Dispatch } from '../core/actions.js';
import type { CoreEvent } from '../core/events.js';
import type { RequestId } from '../core/units.js';

export interface IgnoredEvent {
  readonly request: RequestId;
  /** As the script has it. */
  readonly event: 'complete' | 'timeout' | 'cancel';
  readonly text: string;
}

export class IgnoredEvents {
  readonly #arrived = new Set<RequestId>();
  readonly #ended = new Set<RequestId>();
  readonly #sent = new Set<RequestId>();
  readonly #returned = new Set<RequestId>();
  /** The number of its newest call, where a request has several. */
  readonly #quantum = new Map<RequestId, number>();

  /** To be asked before the core is; undefined when the event can have an effect. */
  look(event: CoreEvent): IgnoredEvent | undefined {
    switch (event.type) {
      case 'arrival':
        this.#arrived.add(event.request);
        return undefined;
      case 'completion': {
        const { request, quantum } = event;
        const isOther = quantum !== undefined && quantum !== this.#quantum.get(request);
        const text = this.#notSent(request) ?? (isOther || this.#returned.has(request) ? 'its call has returned already' : undefined);
        if (this.#sent.has(request) && !isOther) this.#returned.add(request);
        return text === undefined ? undefined : { request, event: 'complete', text };
      }
      case 'timeout':
      case 'cancel': {
        const { request, type } = event;
        const tooEarly = type === 'timeout' ? this.#notSent(request) : this.#notArrived(request);
        const text = this.#ended.has(request) ? 'it has its outcome already' : tooEarly;
        return text === undefined ? undefined : { request, event: type, text };
      }
      default:
        return undefined;
    }
  }

  /** What the core decided since. */
  observe(actions: readonly Action[]): void {
    for (const action of actions) {
      if (action.type === 'dispatch') this.#begin(action);
      if (action.type === 'terminate') this.#ended.add(action.request);
    }
  }

  #begin({ request, quantum }: Dispatch): void {
    this.#sent.add(request);
    this.#returned.delete(request);
    if (quantum !== undefined) this.#quantum.set(request, quantum.number);
  }

  #notSent(request: RequestId): string | undefined {
    if (this.#sent.has(request)) return undefined;
    return this.#notArrived(request) ?? (this.#ended.has(request) ? 'it ended without being sent' : 'it still waits');
  }

  #notArrived(request: RequestId): string | undefined {
    return this.#arrived.has(request) ? undefined : 'it has not arrived yet';
  }
}
