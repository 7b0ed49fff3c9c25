/** Age of one stream's information over time: it grows, and falls with every newer result. */
import type { Ledger } from '../ledger.js';
import { deliveriesOf, framesByStream } from '../measure.js';

const NS_PER_MS = 1_000_000;

/** Corners of the saw tooth in milliseconds, from one instant to another. */
export function ageCurve(ledger: Ledger, stream: number, fromNs: number, toNs: number): (readonly [number, number])[] {
  const points: (readonly [number, number])[] = [];
  const add = (atNs: number, captureNs: number) => points.push([atNs / NS_PER_MS, (atNs - captureNs) / NS_PER_MS]);
  let newestNs = 0;
  for (const { atNs, captureNs } of deliveriesOf(ledger, framesByStream(ledger)[stream] ?? [])) {
    if (captureNs <= newestNs) continue;
    if (atNs > toNs) break;
    if (atNs >= fromNs) {
      if (points.length === 0) add(fromNs, newestNs);
      add(atNs, newestNs);
      add(atNs, captureNs);
    }
    newestNs = captureNs;
  }
  if (points.length === 0) add(fromNs, newestNs);
  add(toNs, newestNs);
  return points;
}
