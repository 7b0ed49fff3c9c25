/** A floor for a stream that is not guarded: so much runtime in any window (rules.md 7, 13; policy.md 4). */
import { CLASSES, type MinRuntime } from './configuration.js';
import { SlidingSum } from './sliding-sum.js';
import type { Micros } from './units.js';

const BUCKETS = 32;

/** Between normal and high: before all that is not guarded. */
const SPARE_RANK = CLASSES.indexOf('high') - 0.5;
/** Before everything. */
const FIRM_RANK = CLASSES.length;

export class RuntimeFloor {
  readonly #floor: MinRuntime;
  /** Runtime of the calls that ended in the window. */
  readonly #ran: SlidingSum;

  constructor(floor: MinRuntime) {
    this.#floor = floor;
    this.#ran = new SlidingSum(floor.windowUs, BUCKETS);
  }

  /** Whether it goes before guarded streams when it is due. */
  get firm(): boolean {
    return this.#floor.guarantee === 'firm';
  }

  /** A call ended; what it took of a slot counts, whatever came of it. */
  ran(runtimeUs: Micros, now: Micros): void {
    this.#ran.add(runtimeUs, now);
  }

  /** Never while a call of it runs: it promises at most the time of one slot, so a second slot stays with those who need it. */
  isDue(running: boolean, now: Micros): boolean {
    return !running && this.#ran.total(now) < this.#floor.budgetUs;
  }

  /** When time alone may make it due; NEVER when only an event can. */
  nextDueUs(now: Micros): Micros {
    return this.#ran.nextExpiryUs(now);
  }

  /** The place in the order of classes that it gives while it is due. */
  get rank(): number {
    return this.firm ? FIRM_RANK : SPARE_RANK;
  }
}
