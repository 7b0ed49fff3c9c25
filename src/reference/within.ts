import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves when the work is done, or when the limit has passed. */
export async function within(limitMs: number, work: Promise<unknown>): Promise<void> {
  const limit = new AbortController();
  await Promise.race([work, sleep(limitMs, undefined, { signal: limit.signal }).catch(() => undefined)]);
  limit.abort();
}
