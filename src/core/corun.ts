/** Models that must not run at the same time (rules.md 6). */
import type { ModelState } from './model-state.js';

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
