/** Percentiles within a repeat, and the spread over the repeats. Pure. */

/** Nearest rank. @param share 0 … 1 @throws {RangeError} without a value. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.max(Math.ceil(share * sorted.length) - 1, 0)];
  if (value === undefined) throw new RangeError('no value was measured');
  return value;
}

/** Of one figure over the repeats. */
export interface Spread {
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
}

/** @throws {RangeError} without a repeat. */
export function spreadOf(repeats: readonly number[]): Spread {
  return { median: percentile(repeats, 0.5), lowest: percentile(repeats, 0), highest: percentile(repeats, 1) };
}

/** Median, and in brackets the lowest and the highest. */
export function shown({ median, lowest, highest }: Spread, digits = 2): string {
  const text = (value: number): string => value.toFixed(digits);
  return lowest === highest ? text(median) : `${text(median)} (${text(lowest)} – ${text(highest)})`;
}
