/**
 * What the stamps of a stream make of its report. Where they end half of its messages or more, or its clock is another one, the report says
 * less of the contract than it seems: a problem. Where they end fewer, the counts stand for themselves: a finding, to look into.
 */
import { MAX_OFFSET_MS } from '../config/stream-schema.js';
import type { Cause } from '../core/catalogue.js';
import type { ContractReport, StreamReport } from './report.js';

export interface StampFindings {
  readonly problems: readonly string[];
  readonly findings: readonly string[];
}

const SURE_OFFSET_MS = 10_000;
/** Of the messages of a stream: fewer are not worth a line, the causes have them. */
const WORTH_A_LINE = 0.01;
/** A share that makes a report say less than it seems. */
export const MISLEADING = 0.5;

/** One line for each, with what helps. Contracts on the same messages say the same once. */
export function stampFindings(contracts: readonly ContractReport[]): StampFindings {
  const problems = new Set<string>();
  const findings = new Set<string>();
  for (const { streams } of contracts) {
    for (const [name, report] of Object.entries(streams)) {
      const { misleads, lines } = judged(report);
      for (const line of lines) (misleads ? problems : findings).add(`stream ${name}: ${line}`);
    }
  }
  return { problems: [...problems], findings: [...findings].filter((line) => !problems.has(line)) };
}

/** Behind "the stamps of 12 of 100 messages"; and what helps. */
const SAYINGS: readonly (readonly [Cause, (report: StreamReport) => string])[] = [
  ['stamp_zero', () => 'are zero: no capture time is known. Correct the publisher, or set stamp_source: receive'],
  [
    'stamp_future',
    ({ arrival_age_ms: { min } }) =>
      min === null
        ? 'lie in the future of their log times: another clock'
        : `lie in the future of their log times (by ${seconds(-min)}): another clock; ${correction(min)}`,
  ],
  [
    'duplicate_stamp',
    () => 'repeat the one before them: a frozen camera, or a publisher that copies stamps. Correct it, or set stamp_source: receive',
  ],
  [
    'out_of_order',
    () =>
      'are older than one that came before: several publishers on the topic, or a bag that was played in a loop. Correct it, or set stamp_source: receive',
  ],
];

function judged(report: StreamReport): { readonly misleads: boolean; readonly lines: readonly string[] } {
  const { received, causes } = report;
  const { min } = report.arrival_age_ms;
  const told = SAYINGS.map(([cause, say]) => ({ count: causes[cause] ?? 0, say })).filter(({ count }) => count > 0);
  const misleads = told.reduce((sum, { count }) => sum + count, 0) >= received * MISLEADING;
  const lines = told
    .filter(({ count }) => count >= received * WORTH_A_LINE)
    .map(({ count, say }) => `the stamps of ${count === received ? 'all' : `${count} of ${received}`} messages ${say(report)}`);
  if (min === null || min < SURE_OFFSET_MS) return { misleads, lines };
  const late = `no message was younger than ${seconds(min)} when it was logged: its stamps are of another clock, or of simulated time, and the bag was recorded without it: record with ros2 bag record --use-sim-time; or ${correction(min)}`;
  return { misleads: true, lines: [late, ...lines] };
}

/** @param offsetMs by which the stamps are off */
function correction(offsetMs: number): string {
  if (Math.abs(offsetMs) <= MAX_OFFSET_MS) return 'set stamp_offset_ms';
  return 'set stamp_source: receive (stamp_offset_ms corrects 24 h at most)';
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
