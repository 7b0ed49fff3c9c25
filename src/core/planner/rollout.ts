/** What the time ahead is worth if a simple rule goes on from here, over fixed courses of runtimes (policy.md 3). */
import { indexOfEarliest } from '../credits.js';
import { type Micros, NEVER } from '../units.js';
import { Q65, QUANTILES, type RuntimeBelief } from './belief.js';
import type { Outlook } from './outlook.js';
import type { Prospect } from './prospect.js';
import { deliver, opensUs, regularWorth, urgencyUs, WORTH_STARTING, worthOf } from './worth.js';

/**
 * Courses looked at, in this order: the first job of course m takes quantile 2m + 1, the k-th after it (a_m · k + b_m) mod 16. No randomness.
 * Those that go together are as far above the median as below.
 */
const COURSES: readonly number[] = [1, 6, 3, 4, 0, 7, 2, 5];
const STEP: readonly number[] = [1, 3, 5, 7, 9, 11, 13, 15];
const OFFSET: readonly number[] = [0, 5, 10, 15, 4, 9, 14, 3];
/** An option is given up when pairs of courses fell short of what it needs by more than this together: one protected result. */
const GIVEN_UP_SHORT = 2;
/** A frame gains nearly nothing before so much of a period has passed since the last. */
const EARLIEST_SHARE = 0.3;
/** Jobs of one course. */
const MAX_JOBS = 64;

export class Rollout {
  readonly #outlook: Outlook;
  /** When each slot comes free in this course. */
  readonly #freeUs: Micros[];
  #horizonUs = 0;
  #countsLack = false;
  /** Time without a usable result so far, in weighted periods; where it is counted. */
  #lack = 0;
  #belief: RuntimeBelief | undefined;

  constructor(outlook: Outlook) {
    this.#outlook = outlook;
    this.#freeUs = [...outlook.freeUs];
  }

  /** With a job of this stream first; its own worth included. @param needed what falls clearly short of it is told in the rough. */
  afterStart(prospect: Prospect, belief: RuntimeBelief, startUs: number, freshUntilUs: number, needed: number): number {
    this.#horizonUs = this.#outlook.horizonUs;
    const { terms, held, imagined } = prospect;
    let own = 0;
    for (const us of belief.quantilesUs) own += this.#inProportion(worthOf(terms, held, startUs + us, freshUntilUs), startUs, startUs + us);
    own *= terms.weight / QUANTILES;
    let later = 0;
    let played = 0;
    for (const course of COURSES) {
      this.#begin();
      const endUs = startUs + firstRuntimeUs(belief, course);
      deliver(terms, imagined, endUs, freshUntilUs);
      prospect.next = 1;
      this.#occupy(endUs);
      later += this.#run(course, 1);
      played += 1;
      if (isGivenUp(own + later / played, needed, played)) break;
    }
    return own + later / played;
  }

  /** With nothing started before `untilUs`. @param needed what falls clearly short of it is told in the rough. */
  afterWait(untilUs: number, needed: number): number {
    this.#horizonUs = this.#outlook.horizonUs;
    let worth = 0;
    let played = 0;
    for (const course of COURSES) {
      this.#begin();
      for (let slot = 0; slot < this.#freeUs.length; slot += 1)
        this.#freeUs[slot] = Math.max(this.#freeUs[slot] as number, untilUs) as Micros;
      worth += this.#run(course, 0);
      played += 1;
      if (isGivenUp(worth / played, needed, played)) break;
    }
    return worth / played;
  }

  /**
   * What a job first, whose result is worth nothing here, adds to the time without a usable result: in weighted periods.
   * @param lastsUs how long it may run: as far beyond the horizon the consequences are followed.
   */
  lackAfter(belief: RuntimeBelief, startUs: number, lastsUs: number): number {
    this.#horizonUs = this.#outlook.horizonUs + lastsUs;
    this.#countsLack = true;
    let lack = 0;
    for (const course of COURSES) {
      this.#begin();
      this.#occupy(startUs + firstRuntimeUs(belief, course));
      this.#run(course, 1);
      lack += this.#lackAtEnd();
      this.#begin();
      this.#run(course, 1);
      lack -= this.#lackAtEnd();
    }
    this.#countsLack = false;
    return lack / COURSES.length;
  }

  #begin(): void {
    const { active, freeUs } = this.#outlook;
    for (const prospect of active) prospect.imagine();
    if (this.#freeUs.length !== freeUs.length) this.#freeUs.length = freeUs.length;
    for (let slot = 0; slot < freeUs.length; slot += 1) this.#freeUs[slot] = freeUs[slot] as Micros;
    this.#lack = 0;
  }

  #occupy(endUs: number): void {
    this.#freeUs[indexOfEarliest(this.#freeUs, this.#freeUs.length)] = endUs as Micros;
  }

