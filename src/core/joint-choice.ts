/** Variants of several guarded frames that wait at once (rules.md 9). */
import type { BackendState } from './backend-state.js';
import { excludedBy } from './corun.js';
import type { Variant } from './model-state.js';
import type { Request } from './requests.js';
import { SlotSchedule } from './slot-schedule.js';
import type { Micros } from './units.js';
import { plannedUs } from './variant-choice.js';

/** Frames looked at behind the one that would start. */
const MAX_OTHERS = 8;

/**
 * Whether the first frame may run on a better variant is asked with all others on their fastest: if they are late even so, no choice of
 * theirs can save them. So the search over all combinations comes down to one schedule a variant.
 */
export class JointChoice {
  readonly #backend: BackendState;
  readonly #schedule: SlotSchedule;

  constructor(backend: BackendState) {
    this.#backend = backend;
    this.#schedule = new SlotSchedule(backend.credits.slots);
  }

  /** Whether more guarded frames behind this one are late after `variant` than after `fastest`. */
  harms(request: Request, variant: Variant, fastest: Variant, now: Micros): boolean {
    return this.#lateAfter(request, variant, now) > this.#lateAfter(request, fastest, now);
  }

  #lateAfter(request: Request, variant: Variant, now: Micros): number {
    const { credits } = this.#backend;
    const schedule = this.#schedule;
    credits.plannedFreeUs(schedule.freeUs, now);
    schedule.place(now, plannedUs(variant, now));
    let late = 0;
    let others = 0;
    let behind = false;
    for (const stream of this.#backend.ordered) {
      const { head } = stream.waiting;
      if (head === request) behind = true;
      else if (behind && head !== undefined && stream.guarded && excludedBy(stream.model) === undefined) {
        schedule.placeFastest(now, stream.usable, now);
        if (schedule.endUs > head.deadlineUs) late += 1;
        others += 1;
        if (others === MAX_OTHERS) break;
      }
    }
    return late;
  }
}
