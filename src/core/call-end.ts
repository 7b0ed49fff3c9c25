/** How calls end (rules.md 2, 6). Every end but `unknown` is proven and returns the credit; that one waits for a proof (rules.md 11). */
import type { Cause } from './catalogue.js';
import type { Lease } from './credits.js';
import type { CallResult, Completion, Ran } from './events.js';
import type { Outcomes } from './outcomes.js';
import { isCounted } from './proof/reconciliation.js';
import type { Progress } from './quanta/generation.js';
import type { Request, Requests } from './requests.js';
import { type Micros, minus } from './units.js';

/**
 * A completion whose credit is already back, or whose end is known to be unknowable, changes nothing.
 * @returns whether the request needs another call and has to be admitted anew.
 */
export function endCall(request: Request, { end, ran }: Completion, now: Micros, requests: Requests, outcomes: Outcomes): boolean {
  const { lease, generation } = request;
  if (lease === undefined || lease.state === 'returned') return false;
  const { backend } = lease.variant.model;
  const { identity } = lease.variant.server;
  const late = lease.state === 'timed_out';
  const progress = late ? undefined : (generation?.end(end) ?? 'done');
  if (progress === 'goes_on') request.stream.inFlight -= 1;
  else if (progress !== undefined) conclude(request, end, progress, now, outcomes);
  if (end.result === 'unknown') {
    backend.hold(lease, 'returned');
    identity.returned(lease.claim, end.witnessed === true, backend.boot);
    return false;
  }
  identity.answered(lease.claim, isCounted(end));
  if (late) {
    backend.lateAnswers += 1;
    outcomes.push({ type: 'late_answer', request: request.id, backend: backend.name });
  } else if (end.result === 'ok') {
    learn(lease, ran, now);
  }
  request.stream.floor?.ran(runtimeOf(lease, ran, now), now);
  backend.release(lease, now, ran?.endedUs);
  if (progress === 'goes_on') return true;
  requests.remove(request);
  return false;
}

function conclude(request: Request, end: CallResult, progress: Exclude<Progress, 'goes_on'>, now: Micros, outcomes: Outcomes): void {
  const cause = progress === 'done' ? causeOf(request, end, now) : progress;
  if (cause === 'delivered') request.stream.haveUsable(request.capture, now);
  outcomes.conclude(request, cause, now, progress === 'done' ? groundsOf(request, end, now) : {});
}

/** Gives a request in flight its outcome while its call stays open. */
export function abandon(lease: Lease, cause: Cause, now: Micros, outcomes: Outcomes): void {
  if (lease.state !== 'running') return;
  outcomes.conclude(lease.request, cause, now, {});
  lease.variant.model.backend.hold(lease, 'timed_out');
}

function causeOf(request: Request, end: CallResult, now: Micros): Cause {
  switch (end.result) {
    case 'ok':
      return now <= request.freshUntilUs ? 'delivered' : 'obsolete';
    case 'failed':
      return end.cause;
    case 'not_counted':
      return 'rejected_by_server';
    case 'not_started':
      return 'unavailable';
    case 'unknown':
      return 'execution_unknown';
  }
}

function groundsOf(request: Request, end: CallResult, now: Micros) {
  return end.result === 'ok' ? { slackUs: minus(request.freshUntilUs, now) } : {};
}

/** The runtime counts from where the call really began; a call that overtook the one it was sent behind tells nothing. */
function learn(lease: Lease, ran: Ran | undefined, now: Micros): void {
  if (lease.startedUs === undefined) return;
  const { request, variant, occupancy, plannedUs } = lease;
  const runtimeUs = runtimeOf(lease, ran, now);
  if (request.generation !== undefined) {
    request.generation.cost.observe(runtimeUs, plannedUs);
    return;
  }
  const { estimate } = variant;
  const optimisticUs = estimate.optimisticUs(0);
  estimate.observe(occupancy, runtimeUs, now);
  if (estimate.optimisticUs(0) !== optimisticUs) variant.model.refresh();
}

/** How long a call took of a slot; by the core's time where it is not known otherwise. */
function runtimeOf({ dispatchedUs, startedUs = dispatchedUs, startedRunningUs }: Lease, ran: Ran | undefined, now: Micros): Micros {
  const followed = startedUs !== dispatchedUs;
  if (ran === undefined || (followed && startedRunningUs === undefined)) return minus(now, startedUs);
  return minus(ran.endedUs, startedRunningUs ?? ran.sentUs);
}
