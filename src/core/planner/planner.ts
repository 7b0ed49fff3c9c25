/** Which start is worth most, or until when to wait instead (policy.md 2, 3). */
import type { Why } from '../actions.js';
import type { Variant } from '../model-state.js';
import type { Request } from '../requests.js';
import { earlier, type Micros, micros, NEVER, plus } from '../units.js';
import { Q15, Q90, type RuntimeBelief } from './belief.js';
import type { Outlook } from './outlook.js';
import type { Prospect, RunnableVariant } from './prospect.js';
import { startsNow } from './ratio-rule.js';
import { Rollout } from './rollout.js';
import { opensUs } from './worth.js';

/** Streams whose frame is weighed, of those that may start. */
export const MOST_URGENT = 3;
/** Instants that may be waited for, and how far they lie apart at least. */
const INSTANTS = 2;
const APART_US = 2_000;
/** While it waits it weighs anew so often: the right moment to start lies between the instants that are worth planning for. */
const LOOK_AGAIN_US = micros(1_000);
const BEST_VARIANT_BONUS = 0.02;
const BETTER_BY = 1e-4;
/** Periods without a usable result, weighted, that one background job may cost the others. */
const TOLERATED_LACK = 0.02;
const NOTHING = Number.NEGATIVE_INFINITY;

export class Planner {
  readonly #outlook: Outlook;
  readonly #rollout: Rollout;
  readonly #urgent: Prospect[] = [];
  /** The best start of the pass. */
  request: Request | undefined;
  variant: Variant | undefined;
  /** What its best variant is worth, where that was weighed and is another. */
  worthOfBest: number | undefined;
  #startWorth = NOTHING;
  /** Of the request that is weighed; undefined where its best variant could not be sent. */
  #bestOf: Request | undefined;
  #bestWorth = NOTHING;
  /** The best wait of the pass; NEVER when there is none. */
  waitUntilUs = NEVER as Micros;
  #waitWorth = NOTHING;

  constructor(outlook: Outlook) {
    this.#outlook = outlook;
    this.#rollout = new Rollout(outlook);
  }

  /** Begins a pass. @returns those that wait and are worth something, most urgent first. */
  urgent(): readonly Prospect[] {
    this.request = undefined;
    this.variant = undefined;
    this.worthOfBest = undefined;
    this.#startWorth = NOTHING;
    this.#bestOf = undefined;
    this.waitUntilUs = NEVER;
    const urgent = this.#urgent;
    urgent.length = 0;
    for (const prospect of this.#outlook.worthy) {
      if (prospect.stream.waiting.head === undefined) continue;
      let at = urgent.length;
      for (; at > 0 && prospect.urgencyUs < (urgent[at - 1] as Prospect).urgencyUs; at -= 1) urgent[at] = urgent[at - 1] as Prospect;
      urgent[at] = prospect;
    }
    return urgent;
  }

