/** How long a slot is free for work that can be cut: until a frame of a higher class needs it (rules.md 12). */
import { type Credits, indexOfEarliest } from '../credits.js';
import type { GuardedWork, GuardedWorkList } from '../guarded-work.js';
import type { StreamState } from '../stream-state.js';
import { earlier, later, type Micros, micros, minus, NEVER, plus } from '../units.js';
import type { FillUntil } from './cooperative.js';

const ONE = micros(1);

/** The answers of one backend, rewritten by every question. */
export class Room {
  readonly #credits: Credits;
  readonly #work: GuardedWorkList;
  readonly #freeUs: Micros[] = [];
  /** When the slot has to be free again; NEVER when nobody needs it. */
  untilUs = NEVER;
  /** Who needs it then. */
  blocker: GuardedWork | undefined;
  /** The next instant at which time alone makes more room: a frame that is expected no longer. */
  retryAtUs = NEVER;

  constructor(credits: Credits, work: GuardedWorkList) {
    this.#credits = credits;
    this.#work = work;
  }

  /**
   * Looks for the frames of a higher class that find no other slot free.
   * @param horizonUs nothing after this instant matters.
   */
  look(stream: StreamState, fillUntil: FillUntil, horizonUs: Micros, now: Micros): void {
    this.untilUs = NEVER;
    this.blocker = undefined;
    this.retryAtUs = NEVER;
    this.#takeSlot(now);
    this.#work.reachTo(horizonUs, now);
    let aheadUs = micros(0);
    for (let i = 0; i < this.#work.count; i += 1) {
      const work = this.#work.at(i);
      if (work.arrivalUs >= horizonUs) return;
      const runtimeUs = work.stream.classRank > stream.classRank ? work.stream.usable.plannedUs(0, now) : NEVER;
      // One that nothing can run needs no slot, and one that waits already is what the look-ahead judges.
      if (runtimeUs === NEVER || this.#findsAnother(work, runtimeUs) || work.request !== undefined) continue;
      this.#needsIt(work, fillUntil === 'arrival' ? work.arrivalUs : latestStartUs(work, plus(aheadUs, runtimeUs)));
      aheadUs = plus(aheadUs, runtimeUs);
    }
  }

  /** The others stay in `#freeUs`. */
  #takeSlot(now: Micros): void {
    const freeUs = this.#freeUs;
    freeUs.length = this.#credits.slots;
    this.#credits.plannedFreeUs(freeUs, now);
    const last = freeUs.length - 1;
    freeUs[indexOfEarliest(freeUs, freeUs.length)] = freeUs[last] as Micros;
    freeUs.length = last;
  }

  #findsAnother({ arrivalUs }: GuardedWork, runtimeUs: Micros): boolean {
    const slot = indexOfEarliest(this.#freeUs, this.#freeUs.length);
    const freeUs = this.#freeUs[slot];
    if (freeUs === undefined || freeUs > arrivalUs) return false;
    this.#freeUs[slot] = plus(arrivalUs, runtimeUs);
    return true;
  }

  #needsIt(work: GuardedWork, atUs: Micros): void {
    this.retryAtUs = earlier(this.retryAtUs, plus(work.stream.forecast.givenUpAfterUs, ONE));
    if (atUs >= this.untilUs) return;
    this.untilUs = atUs;
    this.blocker = work;
  }
}

/**
 * So that an expected frame meets its deadline and is done before the one after it takes its place.
 * @param runtimeUs its own, and of those that go before it.
 */
function latestStartUs({ stream, arrivalUs }: GuardedWork, runtimeUs: Micros): Micros {
  const { periodUs = NEVER } = stream.configuration.contract;
  const replacedUs = stream.latestOnly ? plus(arrivalUs, periodUs) : NEVER;
  const dueUs = earlier(stream.forecast.deadlineOf(arrivalUs, runtimeUs), replacedUs);
  return later(arrivalUs, minus(dueUs, runtimeUs));
}