  /** The simple rule, until the horizon. @returns what its results are worth. */
  #run(course: number, first: number): number {
    let worth = 0;
    for (let job = first; job < MAX_JOBS; ) {
      const slot = indexOfEarliest(this.#freeUs, this.#freeUs.length);
      const atUs = this.#freeUs[slot] as number;
      if (atUs >= this.#horizonUs) break;
      const chosen = this.#choose(atUs);
      if (chosen === undefined || this.#belief === undefined) {
        const nextUs = this.#lookAgainUs(atUs);
        if (nextUs === NEVER) break;
        this.#freeUs[slot] = nextUs as Micros;
        continue;
      }
      const endUs = atUs + Math.max(1, runtimeUs(this.#belief, course, job));
      worth += this.#finish(chosen, atUs, endUs);
      this.#freeUs[slot] = endUs as Micros;
      job += 1;
    }
    return worth;
  }

  #finish(prospect: Prospect, startUs: number, endUs: number): number {
    const { terms, imagined, next } = prospect;
    const freshUntilUs = prospect.freshUntilUs[next] as number;
    const worth = terms.weight * worthOf(terms, imagined, endUs, freshUntilUs);
    if (this.#countsLack) this.#lack += this.#lackUntil(prospect, endUs);
    deliver(terms, imagined, endUs, freshUntilUs);
    prospect.next = next + 1;
    return this.#inProportion(worth, startUs, endUs);
  }

  /** Of a job across the horizon, as much as lies before. */
  #inProportion(worth: number, startUs: number, endUs: number): number {
    if (endUs <= this.#horizonUs) return worth;
    return startUs >= this.#horizonUs ? 0 : (worth * (this.#horizonUs - startUs)) / (endUs - startUs);
  }

  #lackAtEnd(): number {
    let lack = this.#lack;
    for (const prospect of this.#outlook.active) lack += this.#lackUntil(prospect, this.#horizonUs);
    return lack;
  }

  #lackUntil({ terms, imagined }: Prospect, atUs: number): number {
    const lackUs = Math.min(atUs, this.#horizonUs) - Math.max(imagined.freshUntilUs, this.#outlook.startUs);
    return (terms.weight * Math.max(0, lackUs)) / terms.periodUs;
  }

  /** The most urgent frame that is worth it, on the first variant that is. */
  #choose(atUs: number): Prospect | undefined {
    let best: Prospect | undefined;
    let bestUs = NEVER as number;
    for (const prospect of this.#outlook.active) {
      if (!prospect.settle(atUs)) continue;
      const freshUntilUs = prospect.freshUntilUs[prospect.next] as number;
      const urgentUs = urgencyUs(prospect.terms, prospect.imagined, freshUntilUs);
      if (urgentUs >= bestUs) continue;
      const belief = worthIt(prospect, atUs, freshUntilUs);
      if (belief === undefined) continue;
      best = prospect;
      bestUs = urgentUs;
      this.#belief = belief;
    }
    return best;
  }

  /** When to look again where nothing is worth it: a frame comes, or one that is there begins to gain something. */
  #lookAgainUs(atUs: number): number {
    let nextUs = NEVER as number;
    for (const prospect of this.#outlook.active) {
      const { terms, imagined, variants, next, frames, arrivalUs } = prospect;
      const coming = prospect.nextComing(atUs, next);
      if (coming >= 0) nextUs = Math.min(nextUs, arrivalUs[coming] as number);
      if (next >= frames || (arrivalUs[next] as number) > atUs) continue;
      const medianUs = variants[0]?.belief.medianUs ?? NEVER;
      const inTimeUs = opensUs(terms, imagined) - medianUs;
      if (inTimeUs > atUs) nextUs = Math.min(nextUs, inTimeUs);
      const spacedUs = imagined.deliveredUs + Math.round(EARLIEST_SHARE * terms.periodUs) - medianUs;
      if (spacedUs > atUs) nextUs = Math.min(nextUs, spacedUs);
    }
    return nextUs;
  }
}

function isGivenUp(worth: number, needed: number, played: number): boolean {
  return played % 2 === 0 && (needed - worth) * played > GIVEN_UP_SHORT;
}

/** How long the first variant runs that is worth it. */
function worthIt({ terms, imagined, variants }: Prospect, atUs: number, freshUntilUs: number): RuntimeBelief | undefined {
  for (const { belief } of variants) {
    if (terms.droppable && atUs + (belief.quantilesUs[Q65] as number) > freshUntilUs) continue;
    if (regularWorth(terms, imagined, atUs + belief.medianUs, freshUntilUs) >= WORTH_STARTING) return belief;
  }
  return undefined;
}

/** The first job takes every second quantile, one a course. */
function firstRuntimeUs({ quantilesUs }: RuntimeBelief, course: number): number {
  return quantilesUs[2 * course + 1] as number;
}

function runtimeUs(belief: RuntimeBelief, course: number, job: number): number {
  if (job === 0) return firstRuntimeUs(belief, course);
  return belief.quantilesUs[((STEP[course] as number) * job + (OFFSET[course] as number)) % QUANTILES] as number;
}
