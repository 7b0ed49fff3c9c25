/** Medians over seeds, field by field; worst_guarded is the median of what was worst with each seed. */
import type { Measures } from './report.js';

/** @param runs one a seed, at least one. */
export function medianOf(runs: readonly Measures[]): Measures {
  return median(runs) as Measures;
}

/** Of numbers, or of every number in values of one shape; null where the most are null. */
function median(values: readonly unknown[]): unknown {
  const numbers = values.filter((value) => typeof value === 'number');
  if (numbers.length > 0) return numbers.length * 2 < values.length ? null : middle(numbers);
  const [first] = values;
  if (typeof first !== 'object' || first === null) return first;
  return Object.fromEntries(Object.keys(first).map((key) => [key, median(values.map((value) => (value as Record<string, unknown>)[key]))]));
}

function middle(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const upper = sorted[sorted.length >> 1] as number;
  const lower = sorted[(sorted.length - 1) >> 1] as number;
  return (lower + upper) / 2;
}
