/** What is told about a server, taken in: restarts, proofs, and how often to ask (rules.md 11). */
import type { BackendState } from '../backend-state.js';
import { CoreError } from '../core-error.js';
import type { CallResult, CounterReport, WarmUpCall, WitnessReport } from '../events.js';
import type { ServedModel } from '../model-state.js';
import type { Outcomes } from '../outcomes.js';
import type { Requests } from '../requests.js';
import type { Micros } from '../units.js';

export function takeCounter(
  backend: BackendState,
  { backendModel, completed, polledUs }: CounterReport,
  now: Micros,
  outcomes: Outcomes,
): void {
  const { identity } = servedModel(backend, backendModel);
  const waited = identity.awaitsBaseline;
  const fell = identity.report(completed, polledUs, backend.boot, now);
  if (waited && !identity.awaitsBaseline) backend.nextUs = now;
  if (!fell) return;
  outcomes.push({ type: 'restart', backend: backend.name, backendModel, restarts: backend.restarts });
}

export function takeWitness(backend: BackendState, { present, polledUs }: WitnessReport, now: Micros, outcomes: Outcomes): void {
  if (!backend.boot.report(present, polledUs)) return;
  let isNews = false;
  for (const { identity } of backend.served.values()) if (identity.serverEnded(backend.boot, now)) isNews = true;
  if (isNews) outcomes.push({ type: 'restart', backend: backend.name, restarts: backend.restarts });
}

/** One that ended without anybody knowing how stays in the books of its model until its end is proven, or the model restarts. */
export function takeWarmUp(backend: BackendState, { backendModel, call, end }: WarmUpCall, now: Micros): void {
  const { identity } = servedModel(backend, backendModel);
  if (end === undefined) {
    backend.warmUps.set(call, identity.send(now, backend.boot.number));
    return;
  }
  const claim = backend.warmUps.get(call);
  backend.warmUps.delete(call);
  if (claim === undefined) return;
  if (end.result === 'unknown') identity.returned(claim, end.witnessed === true, backend.boot);
  else identity.answered(claim, isCounted(end));
}

/** Whether the server counts an execution that ended so. */
export function isCounted({ result }: CallResult): boolean {
  return result === 'ok' || result === 'failed';
}

/** Returns the credits of what is proven to have ended, and says how often to ask from now on. */
export function settle(backend: BackendState, now: Micros, requests: Requests, outcomes: Outcomes): void {
  const { credits, name } = backend;
  for (const lease of credits.leases.filter(({ claim }) => claim.fate === 'ended')) {
    const { request, claim } = lease;
    backend.release(lease, now);
    backend.reconciled += 1;
    backend.nextUs = now;
    requests.remove(request);
    if (claim.provenBy !== undefined) outcomes.push({ type: 'reconciled', request: request.id, backend: name, by: claim.provenBy });
  }
  for (const [backendModel, { identity }] of backend.served) {
    const { everyUs } = identity;
    if (everyUs === identity.toldEveryUs) continue;
    identity.toldEveryUs = everyUs;
    outcomes.push({ type: 'poll', backend: name, backendModel, everyUs });
  }
}

function servedModel(backend: BackendState, backendModel: string): ServedModel {
  const served = backend.served.get(backendModel);
  if (served !== undefined) return served;
  throw new CoreError('unknown_backend_model', `no variant names model "${backendModel}" of backend "${backend.name}"`);
}
