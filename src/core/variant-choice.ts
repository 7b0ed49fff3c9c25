/** Gate D: on which variant a request would run (rules.md 9). */
import { canBeFresh } from './freshness.js';
import type { Variant } from './model-state.js';
import { OVERLOAD } from './overload.js';
import type { Request } from './requests.js';
import { earlier, type Micros, micros, minus, NEVER, plus } from './units.js';

const ONE = micros(1);

/** The tighter of two promises is kept only with the looser one: 2 supply and deadline, 1 the deadline, 0 it runs late. */
const ALL_KEPT = 2;

/**
 * Under normal load the best variant that keeps supply and deadline, else the best that keeps the deadline, else the one planned to be
 * fastest, which runs late. Undefined when none would be fresh. Whether it can be sent now is another question: a missing credit never
 * moves a request to a worse variant.
 */
export function chooseVariant(request: Request, now: Micros): Variant | undefined {
  const { usable, dwell, model } = request.stream;
  const fastest = fastestFresh(request, now);
  if (fastest === undefined || usable.ready.length === 1 || model.backend.overload.level >= OVERLOAD.degraded) return fastest;
  const wanted = bestHarmless(request, fastest, now);
  const held = dwell.keeps(wanted, now);
  if (held === undefined || !usable.ready.includes(held) || !isFresh(request, held, now)) return wanted;
  return keptPromises(request, held, now) < keptPromises(request, wanted, now) ? wanted : held;
}

/** The best of the variants that are faster than this one; undefined when there is none. */
export function nextFaster(request: Request, variant: Variant, now: Micros): Variant | undefined {
  const runtimeUs = plannedUs(variant, now);
  for (const other of request.stream.usable.ready) {
    if (plannedUs(other, now) < runtimeUs && isFresh(request, other, now)) return other;
  }
  return undefined;
}

/**
 * When time alone may change which variant is chosen for a request that waits: one no longer keeps what it keeps now, or a better one may
 * come again. NEVER where there is no choice.
 */
export function nextChoiceUs(request: Request, now: Micros): Micros {
  const { usable, dwell, droppable, model } = request.stream;
  if (usable.ready.length < 2) return NEVER;
  let nextUs = dwell.endsUs > now ? dwell.endsUs : NEVER;
  for (const variant of usable.ready) {
    const runtimeUs = plannedUs(variant, now);
    const optimisticUs = variant.estimate.optimisticUs(model.backend.credits.placement.occupancy);
    nextUs = earlier(nextUs, passedUs(minus(request.deadlineUs, runtimeUs), now));
    nextUs = earlier(nextUs, passedUs(minus(supplyUs(request), runtimeUs), now));
    if (droppable) nextUs = earlier(nextUs, passedUs(minus(request.freshUntilUs, optimisticUs), now));
  }
  return nextUs;
}

/** When this instant is past; NEVER when it is already. */
function passedUs(lastUs: Micros, now: Micros): Micros {
  return lastUs < now ? NEVER : plus(lastUs, ONE);
}

/** How long a variant is planned to run if it is sent now. */
export function plannedUs({ model, server, estimate }: Variant, now: Micros): Micros {
  return estimate.plannedUs(model.backend.credits.place(server, now).occupancy, now);
}

function fastestFresh(request: Request, now: Micros): Variant | undefined {
  let fastest: Variant | undefined;
  let fastestUs = NEVER;
  for (const variant of request.stream.usable.ready) {
    const runtimeUs = plannedUs(variant, now);
    if ((fastest !== undefined && runtimeUs >= fastestUs) || !isFresh(request, variant, now)) continue;
    fastest = variant;
    fastestUs = runtimeUs;
  }
  return fastest;
}

/** The best variant that keeps as much as possible and does not make another guarded frame late that waits already. */
function bestHarmless(request: Request, fastest: Variant, now: Micros): Variant {
  const { usable, model, guarded } = request.stream;
  for (let wanted = ALL_KEPT; wanted > 0; wanted -= 1) {
    for (const variant of usable.ready) {
      if (keptPromises(request, variant, now) < wanted || !isFresh(request, variant, now)) continue;
      if (variant === fastest || !guarded || !model.backend.jointChoice.harms(request, variant, fastest, now)) return variant;
    }
  }
  return fastest;
}

/** How many of the two promises, supply and deadline, it would keep: the tighter one counts only with the looser one. */
export function keptPromises(request: Request, variant: Variant, now: Micros): number {
  const finishUs = plus(startUs(variant, now), plannedUs(variant, now));
  if (finishUs > request.deadlineUs) return 0;
  return finishUs <= supplyUs(request) ? ALL_KEPT : 1;
}

/** Until when the result before this one, a period older, is usable. */
function supplyUs({ stream, capture }: Request): Micros {
  const { periodUs = 0 as Micros, maxAgeUs } = stream.configuration.contract;
  return maxAgeUs <= periodUs ? NEVER : plus(capture, minus(maxAgeUs, periodUs));
}

function isFresh(request: Request, variant: Variant, now: Micros): boolean {
  if (!request.stream.droppable) return true;
  return canBeFresh(request, variant, startUs(variant, now), variant.model.backend.credits.placement.occupancy, now);
}

/** Predicted start; now for one that cannot be sent yet. */
export function startUs({ model, server }: Variant, now: Micros): Micros {
  const placement = model.backend.credits.place(server, now);
  return placement.startUs === NEVER ? now : placement.startUs;
}
