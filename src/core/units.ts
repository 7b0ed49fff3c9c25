/**
 * Quantities of the core, branded so that a millisecond, a wall-clock stamp or a plain count is never taken for one of them.
 */

declare const unit: unique symbol;

/** An instant or a duration on the core's monotonic clock, in whole microseconds (rules.md, head). */
export type Micros = number & { readonly [unit]: 'Micros' };

/** Identity of one received message: from 1 in each run, per node, in order of reception. */
export type RequestId = number & { readonly [unit]: 'RequestId' };

/** The core clock starts one hour ahead of zero, so that data older than the process can be represented (seeds, "Time"). */
export const CLOCK_ORIGIN_US = 3_600_000_000 as Micros;

/**
 * Whole microseconds.
 * @throws {RangeError} when the value is not a safe integer: a fraction or NaN here would break "same input, same bytes".
 */
export function micros(value: number): Micros {
  if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is not a whole number of microseconds`);
  return value as Micros;
}

/** Milliseconds, as contracts state them, to whole microseconds (rounded to nearest). */
export function millis(value: number): Micros {
  return micros(Math.round(value * 1000));
}

/** @throws {RangeError} unless a positive safe integer. */
export function requestId(value: number): RequestId {
  if (!Number.isSafeInteger(value) || value < 1) throw new RangeError(`${value} is not a request id`);
  return value as RequestId;
}

/** Later than every instant, for "no such instant". It never leaves the core. */
export const NEVER = Number.POSITIVE_INFINITY as Micros;

export function plus(a: Micros, b: Micros): Micros {
  return (a + b) as Micros;
}

export function minus(a: Micros, b: Micros): Micros {
  return (a - b) as Micros;
}

export function earlier(a: Micros, b: Micros): Micros {
  return a < b ? a : b;
}

export function later(a: Micros, b: Micros): Micros {
  return a > b ? a : b;
}
