/** Variants of several guarded frames that wait at once (rules.md 9). */
import type { BackendState } from './backend-state.js';
import { excludedBy } from './corun.js';
import type { GuardedWorkList } from './guarded-work.js';
import type { Variant } from './model-state.js';
import type { Request } from './requests.js';
import { SlotSchedule } from './slot-schedule.js';
import type { Micros } from './units.js';
import { plannedUs } from './variant-choice.js';

/** Frames looked at, of those that wait and of those that are expected. */
const MAX_OTHERS = 8;

/**
 * Whether a frame may run on a better variant is asked with all others on their fastest: if they are late even so, no choice of theirs can
 * save them. So the search over all combinations comes down to one schedule a variant. Frames expected while the better variant runs
 * count as those that wait already.
 */
export class JointChoice {
  readonly #backend: BackendState;
  readonly #schedule: SlotSchedule;
  readonly #expected: GuardedWorkList;

  constructor(backend: BackendState, expected: GuardedWorkList) {
    this.#backend = backend;
    this.#schedule = new SlotSchedule(backend.credits.slots);
    this.#expected = expected;
  }

  /** Whether more guarded frames are late after `variant` than after `fastest`. */
  harms(request: Request, variant: Variant, fastest: Variant, now: Micros): boolean {
    const untilUs = this.#place(variant, now);
    this.#expected.reachTo(untilUs, now);
    const late = this.#countLate(request, untilUs, now);
    this.#place(fastest, now);
    return late > this.#countLate(request, untilUs, now);
  }

  /** @returns its end. */
  #place(variant: Variant, now: Micros): Micros {
    this.#backend.credits.plannedFreeUs(this.#schedule.freeUs, now);
    this.#schedule.place(now, plannedUs(variant, now));
    return this.#schedule.endUs;
  }

  #countLate(request: Request, untilUs: Micros, now: Micros): number {
    return this.#lateWaiting(request, now) + this.#lateExpected(untilUs, now);
  }

  #lateWaiting(request: Request, now: Micros): number {
    let late = 0;
    let others = 0;
    let behind = false;
    for (const { waiting, guarded, model, usable } of this.#backend.ordered) {
      const { head } = waiting;
      if (head === undefined) break;
      if (head === request) behind = true;
      else if (behind && guarded && excludedBy(model) === undefined) {
        this.#schedule.placeFastest(now, usable, now);
        if (this.#schedule.endUs > head.deadlineUs) late += 1;
        others += 1;
        if (others === MAX_OTHERS) break;
      }
    }
    return late;
  }

  #lateExpected(untilUs: Micros, now: Micros): number {
    let late = 0;
    let others = 0;
    for (let i = 0; i < this.#expected.count && others < MAX_OTHERS; i += 1) {
      const work = this.#expected.at(i);
      if (work.arrivalUs >= untilUs) break;
      if (work.request !== undefined) continue;
      this.#schedule.placeFastest(work.arrivalUs, work.stream.usable, now);
      if (this.#schedule.endUs > work.stream.forecast.deadlineOf(work.arrivalUs, this.#schedule.runtimeUs)) late += 1;
      others += 1;
    }
    return late;
  }
}
