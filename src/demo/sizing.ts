/** Input sizes that make the same load on every machine: the runtime of a convolutional network goes with the number of pixels. Pure. */
import type { Size, SizedModel } from './demo-parameters.js';

/** Both networks take sides that are multiples of this. */
const STEP_PX = 32;
const SMALLEST_PX = 128;
const LARGEST_PX = 640;

/** How far above the wanted time a model may take, before its size is chosen anew; sizes lie as far apart as that. */
const TOLERATED = 1.4;
const ATTEMPTS = 4;

/** About 4:3, as the cameras' pictures. */
const SIZES: readonly Size[] = Array.from({ length: (LARGEST_PX - SMALLEST_PX) / STEP_PX + 1 }, (_, index) => {
  const width = SMALLEST_PX + index * STEP_PX;
  return { width, height: Math.max(STEP_PX, Math.round((width * 3) / 4 / STEP_PX) * STEP_PX) };
});

/** The size whose runtime should be nearest to the wanted one, from a runtime measured at another size. */
export function sizeFor(wantedMs: number, measured: Size, measuredMs: number): Size {
  const msPerPixel = measuredMs / pixels(measured);
  const distance = (size: Size) => Math.abs(pixels(size) * msPerPixel - wantedMs);
  return SIZES.reduce((best, size) => (distance(size) < distance(best) ? size : best));
}

/**
 * A size measured to take about the wanted time. What was chosen on a measurement at a quiet moment is chosen anew when it turns out to
 * take much longer: otherwise the guarded camera alone could ask for more than there is.
 * @param measure runtimes of the model at a size, in ms.
 */
export async function sizedModel(wantedMs: number, first: Size, measure: (size: Size) => Promise<readonly number[]>): Promise<SizedModel> {
  let input = first;
  let profile = profileOf(await measure(first));
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const size = sizeFor(wantedMs, input, profile.p50Us / 1000);
    if (attempt > 1 && (profile.p50Us <= TOLERATED * wantedMs * 1000 || size === input)) break;
    input = size;
    profile = profileOf(await measure(input));
  }
  return { input, profile };
}

function pixels({ width, height }: Size): number {
  return width * height;
}

/** @param runtimesMs at least one */
export function profileOf(runtimesMs: readonly number[]): SizedModel['profile'] {
  const sorted = runtimesMs.toSorted((a, b) => a - b);
  const us = (part: number) => Math.max(1, Math.round((sorted[Math.ceil(part * sorted.length) - 1] ?? 0) * 1000));
  return { p50Us: us(0.5), p95Us: us(0.95), p99Us: us(0.99) };
}
