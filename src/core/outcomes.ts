/** How requests end: exactly once each, counted, with grounds (rules.md 2). */
import type { Action, Terminate, Why } from './actions.js';
import { CAUSES, type Cause, type State } from './catalogue.js';
import type { Request, Requests } from './requests.js';
import { type Micros, minus } from './units.js';

const NOTHING: readonly Action[] = Object.freeze([]);

/** The actions of one event, and the counts that go with them. */
export class Outcomes {
  readonly #requests: Requests;
  #actions: Action[] | undefined;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  push(action: Action): void {
    this.#actions ??= [];
    this.#actions.push(action);
  }

  /** The actions since the last call. */
  take(): readonly Action[] {
    const actions = this.#actions ?? NOTHING;
    this.#actions = undefined;
    return actions;
  }

  /** Ends a request that was never sent; it no longer waits. */
  refuse(request: Request, cause: Cause, now: Micros, why: Why, variant?: string): void {
    this.#requests.remove(request);
    this.#end(request, cause, now, why, variant);
  }

  /** Ends a request that was sent. Its call may still be open. */
  conclude(request: Request, cause: Cause, now: Micros, why: Why): void {
    request.stream.inFlight -= 1;
    this.#end(request, cause, now, why, request.lease?.variant.name);
  }

  #end(request: Request, cause: Cause, now: Micros, why: Why, variant: string | undefined): void {
    const { state } = CAUSES[cause];
    const { generation } = request;
    const dispatchedUs = generation === undefined ? request.lease?.dispatchedUs : generation.dispatchedUs;
    const deadlineMissed = now > request.deadlineUs;
    request.stream.outcomes[state] += 1;
    if (request.stream.guarded) request.stream.model.backend.overload.sample(state, deadlineMissed, now);
    if (state === 'delivered') request.stream.consumer.delivered(request.capture, now);
    const grounds = generation === undefined || generation.generated === 0 ? why : { ...why, generated: generation.generated };
    this.push(terminate(request, state, cause, now, dispatchedUs, deadlineMissed, variant, grounds));
  }
}

/** Written out: spreads of what may be absent cost several times as much, and there is one of these for every message. */
function terminate(
  { id, stream, capture, arrivalUs }: Request,
  state: State,
  cause: Cause,
  now: Micros,
  dispatchedUs: Micros | undefined,
  deadlineMissed: boolean,
  variant: string | undefined,
  why: Why,
): Terminate {
  const ageUs = minus(now, capture);
  const waitingUs = minus(dispatchedUs ?? now, arrivalUs);
  const { name } = stream;
  if (dispatchedUs === undefined) {
    return variant === undefined
      ? { type: 'terminate', request: id, stream: name, state, cause, ageUs, waitingUs, deadlineMissed, why }
      : { type: 'terminate', request: id, stream: name, state, cause, ageUs, waitingUs, deadlineMissed, variant, why };
  }
  const serviceUs = minus(now, dispatchedUs);
  return variant === undefined
    ? { type: 'terminate', request: id, stream: name, state, cause, ageUs, waitingUs, serviceUs, deadlineMissed, why }
    : { type: 'terminate', request: id, stream: name, state, cause, ageUs, waitingUs, serviceUs, deadlineMissed, variant, why };
}
