/** Streams whose report misleads because of their stamps. */
import type { ContractReport, StreamReport } from './report.js';

const SURE_OFFSET_MS = 10_000;

/** One line for each, with what helps. */
export function stampProblems({ streams }: ContractReport): string[] {
  return Object.entries(streams).flatMap(([name, report]) => {
    const finding = findingOf(report);
    return finding === undefined ? [] : [`stream ${name}: ${finding}`];
  });
}

function findingOf({ received, causes, arrival_age_ms: { min } }: StreamReport): string | undefined {
  if (received === 0) return undefined;
  if (causes.stamp_zero === received)
    return 'the stamps of all messages are zero: no capture time is known. Correct the publisher, or set stamp_source: receive';
  if (causes.stamp_future === received) {
    const ahead = min === null ? '' : ` (by ${(-min / 1000).toFixed(1)} s)`;
    return `the stamps of all messages lie in the future of their log times${ahead}: another clock; set stamp_offset_ms`;
  }
  if (min !== null && min >= SURE_OFFSET_MS)
    return `no message was younger than ${(min / 1000).toFixed(1)} s when it was logged: its stamps are of another clock, or the bag was recorded with simulated time; set stamp_offset_ms`;
  return undefined;
}
