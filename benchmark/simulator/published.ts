/** What the earlier implementation published of itself: not measured here, and not on these seeds. Thousandths, by load. */

/** Worst guarded stream, window view. */
export interface PublishedCoverage {
  readonly governor: Readonly<Record<number, number>>;
  readonly fifo: Readonly<Record<number, number>>;
}

export const PUBLISHED_A: PublishedCoverage = {
  governor: { 750: 117, 900: 184, 1000: 128, 1100: 202, 1250: 327, 1500: 515 },
  fifo: { 750: 117, 900: 184, 1000: 167, 1100: 386, 1250: 692, 1500: 941 },
};

export const PUBLISHED_B: PublishedCoverage = {
  governor: { 500: 3, 750: 5, 900: 30, 1000: 78, 1100: 134, 1250: 257, 1500: 395 },
  fifo: { 500: 195, 750: 307, 900: 408, 1000: 488, 1100: 582, 1250: 683, 1500: 761 },
};

/** Detector, and the worst of the high streams. */
export const PUBLISHED_RAMP = [
  { load: 1000, fifo: [52, 333], governor: [61, 361] },
  { load: 1100, fifo: [222, 522], governor: [304, 368] },
] as const;

/** Ramp at 110 % with profiles of twice the true runtime: detector, worst high stream. */
export const PUBLISHED_WRONG_PROFILE = { 'fixed margin': [0, 1000], 'learned margin': [77, 770] } as const;

/** Share of windows covered, in hundredths: before, with the governor. */
export const PUBLISHED_WIRE: Readonly<Record<string, readonly [number, number]>> = {
  detector: [45, 99],
  pose: [46, 99],
  depth: [52, 99],
  vlm: [100, 3],
};

/** p99 of an event in microseconds, by streams; in Rust, on a laptop (i7-10870H). */
export const PUBLISHED_DECISION_P99_US: Readonly<Record<number, number>> = { 4: 3.0, 16: 11.4, 32: 27.0 };

/** Detector beside generated texts, on a GPU: share of windows covered, in hundredths, and texts. */
export const PUBLISHED_QUANTA = [
  { label: 'without governor', covered: 58, texts: 67 },
  { label: 'governor, undivided', covered: 99, texts: 1 },
  { label: 'governor, divided', covered: 92, texts: 40 },
] as const;
