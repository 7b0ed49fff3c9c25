/** What a result is worth to its consumer (policy.md 3). */
import type { StreamClass } from '../configuration.js';
import type { StreamState } from '../stream-state.js';

const NOT_YET = Number.NEGATIVE_INFINITY;

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
  if (phaseUs === undefined || atUs > freshUntilUs) return regularWorth(terms, held, atUs, freshUntilUs);
  const spacing = spacingOf(periodUs, held, atUs);
  const cycle = Math.floor((atUs - phaseUs) / periodUs);
  const firstOpen = Math.max(Math.ceil((atUs - phaseUs) / periodUs), Math.floor((held.freshUntilUs - phaseUs) / periodUs) + 1);
  const ticks = Math.floor((freshUntilUs - phaseUs) / periodUs) - firstOpen + 1;
  return (cycle > held.cycle ? 1 : 0) + SPACING * spacing + Math.max(0, ticks);
}

/** The same as if no clock were declared: what drives the simple rule of the rollout. */
export function regularWorth({ periodUs, phaseUs, droppable }: WorthTerms, held: Held, atUs: number, freshUntilUs: number): number {
  const spacing = spacingOf(periodUs, held, atUs);
  if (atUs > freshUntilUs) return droppable ? 0 : spacing;
  if (phaseUs !== undefined) return (Math.floor((atUs - phaseUs) / periodUs) > held.cycle ? 1 : 0) + SPACING * spacing;
  return spacing + (AHEAD * Math.max(0, freshUntilUs - Math.max(atUs, held.freshUntilUs))) / periodUs;
}

function spacingOf(periodUs: number, { deliveredUs }: Held, atUs: number): number {
  return Math.max(0, Math.min(atUs - deliveredUs, periodUs)) / periodUs;
}

/** A result comes. */
export function deliver({ periodUs, phaseUs, droppable }: WorthTerms, held: Held, atUs: number, freshUntilUs: number): void {
  if (atUs > freshUntilUs && droppable) return;
  held.deliveredUs = Math.max(held.deliveredUs, atUs);
  held.freshUntilUs = Math.max(held.freshUntilUs, freshUntilUs);
  if (phaseUs !== undefined) held.cycle = Math.max(held.cycle, Math.floor((atUs - phaseUs) / periodUs));
}
