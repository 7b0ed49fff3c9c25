/** How calls end, and what is known of it (rules.md 2, 6). Every end but `unknown` is proven and returns the credit. */
import type { Cause } from './catalogue.js';
import type { Lease } from './credits.js';
import type { CallResult } from './events.js';
import type { Outcomes } from './outcomes.js';
import type { Request, Requests } from './requests.js';
import { type Micros, minus } from './units.js';

/** A completion whose credit is already back, or whose end is known to be unknowable, changes nothing. */
export function endCall(request: Request, end: CallResult, now: Micros, requests: Requests, outcomes: Outcomes): void {
  const { lease } = request;
  if (lease === undefined || lease.state === 'unknown') return;
  const { backend } = lease.variant.model;
  const late = lease.state === 'abandoned';
  if (!late && end.result === 'ok' && now <= request.freshUntilUs) request.stream.haveUsable(request.capture);
  if (!late) outcomes.conclude(request, causeOf(request, end, now), now, groundsOf(request, end, now));
  if (end.result === 'unknown') {
    backend.hold(lease, 'unknown');
    return;
  }
  if (late) {
    backend.lateAnswers += 1;
    outcomes.push({ type: 'late_answer', request: request.id, backend: backend.name });
  } else if (end.result === 'ok') {
    learn(lease, now);
  }
  request.stream.floor?.ran(lease, now);
  backend.release(lease, now);
  requests.remove(request);
}

/** Gives a request in flight its outcome while its call stays open. */
export function abandon(lease: Lease, cause: Cause, now: Micros, outcomes: Outcomes): void {
  if (lease.state !== 'running') return;
  outcomes.conclude(lease.request, cause, now, {});
  lease.variant.model.backend.hold(lease, 'abandoned');
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
function learn(lease: Lease, now: Micros): void {
  if (lease.startedUs === undefined) return;
  lease.variant.estimate.observe(lease.occupancy, minus(now, lease.startedUs), now);
  lease.variant.model.refresh();
}
