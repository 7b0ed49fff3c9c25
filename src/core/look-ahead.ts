/** Gate C: work must not take the slot that a frame of a higher class will need (rules.md 8). */
import { CLASSES, isGuarded, type StreamClass } from './configuration.js';
import { bannedUntilUs } from './corun.js';
import type { Credits } from './credits.js';
import type { GuardedWork, GuardedWorkList } from './guarded-work.js';
import type { Variant } from './model-state.js';
import { SlotSchedule } from './slot-schedule.js';
import type { StreamState } from './stream-state.js';
import { supplyLimitUs } from './supply.js';
import { earlier, later, type Micros, micros, minus, NEVER, plus } from './units.js';

const ONE = micros(1);
const TOP_RANK = CLASSES.length - 1;

/** The look-ahead of one backend. */
export class LookAhead {
  readonly #credits: Credits;
  readonly #protectSupply: boolean;
  readonly #work: GuardedWorkList;
  readonly #without: SlotSchedule;
  readonly #with: SlotSchedule;
  /** The next instant at which time alone can lift a veto, of all since it was last reset; an arrival or a completion can, too. */
  retryAtUs = NEVER;

  constructor(credits: Credits, work: GuardedWorkList, protectSupply: boolean) {
    this.#credits = credits;
    this.#protectSupply = protectSupply;
    this.#work = work;
    this.#without = new SlotSchedule(credits.slots);
    this.#with = new SlotSchedule(credits.slots);
  }

  /** To be called when time has passed, or anything started, came or went. */
  forget(): void {
    this.#work.clear();
  }

  /**
   * The first frame of a higher class that would be in time without this start and is not with it; undefined when there is none. A frame
   * that is late anyway is no reason to leave the slot idle. Each class is looked at with those above it only: what waits below must not
   * make it look late, since it will be made to wait itself.
   * @param startUs now, or the predicted end of the call it would follow.
   */
  endangeredBy(stream: StreamState, variant: Variant, startUs: Micros, runtimeUs: Micros, now: Micros): GuardedWork | undefined {
    for (let rank = TOP_RANK; rank > stream.classRank && isGuarded(CLASSES[rank] as StreamClass); rank -= 1) {
      const work = this.#firstEndangered(rank, variant, startUs, runtimeUs, now);
      if (work !== undefined) return work;
    }
    return undefined;
  }

  #firstEndangered(rank: number, variant: Variant, startUs: Micros, runtimeUs: Micros, now: Micros): GuardedWork | undefined {
    this.#credits.plannedFreeUs(this.#without.freeUs, now);
    this.#with.copy(this.#without);
    this.#with.place(startUs, runtimeUs);
    const { endUs } = this.#with;
    this.#work.reachTo(endUs, now);
    for (let i = 0; i < this.#work.count; i += 1) {
      const work = this.#work.at(i);
      if (work.arrivalUs >= endUs) return undefined;
      if (work.stream.classRank < rank) continue;
      this.#reserve(work, keepsOut(variant, work.stream) ? endUs : work.arrivalUs, now);
      if (this.#endangers(work, now)) return work;
    }
    return undefined;
  }

  /** @param readyUs when it could start beside the candidate. */
  #reserve({ stream, arrivalUs }: GuardedWork, readyUs: Micros, now: Micros): void {
    const banUs = bannedUntilUs(stream.model, now);
    this.#without.placeFastest(later(arrivalUs, banUs), stream.usable, now);
    this.#with.placeFastest(later(later(arrivalUs, readyUs), banUs), stream.usable, now);
  }

  #endangers(work: GuardedWork, now: Micros): boolean {
    const { runtimeUs } = this.#without;
    const deadlineUs = deadlineOf(work, runtimeUs);
    const supplyUs = this.#protectSupply ? supplyLimitUs(work, this.#credits) : NEVER;
    // A waiting frame counts until it is late, an expected one until it is given up.
    this.#changesAfter(work.request === undefined ? work.stream.forecast.givenUpAfterUs : minus(deadlineUs, runtimeUs), now);
    if (this.#isCause(supplyUs)) this.#changesAfter(minus(supplyUs, runtimeUs), now);
    return this.#isCause(deadlineUs) || this.#isCause(supplyUs);
  }

  #isCause(limitUs: Micros): boolean {
    return this.#without.endUs <= limitUs && this.#with.endUs > limitUs;
  }

  #changesAfter(lastUs: Micros, now: Micros): void {
    if (lastUs >= now) this.retryAtUs = earlier(this.retryAtUs, plus(lastUs, ONE));
  }
}

/** Whether a call keeps a stream from starting although a slot is free: by a ban, or because it takes the last instance. */
function keepsOut({ model, server }: Variant, stream: StreamState): boolean {
  if (model.excludes.includes(stream.model)) return true;
  if (model !== stream.model || server.openCalls + 1 < server.instances) return false;
  for (const variant of stream.usable.ready) if (variant.server !== server) return false;
  return true;
}

function deadlineOf({ request, stream, arrivalUs }: GuardedWork, runtimeUs: Micros): Micros {
  return request === undefined ? stream.forecast.deadlineOf(arrivalUs, runtimeUs) : request.deadlineUs;
}
