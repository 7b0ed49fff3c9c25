/** Models that must not run at the same time (rules.md 6). */
import type { ModelState } from './model-state.js';
import { later, type Micros, NEVER, plus } from './units.js';

/** Symmetric. */
export function exclude(one: ModelState, other: ModelState): void {
  one.excludes.push(other);
  other.excludes.push(one);
}

/**
 * The model that forbids a start now. It does so until the end of its call is proven, not until it was predicted; a call that waits at
 * the server counts as running.
 */
export function excludedBy(model: ModelState): ModelState | undefined {
  for (const other of model.excludes) if (other.openCalls > 0) return other;
  return undefined;
}

/** When the ban is planned to end: now where there is none, NEVER where the end of a call cannot be told. */
export function bannedUntilUs(model: ModelState, now: Micros): Micros {
  let untilUs = now;
  if (excludedBy(model) === undefined) return untilUs;
  for (const { variant, state, startedUs, plannedUs } of model.backend.credits.leases) {
    if (!model.excludes.includes(variant.model)) continue;
    untilUs = later(untilUs, state === 'running' && startedUs !== undefined ? plus(startedUs, plannedUs) : NEVER);
  }
  return untilUs;
}
