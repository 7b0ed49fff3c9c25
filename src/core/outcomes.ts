/** How requests end: exactly once each, counted, with grounds (rules.md 2). */
import type { Action, Terminate, Why } from './actions.js';
import { CAUSES, type Cause } from './catalogue.js';
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
    const outcome: Terminate = {
      type: 'terminate',
      request: request.id,
      stream: request.stream.name,
      state,
      cause,
      ageUs: minus(now, request.capture),
      waitingUs: minus(dispatchedUs ?? now, request.arrivalUs),
      ...(dispatchedUs === undefined ? {} : { serviceUs: minus(now, dispatchedUs) }),
      deadlineMissed,
      ...(variant === undefined ? {} : { variant }),
      why: generation === undefined || generation.generated === 0 ? why : { ...why, generated: generation.generated },
    };
    this.push(outcome);
  }
}
