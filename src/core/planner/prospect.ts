/** One stream as the planner sees it: what its consumer has, what waits, what is expected, how long it runs. */
import type { Contract } from '../configuration.js';
import type { Variant } from '../model-state.js';
import type { StreamState } from '../stream-state.js';
import { type Micros, NEVER } from '../units.js';
import { RuntimeBelief } from './belief.js';
import { cycleOf, deliver, type Held, NOT_YET, nothingHeld, urgencyUs, type WorthTerms, worthTerms } from './worth.js';

/** Frames listed of one stream, waiting and expected. */
const MAX_FRAMES = 24;
/** A frame that is overdue is taken to come after a moment. */
const SOON_US = 500;
/** Periods without a frame after which none is expected any more. */
const SILENT_PERIODS = 3;

export interface RunnableVariant {
  readonly variant: Variant;
  readonly belief: RuntimeBelief;
}

export class Prospect {
  readonly stream: StreamState;
  terms: WorthTerms;
  #contract: Contract;
  readonly #all: readonly RunnableVariant[];
  /** Ready ones, best first. */
  readonly variants: RunnableVariant[] = [];
  /** When what runs has ended. */
  readonly held: Held = nothingHeld();
  /** As it stands in the course of one rollout. */
  readonly imagined: Held = nothingHeld();
  /** The first frame not used in the rollout. */
  next = 0;
  readonly arrivalUs = new Float64Array(MAX_FRAMES);
  readonly freshUntilUs = new Float64Array(MAX_FRAMES);
  frames = 0;
  /** The next arrival to be listed. */
  expectedUs = 0;

  constructor(stream: StreamState, occupancy: number) {
    this.stream = stream;
    this.terms = worthTerms(stream);
    this.#contract = stream.configuration.contract;
    this.#all = stream.model.variants.map((variant) => ({ variant, belief: new RuntimeBelief(variant.estimate, occupancy) }));
  }

  /** To be called first in a pass. */
  refresh(now: Micros): void {
    const { usable, consumer, configuration } = this.stream;
    if (configuration.contract !== this.#contract) this.terms = worthTerms(this.stream);
    this.#contract = configuration.contract;
    this.next = 0;
    this.variants.length = 0;
    for (const variant of usable.ready) {
      const runnable = this.#runnable(variant);
      if (runnable !== undefined) this.variants.push(runnable);
    }
    for (const { belief } of this.variants) belief.refresh();
    const { newestUsableCapture: capture, lastUsableUs } = this.stream;
    this.held.freshUntilUs = capture === undefined ? NOT_YET : consumer.usableUntilUs(capture);
    this.held.deliveredUs = lastUsableUs ?? NOT_YET;
    this.held.cycle = cycleOf(this.terms, this.held.deliveredUs);
    this.#listWaiting(now);
  }

  beliefOf(variant: Variant): RuntimeBelief | undefined {
    return this.#runnable(variant)?.belief;
  }

  #runnable(variant: Variant): RunnableVariant | undefined {
    for (const one of this.#all) if (one.variant === variant) return one;
    return undefined;
  }

  /** Its call will end then. */
  runsUntil(endUs: number, freshUntilUs: number): void {
    deliver(this.terms, this.held, endUs, freshUntilUs);
  }

  #listWaiting(now: Micros): void {
    const { waiting } = this.stream;
    this.frames = Math.min(waiting.length, MAX_FRAMES / 2);
    for (let i = 0; i < this.frames; i += 1) {
      this.arrivalUs[i] = now;
      this.freshUntilUs[i] = waiting.at(i)?.freshUntilUs ?? now;
    }
  }

  /** When the next frame not listed yet is expected; NEVER when there is none. */
  firstExpectedUs(now: Micros): number {
    const { forecast, configuration } = this.stream;
    const { periodUs } = configuration.contract;
    const { givenUpAfterUs } = forecast;
    if (periodUs === undefined || givenUpAfterUs === NEVER) return NEVER;
    const expectedUs = forecast.expectedUs(now);
    if (expectedUs !== NEVER) return expectedUs > now ? expectedUs : now + SOON_US;
    const missed = Math.floor((now - forecast.nextUs) / periodUs);
    return missed > SILENT_PERIODS ? NEVER : forecast.nextUs + (missed + 1) * periodUs;
  }

  /** Lists the arrival at `expectedUs`, and says when the one after it is expected. */
  expect(): void {
    const { forecast, consumer, configuration } = this.stream;
    if (this.frames >= MAX_FRAMES) {
      this.expectedUs = NEVER;
      return;
    }
    this.arrivalUs[this.frames] = this.expectedUs;
    this.freshUntilUs[this.frames] = consumer.usableUntilUs(Math.round(this.expectedUs - forecast.transportUs) as Micros);
    this.frames += 1;
    this.expectedUs += configuration.contract.periodUs ?? NEVER;
  }

  /** Of its first frame, now. */
  get urgencyUs(): number {
    return urgencyUs(this.terms, this.held, this.freshUntilUs[0] as number);
  }

  /** Nothing is to be chosen but when to start. */
  get isPlain(): boolean {
    return this.variants.length === 1 && this.terms.droppable;
  }

  /** Begins a rollout. */
  imagine(): void {
    this.imagined.freshUntilUs = this.held.freshUntilUs;
    this.imagined.deliveredUs = this.held.deliveredUs;
    this.imagined.cycle = this.held.cycle;
    this.next = 0;
  }

  /** Passes over what is replaced or too old at that instant. @returns whether a frame is there. */
  settle(atUs: number): boolean {
    const { latestOnly } = this.stream;
    while (this.next < this.frames && (this.arrivalUs[this.next] as number) <= atUs) {
      const replaced = latestOnly && this.next + 1 < this.frames && (this.arrivalUs[this.next + 1] as number) <= atUs;
      if (!replaced && (!this.terms.droppable || (this.freshUntilUs[this.next] as number) > atUs)) return true;
      this.next += 1;
    }
    return false;
  }

  /** Which listed frame, of those from `first` on, is the next to come after that instant; -1 when there is none. */
  nextComing(afterUs: number, first = 0): number {
    for (let i = first; i < this.frames; i += 1) if ((this.arrivalUs[i] as number) > afterUs) return i;
    return -1;
  }
}
