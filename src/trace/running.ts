/** Which calls are under way at each backend, followed along a trace. */
import type { Dispatch } from '../core/actions.js';
import type { Micros, RequestId } from '../core/units.js';
import type { Decided } from './trace-reader.js';

export interface RunningCall {
  readonly dispatch: Dispatch;
  readonly sentUs: Micros;
  /** Its requester has its outcome, or it returned without telling how it ended. */
  held: boolean;
}

export class RunningCalls {
  readonly #calls = new Map<RequestId, RunningCall>();

  get(request: RequestId): RunningCall | undefined {
    return this.#calls.get(request);
  }

  /** In order of dispatch. */
  of(backend: string): readonly RunningCall[] {
    return [...this.#calls.values()].filter(({ dispatch }) => dispatch.backend === backend);
  }

  /** What has ended by this event: to be taken in before its actions. */
  before({ event }: Decided): void {
    if (event.type !== 'completion') return;
    if (event.end.result !== 'unknown') this.#calls.delete(event.request);
  }

  after({ at, actions }: Decided): void {
    for (const action of actions) {
      if (action.type === 'dispatch') this.#calls.set(action.request, { dispatch: action, sentUs: at, held: false });
      if (action.type === 'reconciled') this.#calls.delete(action.request);
      const call = action.type === 'terminate' ? this.#calls.get(action.request) : undefined;
      if (call !== undefined) call.held = true;
    }
  }
}
