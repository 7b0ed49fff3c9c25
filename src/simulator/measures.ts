/**
 * The views of one stream's deliveries (rules.md 14). Times in nanoseconds from the start of the run; deliveries in order of time.
 * Shares are what is missing, in thousands.
 */

/** Until when a delivery covers that covers nothing. */
const NOTHING_NS = Number.NEGATIVE_INFINITY;

/** A result that reached the consumer, fresh or not. */
export interface Delivery {
  readonly atNs: number;
  readonly captureNs: number;
}

export interface Terms {
  readonly runNs: number;
  readonly periodNs: number;
  readonly maxAgeNs: number;
}

function isFresh({ atNs, captureNs }: Delivery, { maxAgeNs }: Terms): boolean {
  return atNs - captureNs <= maxAgeNs;
}

/** What is missing of a whole, rounded up. */
function missing(covered: number, whole: number): number {
  return whole === 0 ? 0 : 1000 - Math.floor((1000 * covered) / whole);
}

/** Contract periods without a fresh delivery. */
export function windowUncovered(deliveries: readonly Delivery[], terms: Terms): number {
  const { runNs, periodNs } = terms;
  const windows = Math.floor(runNs / periodNs);
  let covered = 0;
  let newest = -1;
  for (const delivery of deliveries) {
    const window = Math.floor(delivery.atNs / periodNs);
    if (window === newest || delivery.atNs > runNs || window >= windows || !isFresh(delivery, terms)) continue;
    newest = window;
    covered += 1;
  }
  return missing(covered, windows);
}

/** Cycles of the consumer, each ending at (k + 1)·period + phase. */
export interface ConsumerTerms {
  readonly runNs: number;
  readonly maxAgeNs: number;
  readonly consumerPeriodNs: number;
  readonly consumerPhaseNs: number;
}

/** Ends of cycles at which the newest result there is is older than max age: what a consumer with a clock of its own sees. */
export function consumerUncovered(deliveries: readonly Delivery[], terms: ConsumerTerms): number {
  const { runNs, maxAgeNs, consumerPeriodNs, consumerPhaseNs } = terms;
  const cycles = Math.max(0, Math.floor((runNs - consumerPhaseNs) / consumerPeriodNs));
  let covered = 0;
  let next = 0;
  let newestNs = Number.NEGATIVE_INFINITY;
  for (let cycle = 1; cycle <= cycles; cycle += 1) {
    const endNs = cycle * consumerPeriodNs + consumerPhaseNs;
    for (let delivery = deliveries[next]; delivery !== undefined && delivery.atNs <= endNs; delivery = deliveries[next]) {
      newestNs = Math.max(newestNs, delivery.captureNs);
      next += 1;
    }
    if (endNs - newestNs <= maxAgeNs) covered += 1;
  }
  return missing(covered, cycles);
}

/** Time without a fresh delivery within the last period: it does not matter where periods start. */
export function phaseFreeUncovered(deliveries: readonly Delivery[], terms: Terms): number {
  const { runNs, periodNs } = terms;
  const free = gaps(deliveries, runNs, (delivery) => (isFresh(delivery, terms) ? delivery.atNs + periodNs : NOTHING_NS));
  return missing(runNs - free.reduce((sum, gap) => sum + gap, 0), runNs);
}

/** The longest time without a usable result. One that is stale on delivery closes nothing. */
export function longestGapNs(deliveries: readonly Delivery[], { runNs, maxAgeNs }: Terms): number {
  return gaps(deliveries, runNs, ({ captureNs }) => captureNs + maxAgeNs).reduce((longest, gap) => Math.max(longest, gap), 0);
}

/** What deliveries leave free of a run, each of which covers the time until `untilNs`. */
function gaps(deliveries: readonly Delivery[], runNs: number, untilNs: (delivery: Delivery) => number): number[] {
  const found: number[] = [];
  let coveredToNs = 0;
  for (const delivery of deliveries) {
    const { atNs } = delivery;
    const toNs = untilNs(delivery);
    if (toNs < atNs || atNs >= runNs) continue;
    if (atNs > coveredToNs) found.push(atNs - coveredToNs);
    coveredToNs = Math.max(coveredToNs, toNs);
  }
  if (coveredToNs < runNs) found.push(runNs - coveredToNs);
  return found;
}

export interface AgeOfInformation {
  readonly meanNs: number;
  readonly peakNs: number;
}

/** Age of the newest information the consumer has; before the first result it grows from the start of the run. */
export function ageOfInformation(deliveries: readonly Delivery[], runNs: number): AgeOfInformation {
  let newestNs = 0;
  let sinceNs = 0;
  let areaNs2 = 0;
  let peakNs = 0;
  const passTo = (untilNs: number) => {
    const middleNs = (sinceNs + untilNs) / 2 - newestNs;
    areaNs2 += (untilNs - sinceNs) * middleNs;
    peakNs = Math.max(peakNs, untilNs - newestNs);
    sinceNs = untilNs;
  };
  for (const { atNs, captureNs } of deliveries) {
    if (atNs > runNs) break;
    if (captureNs <= newestNs) continue;
    passTo(atNs);
    newestNs = captureNs;
  }
  passTo(runNs);
  return { meanNs: runNs === 0 ? 0 : areaNs2 / runNs, peakNs };
}

/** Nearest rank; undefined of nothing. @param sorted ascending */
export function percentile(sorted: ArrayLike<number>, percent: number): number | undefined {
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)];
}

/** Of nanoseconds, to the microsecond. */
export function milliseconds(ns: number): number {
  return Math.round(ns / 1000) / 1000;
}
