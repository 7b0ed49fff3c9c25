/** What stands in a stream's way, in words: built only for actions. */
import type { Why } from './actions.js';
import type { BackendState } from './backend-state.js';
import type { Cause } from './catalogue.js';
import { excludedBy } from './corun.js';
import type { Request } from './requests.js';
import type { StreamState } from './stream-state.js';
import { type Micros, minus } from './units.js';

/** What keeps the stream waiting: a banned neighbour, a frame of a higher class, or the calls that take the slots. */
export function obstacle(stream: StreamState): Why {
  const { model } = stream;
  const banned = excludedBy(model);
  if (banned !== undefined) return { blockedBy: `no_corun: ${banned.name} is running` };
  const { blocker } = stream.deferral;
  if (blocker !== undefined) return { blockedBy: `expected frame of ${blocker.name}` };
  const { leases } = model.backend.credits;
  const [first, second] = leases;
  if (first === undefined) return {};
  if (second === undefined) return { blockedBy: `calls of ${first.request.stream.name}` };
  return { blockedBy: `calls of ${[...new Set(leases.map((lease) => lease.request.stream.name))].join(', ')}` };
}

/** Why nothing of this stream may even wait. */
export function standstill(stream: StreamState, cause: Cause): Why {
  const { model } = stream;
  if (cause === 'no_variant_ready') return { blockedBy: notReady(stream) };
  if (cause === 'slots_quarantined') return { blockedBy: quarantine(model.backend) };
  if (cause === 'admission' || cause === 'protected_only') return { blockedBy: `overload level ${model.backend.overload.level}` };
  return {};
}

function notReady({ model, usable }: StreamState): string {
  return `backend ${model.backend.name}: not ready: ${[...new Set(usable.allowed.map((variant) => variant.server.name))].join(', ')}`;
}

function quarantine({ name, credits }: BackendState): string {
  return `backend ${name}: ${credits.held} of ${credits.slots} slots held by calls without a proven end`;
}

/** The numbers of the freshness test that a frame failed. */
export function freshnessGrounds(request: Request, startUs: Micros, now: Micros): Why {
  return {
    slackUs: minus(request.freshUntilUs, now),
    optimisticUs: request.stream.usable.fastestUs,
    startUs,
  };
}
