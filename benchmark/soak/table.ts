/** The soak as text: a line now and then, aligned, and what was found at the end. */
import type { Row } from './recorder.js';
import type { Check } from './verdict.js';

const COLUMNS: readonly (readonly [heading: string, key: keyof Row])[] = [
  ['s', 'seconds'],
  ['received', 'received'],
  ['delivered', 'delivered'],
  ['superseded', 'superseded'],
  ['failed', 'failed'],
  ['other', 'other'],
  ['in flight', 'in_flight'],
  ['held', 'held'],
  ['quarantined', 'quarantined'],
  ['reconciled', 'reconciled'],
  ['restarts', 'restarts'],
  ['RSS MB', 'rss_mb'],
  ['loop ms p50', 'loop_delay_p50_ms'],
  ['p99', 'loop_delay_p99_ms'],
  ['max', 'loop_delay_max_ms'],
];
/** A number of so many digits fits under any heading. */
const LEAST_WIDTH = 7;
const width = (heading: string): number => Math.max(heading.length, LEAST_WIDTH);

export const headingLine = COLUMNS.map(([heading]) => heading.padStart(width(heading))).join('  ');

export function rowLine(row: Row): string {
  return COLUMNS.map(([heading, key]) => String(row[key]).padStart(width(heading))).join('  ');
}

export function checkLines(checks: readonly Check[]): string {
  const longest = (of: 'name' | 'found') => Math.max(...checks.map((check) => check[of].length));
  const [names, found] = [longest('name'), longest('found')];
  return checks
    .map((check) => `${check.ok ? 'ok    ' : 'FAILED'}  ${check.name.padEnd(names)}  ${check.found.padStart(found)}  (${check.wanted})`)
    .join('\n');
}
