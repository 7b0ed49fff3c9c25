/** The standard normal distribution, as far as beliefs about runtimes need it. */

/** Quantiles (k + 0.5) / 16. */
export const NORMAL_QUANTILES: readonly number[] = [
  -1.8627318674216515, -1.3180108973035372, -1.0099901692495823, -0.7764217611479275, -0.5791321622555561, -0.40225006532172536,
  -0.2372021093287877, -0.07841241273311222, 0.07841241273311222, 0.2372021093287877, 0.40225006532172536, 0.5791321622555561,
  0.7764217611479275, 1.0099901692495823, 1.3180108973035372, 1.8627318674216515,
];

/** Of the 99th and the 95th percentile. */
export const NORMAL_P99 = 2.326347874040841;
export const NORMAL_P95 = 1.6448536269514722;

/** The distribution function, by a rational approximation whose error is below 7.5e-8 (Abramowitz and Stegun, 26.2.17). */
export function normalBelow(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const tail =
    (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) *
    t *
    (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return z > 0 ? 1 - tail : tail;
}