  /** One that may start. */
  consider(request: Request, prospect: Prospect, { variant, belief }: RunnableVariant, startUs: number): void {
    if (this.#alone !== undefined) {
      this.request = request;
      this.variant = variant;
      return;
    }
    const isBestVariant = prospect.variants.length > 1 && prospect.variants[0]?.variant === variant;
    // One more miss would break the miss budget.
    const bonus = (isBestVariant ? BEST_VARIANT_BONUS : 0) + (prospect.stream.consumer.mustDeliver ? prospect.terms.weight : 0);
    const worth = bonus + this.#rollout.afterStart(prospect, belief, startUs, request.freshUntilUs, this.#startWorth - bonus);
    if (isBestVariant) {
      this.#bestOf = request;
      this.#bestWorth = worth;
    }
    if (worth <= this.#startWorth) return;
    this.request = request;
    this.variant = variant;
    this.#startWorth = worth;
    this.worthOfBest = isBestVariant || this.#bestOf !== request ? undefined : rounded(this.#bestWorth);
  }

  /** Whether no wait is worth more than the best start; else `waitUntilUs` says until when, by the first that is. */
  startsNow(now: Micros): boolean {
    this.waitUntilUs = NEVER;
    this.#waitWorth = NOTHING;
    if (this.#alone !== undefined) return this.#startsAlone(this.#alone, now);
    let afterUs = this.#outlook.startUs;
    if (afterUs > now) this.#considerWait(afterUs);
    for (let instants = afterUs > now ? 1 : 0; instants < INSTANTS && !this.#waits; instants += 1) {
      const untilUs = this.#nextInstantUs(afterUs);
      if (untilUs >= this.#outlook.horizonUs) break;
      this.#considerWait(untilUs);
      afterUs = untilUs + APART_US;
    }
    return !this.#waits;
  }

  /** One wait that is worth more settles it: all are weighed anew before long. */
  get #waits(): boolean {
    return this.#waitWorth > this.#startWorth + BETTER_BY;
  }

  /**
   * When to weigh anew, if nothing happens, what is put off now. While every slot is taken that is when one comes free: what is sent ahead
   * at the last moment keeps out what comes meanwhile (adr/0012).
   */
  lookAgainUs(now: Micros): Micros {
    if (this.#outlook.startUs > now) return NEVER;
    return this.#alone === undefined ? earlier(this.waitUntilUs, plus(now, LOOK_AGAIN_US)) : this.waitUntilUs;
  }

  /** One stream with one variant on one slot: there is nothing to plan but its own next frame. */
  get #alone(): Prospect | undefined {
    const { all, freeUs } = this.#outlook;
    const [only] = all;
    return only !== undefined && all.length === 1 && only.isPlain && freeUs.length === 1 ? only : undefined;
  }

  /** The best start of the pass beside its best wait. */
  grounds(): Why {
    return {
      ...(this.#startWorth === NOTHING ? {} : { startWorth: rounded(this.#startWorth) }),
      ...(this.#waitWorth === NOTHING ? {} : { waitWorth: rounded(this.#waitWorth) }),
      ...(this.waitUntilUs === NEVER ? {} : { waitUntilUs: this.waitUntilUs }),
    };
  }

  #considerWait(untilUs: number): void {
    const worth = this.#rollout.afterWait(untilUs, this.#startWorth + BETTER_BY);
    if (worth <= this.#waitWorth) return;
    this.waitUntilUs = Math.ceil(untilUs) as Micros;
    this.#waitWorth = worth;
  }

  #startsAlone(only: Prospect, now: Micros): boolean {
    const request = only.stream.waiting.head;
    const belief = only.variants[0]?.belief;
    const next = only.nextComing(now);
    if (request === undefined || belief === undefined || next < 0) return true;
    const { startUs } = this.#outlook;
    const nextUs = only.arrivalUs[next] as number;
    const nextStartUs = Math.max(nextUs, startUs);
    const nextLeftUs = (only.freshUntilUs[next] as number) - nextStartUs;
    if (startsNow(belief, request.freshUntilUs - startUs, nextLeftUs, nextStartUs - startUs)) return true;
    this.waitUntilUs = Math.ceil(nextUs) as Micros;
    return false;
  }

  /** When waiting may turn out well: as a frame comes, or in time for a cycle to open. */
  #nextInstantUs(afterUs: number): number {
    let nextUs = NEVER as number;
    for (const prospect of this.#outlook.worthy) {
      const coming = prospect.nextComing(afterUs);
      if (coming >= 0) nextUs = Math.min(nextUs, prospect.arrivalUs[coming] as number);
      const cycleUs = opensUs(prospect.terms, prospect.held);
      const belief = prospect.variants[0]?.belief;
      if (cycleUs === NEVER || belief === undefined) continue;
      const middleUs = Math.ceil(cycleUs - belief.medianUs);
      const surelyUs = Math.ceil(cycleUs - (belief.quantilesUs[Q15] as number));
      if (middleUs > afterUs) nextUs = Math.min(nextUs, middleUs);
      if (surelyUs > afterUs) nextUs = Math.min(nextUs, surelyUs);
    }
    return nextUs;
  }

  /** Whether what starts in the background would likely have ended by then. */
  endsBy(untilUs: Micros, belief: RuntimeBelief, startUs: number): boolean {
    return startUs + (belief.quantilesUs[Q90] as number) <= untilUs;
  }

  /** Whether it would leave the others with usable results for nearly as long as they have them without it. */
  isHarmless(belief: RuntimeBelief, startUs: number): boolean {
    return this.#rollout.lackAfter(belief, startUs, belief.quantilesUs[Q90] as number) <= TOLERATED_LACK;
  }
}

/** To the thousandth: more is noise. */
function rounded(worth: number): number {
  return Math.round(worth * 1000) / 1000;
}
