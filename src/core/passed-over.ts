/** Why a better variant was not taken: told with the start on the lesser one (rules.md 1, 9). */
import type { PassedOverFor, Why } from './actions.js';
import { looksFresh } from './freshness.js';
import type { Variant } from './model-state.js';
import { OVERLOAD } from './overload.js';
import type { Request } from './requests.js';
import { type Micros, NEVER } from './units.js';
import { keptPromises, plannedUs, startUs } from './variant-choice.js';

/**
 * Of the best variant that is ready, where the taken one has less quality; else undefined. Nothing but `placement` changes by asking, and
 * that is the one of the taken variant afterwards.
 * @param worth what the plan gave for the better one, where it weighed it.
 */
export function passedOver(request: Request, taken: Variant, now: Micros, worth: number | undefined): Why | undefined {
  const [best] = request.stream.usable.ready;
  if (best === undefined || best.quality <= taken.quality) return undefined;
  const grounds = {
    passedOver: best.name,
    passedOverFor: whyNot(request, best, taken, now, worth),
    passedOverPlannedUs: plannedUs(best, now),
    ...(worth === undefined ? {} : { passedOverWorth: worth }),
  };
  taken.model.backend.credits.place(taken.server, now);
  return grounds;
}

function whyNot(request: Request, best: Variant, taken: Variant, now: Micros, worth: number | undefined): PassedOverFor {
  const { dwell, droppable, model } = request.stream;
  const { credits, overload, planned } = model.backend;
  if (droppable && !looksFresh(request, best, startUs(best, now), credits.placement.occupancy)) return 'max_age';
  if (worth !== undefined) return 'worth';
  if (planned !== undefined) return credits.place(best.server, now).startUs === NEVER ? 'busy' : 'others';
  if (overload.level >= OVERLOAD.degraded) return 'overload';
  const kept = keptPromises(request, best, now);
  if (kept === 0) return 'deadline';
  if (kept < keptPromises(request, taken, now)) return 'supply';
  return dwell.keeps(best, now) === taken ? 'dwell' : 'others';
}
