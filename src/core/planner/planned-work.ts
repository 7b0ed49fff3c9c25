/** Who starts now on one backend under `scheduling.policy: planned`, and when to ask again (policy.md 3, 4). */
import type { Why } from '../actions.js';
import type { BackendState } from '../backend-state.js';
import { excludedBy } from '../corun.js';
import { canBeFresh } from '../freshness.js';
import type { Variant } from '../model-state.js';
import type { Outcomes } from '../outcomes.js';
import type { Request } from '../requests.js';
import { awaitsNewerFrame, defer, endangeredBy, start, wait } from '../start-work.js';
import type { StreamState } from '../stream-state.js';
import { earlier, type Micros, NEVER } from '../units.js';
import { Outlook } from './outlook.js';
import { MOST_URGENT, Planner } from './planner.js';
import type { Prospect } from './prospect.js';

export class PlannedWork {
  readonly #backend: BackendState;
  /** Whether the look-ahead stands in front of guarded work, too. */
  readonly #strict: boolean;
  readonly #outlook: Outlook;
  readonly #planner: Planner;
  #retryUs = NEVER;

  constructor(backend: BackendState, strict: boolean) {
    this.#backend = backend;
    this.#strict = strict;
    this.#outlook = new Outlook(backend);
    this.#planner = new Planner(this.#outlook);
  }

  /** @returns the next instant at which time alone lets something start. */
  start(now: Micros, outcomes: Outcomes): Micros {
    const { credits, lookAhead } = this.#backend;
    while ((credits.slotFree || credits.extraFree) && this.#anyWaits()) {
      this.#retryUs = NEVER;
      if (!credits.slotFree && !this.#anyGoesAhead(now)) return this.#retryUs;
      lookAhead.forget();
      const streams = this.#backend.candidates(now);
      this.#outlook.refresh(now);
      if (!this.#startClaimed(streams, now, outcomes) && !this.#startBest(now, outcomes) && !this.#startFree(streams, now, outcomes)) {
        return this.#retryUs;
      }
    }
    return NEVER;
  }

  #anyWaits(): boolean {
    for (const { waiting } of this.#backend.streams) if (waiting.length > 0) return true;
    return false;
  }

  /** Asked before the plan is made, which costs much more. */
  #anyGoesAhead(now: Micros): boolean {
    for (const { waiting, usable } of this.#backend.streams) {
      if (waiting.head === undefined) continue;
      for (const variant of usable.ready) if (this.#startUs(waiting.head, variant, now) !== NEVER) return true;
    }
    return false;
  }

  /** A firm floor that is due goes before everything. */
  #startClaimed(streams: readonly StreamState[], now: Micros, outcomes: Outcomes): boolean {
    for (const stream of streams) {
      if (stream.hasFirmClaim && this.#startUnweighed(stream, now, outcomes, NEVER)) return true;
    }
    return false;
  }

  /** What is worth most, unless waiting is worth more. */
  #startBest(now: Micros, outcomes: Outcomes): boolean {
    const planner = this.#planner;
    let considered = 0;
    for (const prospect of planner.urgent()) {
      if (considered === MOST_URGENT) break;
      if (this.#consider(prospect, now, outcomes)) considered += 1; // one that may not start must not keep the others out
    }
    const { request, variant } = planner;
    if (request === undefined || variant === undefined) return false;
    if (planner.startsNow(now)) return this.#start(request, variant, now, outcomes, planner.grounds(), planner.worthOfBest);
    this.#retryUs = earlier(this.#retryUs, planner.lookAgainUs(now));
    if (request.stream.deferral.note(request)) wait(request, variant, planner.grounds(), now, outcomes);
    return false;
  }

  /** @returns whether it may start. */
  #consider(prospect: Prospect, now: Micros, outcomes: Outcomes): boolean {
    const { stream, variants } = prospect;
    const request = stream.waiting.head;
    if (request === undefined) return false;
    let may = false;
    const vetoed = this.#strict || !stream.guarded || request.generation !== undefined;
    for (const runnable of variants) {
      const startUs = this.#startUs(request, runnable.variant, now);
      if (startUs === NEVER || (vetoed && this.#endangers(request, runnable.variant, startUs, now, outcomes))) continue;
      this.#planner.consider(request, prospect, runnable, startUs);
      may = true;
    }
    return may;
  }

  /** What is worth nothing to the plan, or has a floor that is due, takes the time that is free. */
  #startFree(streams: readonly StreamState[], now: Micros, outcomes: Outcomes): boolean {
    if (!this.#backend.credits.slotFree) return false;
    for (const stream of streams) {
      if (stream.guarded || (stream.configuration.class !== 'best_effort' && !stream.floorDue)) continue;
      if (this.#startUnweighed(stream, now, outcomes, this.#planner.waitUntilUs)) return true;
    }
    return false;
  }

  /**
   * On the first variant on which its frame can be fresh and, unless its floor is due, costs the others nearly nothing. Nothing more is asked
   * of its freshness: a frame that waits for better odds while others come may wait for ever.
   * @param freeUntilUs it must have ended: from then on the slot is wanted.
   */
  #startUnweighed(stream: StreamState, now: Micros, outcomes: Outcomes, freeUntilUs: Micros): boolean {
    const request = stream.waiting.head;
    const prospect = this.#outlook.of(stream);
    if (request === undefined || prospect === undefined) return false;
    for (const { variant, belief } of prospect.variants) {
      const startUs = this.#startUs(request, variant, now);
      if (startUs === NEVER) continue;
      if (!this.#planner.endsBy(freeUntilUs, belief, startUs)) continue;
      if (this.#endangers(request, variant, startUs, now, outcomes)) continue;
      if (!stream.floorDue && request.generation === undefined && !this.#planner.isHarmless(belief, startUs)) continue;
      return this.#start(request, variant, now, outcomes);
    }
    return false;
  }

  /** When the request would start on the variant if sent now; NEVER when it must not be. */
  #startUs(request: Request, variant: Variant, now: Micros): Micros {
    const { stream, generation } = request;
    if (excludedBy(stream.model) !== undefined) return NEVER;
    const placement = this.#backend.credits.place(variant.server, now);
    const { startUs, follows, occupancy } = placement;
    const keptBack = startUs !== NEVER && follows !== undefined && (generation !== undefined || awaitsNewerFrame(stream, placement, now));
    this.#retryUs = earlier(this.#retryUs, placement.retryAtUs);
    if (startUs === NEVER || keptBack) return NEVER;
    return stream.droppable && !canBeFresh(request, variant, startUs, occupancy, now) ? NEVER : startUs;
  }

  /** Whether the gates keep it from starting for the sake of others; what can be cut is cut to fit. */
  #endangers(request: Request, variant: Variant, startUs: Micros, now: Micros, outcomes: Outcomes): boolean {
    const endangered = endangeredBy(request, variant, startUs, now);
    if (endangered === undefined) return false;
    this.#retryUs = earlier(this.#retryUs, this.#backend.lookAhead.retryAtUs);
    defer(request, variant, endangered, now, outcomes);
    return true;
  }

  #start(request: Request, variant: Variant, now: Micros, outcomes: Outcomes, plan?: Why, worthOfBest?: number): true {
    this.#backend.credits.place(variant.server, now);
    start(request, variant, now, outcomes, plan, worthOfBest);
    return true;
  }
}
