/** Which calls are under way at each backend, followed along a trace. */
import type { Action, Dispatch } from '../core/actions.js';
import type { Micros, RequestId } from '../core/units.js';
import type { Decided } from './trace-reader.js';

export interface RunningCall {
  readonly dispatch: Dispatch;
  readonly sentUs: Micros;
  /** Undefined while it was sent ahead and waits at the server for the one before it to end. */
  readonly startedUs?: Micros | undefined;
  /** Its requester has its outcome. */
  readonly held: boolean;
  /** It came back without telling how the execution ended: only a proof ends it. */
  readonly returned: boolean;
}

/** sent: it took a credit, and runs unless it was sent ahead · started: it was sent ahead and runs now · ended: the credit came back. */
export interface CallChange {
  readonly what: 'sent' | 'started' | 'ended';
  readonly call: RunningCall;
}

type OpenCall = { -readonly [K in keyof RunningCall]: RunningCall[K] };

/** Hand it the event first, then each of its actions. */
export class RunningCalls {
  readonly #calls: Map<RequestId, OpenCall>;

  /** @param calls under way already. */
  constructor(calls: readonly RunningCall[] = []) {
    this.#calls = new Map(calls.map((call) => [call.dispatch.request, { ...call }]));
  }

  get all(): readonly RunningCall[] {
    return [...this.#calls.values()];
  }

  get(request: RequestId): RunningCall | undefined {
    return this.#calls.get(request);
  }

  /** In order of dispatch. */
  of(backend: string): readonly RunningCall[] {
    return this.all.filter(({ dispatch }) => dispatch.backend === backend);
  }

  takeEvent({ event, at }: Decided): readonly CallChange[] {
    if (event.type !== 'completion') return [];
    const call = this.#calls.get(event.request);
    if (event.end.result !== 'unknown' && call?.returned !== true) return this.#release(event.request, at);
    if (call !== undefined) call.returned = true;
    return [];
  }

  takeAction(action: Action, at: Micros): readonly CallChange[] {
    if (action.type === 'reconciled') return this.#release(action.request, at);
    if (action.type === 'dispatch') {
      const startedUs = action.why.follows === undefined ? at : undefined;
      const call: OpenCall = { dispatch: action, sentUs: at, startedUs, held: false, returned: false };
      this.#calls.set(action.request, call);
      return [{ what: 'sent', call }];
    }
    const call = action.type === 'terminate' ? this.#calls.get(action.request) : undefined;
    if (call !== undefined) call.held = true;
    return [];
  }

  /** With the end of one that ran, the first that was sent ahead to its model starts (rules.md 6). */
  #release(request: RequestId, at: Micros): readonly CallChange[] {
    const call = this.#calls.get(request);
    this.#calls.delete(request);
    const changes: CallChange[] = call === undefined ? [] : [{ what: 'ended', call }];
    if (call !== undefined && call.startedUs === undefined) return changes;
    const next = [...this.#calls.values()].find(
      (one) => one.startedUs === undefined && (one.dispatch.why.follows === request || isOfSameServer(one, call)),
    );
    if (next === undefined) return changes;
    next.startedUs = at;
    return [...changes, { what: 'started', call: next }];
  }
}

/** @param other undefined when the trace begins after it was sent. */
function isOfSameServer({ dispatch }: RunningCall, other: RunningCall | undefined): boolean {
  return dispatch.backend === other?.dispatch.backend && dispatch.backendModel === other.dispatch.backendModel;
}
