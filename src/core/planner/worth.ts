/** What a result is worth to its consumer (policy.md 3). */
import type { StreamClass } from '../configuration.js';
import type { StreamState } from '../stream-state.js';
import { NEVER } from '../units.js';

/** Before every instant and every cycle: of what has not come yet. */
export const NOT_YET = Number.NEGATIVE_INFINITY;

/** By class: a best-effort result is worth nothing here, it gets the time that is free. */
const WEIGHTS: Readonly<Record<StreamClass, number>> = { best_effort: 0, normal: 0.5, high: 1, protected: 2 };
const SPACING = 0.3;
const AHEAD = 0.3;
/** What a result must gain to be started for its own sake: a quarter of what one without a clock can gain. */
export const WORTH_STARTING = 0.25 * (1 + AHEAD);

/** What worth depends on and never changes. */
export interface WorthTerms {
  readonly weight: number;
  readonly periodUs: number;
  /** Of the consumer's clock; undefined where none is declared. */
  readonly phaseUs: number | undefined;
  readonly droppable: boolean;
}

/** What a consumer has. */
export interface Held {
  /** Until when its newest result is fresh. */
  freshUntilUs: number;
  /** When its newest fresh result came. */
  deliveredUs: number;
  /** The last of its cycles in which one came. */
  cycle: number;
}

export function nothingHeld(): Held {
  return { freshUntilUs: NOT_YET, deliveredUs: NOT_YET, cycle: NOT_YET };
}

export function worthTerms({ configuration, droppable }: StreamState): WorthTerms {
  const { periodUs, consumerPeriodUs, phaseUs, maxAgeUs } = configuration.contract;
  return {
    weight: WEIGHTS[configuration.class],
    periodUs: consumerPeriodUs ?? periodUs ?? maxAgeUs,
    phaseUs: consumerPeriodUs === undefined ? undefined : phaseUs,
    droppable,
  };
}

/** @returns the gain of a result that comes at `atUs` and is fresh until `freshUntilUs`, unweighted; 0 for one that comes too late. */
export function worthOf(terms: WorthTerms, held: Held, atUs: number, freshUntilUs: number): number {
  const { periodUs, phaseUs } = terms;
  const worth = regularWorth(terms, held, atUs, freshUntilUs);
  if (phaseUs === undefined || atUs > freshUntilUs) return worth;
  const firstOpen = Math.max(Math.ceil((atUs - phaseUs) / periodUs), cycleOf(terms, held.freshUntilUs) + 1);
  return worth + Math.max(0, cycleOf(terms, freshUntilUs) - firstOpen + 1);
}

/** The same without the instants at which the consumer finds it: what drives the simple rule of the rollout. */
export function regularWorth(terms: WorthTerms, held: Held, atUs: number, freshUntilUs: number): number {
  const { periodUs, phaseUs, droppable } = terms;
  const spacing = spacingOf(periodUs, held, atUs);
  if (atUs > freshUntilUs) return droppable ? 0 : spacing;
  if (phaseUs !== undefined) return (cycleOf(terms, atUs) > held.cycle ? 1 : 0) + SPACING * spacing;
  return spacing + (AHEAD * Math.max(0, freshUntilUs - Math.max(atUs, held.freshUntilUs))) / periodUs;
}

/** The consumer's cycle that an instant lies in; where no clock is declared none ever begins. */
export function cycleOf({ periodUs, phaseUs }: WorthTerms, atUs: number): number {
  return phaseUs === undefined ? NOT_YET : Math.floor((atUs - phaseUs) / periodUs);
}

/** When the consumer's next cycle without a result opens; NEVER where no clock is declared. */
export function opensUs({ periodUs, phaseUs }: WorthTerms, held: Held): number {
  return phaseUs === undefined ? NEVER : (held.cycle + 1) * periodUs + phaseUs;
}

/** Until when a frame should run: the next result is due, or the frame gets too old. */
export function urgencyUs({ periodUs }: WorthTerms, held: Held, freshUntilUs: number): number {
  return Math.min(held.deliveredUs + periodUs, freshUntilUs);
}

function spacingOf(periodUs: number, { deliveredUs }: Held, atUs: number): number {
  return Math.max(0, Math.min(atUs - deliveredUs, periodUs)) / periodUs;
}

/** A result comes. */
export function deliver(terms: WorthTerms, held: Held, atUs: number, freshUntilUs: number): void {
  if (atUs > freshUntilUs && terms.droppable) return;
  held.deliveredUs = Math.max(held.deliveredUs, atUs);
  held.freshUntilUs = Math.max(held.freshUntilUs, freshUntilUs);
  held.cycle = Math.max(held.cycle, cycleOf(terms, atUs));
}
