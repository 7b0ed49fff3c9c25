/** Dynamic batching: which of the waiting calls start together, and when. */
import type { BatchingDescription } from './model-description.js';

export interface Batchable {
  /** Elements of the batch dimension. */
  readonly size: number;
  /** Only calls of equal shape share a batch. */
  readonly shape: string;
  /** Time of arrival. */
  readonly queuedAtMs: number;
}

/**
 * How many of the waiting calls, from the first on, start now; else for how long to wait for more.
 * The delay counts from the arrival of the first; what cannot grow any more does not wait.
 */
export function nextBatch(
  waiting: readonly Batchable[],
  batching: BatchingDescription | undefined,
  nowMs: number,
): { readonly count: number } | { readonly waitMs: number } {
  const [first] = waiting;
  if (first === undefined) return { count: 0 };
  if (batching === undefined) return { count: 1 };
  let [count, size] = [0, 0];
  for (const call of waiting) {
    if (call.shape !== first.shape || size + call.size > batching.maxBatchSize) break;
    count += 1;
    size += call.size;
  }
  const waitMs = first.queuedAtMs + batching.maxQueueDelayMs - nowMs;
  const isClosed = count < waiting.length || size === batching.maxBatchSize;
  return isClosed || waitMs <= 0 ? { count } : { waitMs };
}
