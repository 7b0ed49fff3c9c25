/** Small scenarios for tests. */
import type { Scenario } from '../../src/simulator/scenario.js';
import { parseScenario } from '../../src/simulator/scenario-file.js';

export const MS = 1_000_000;

export const TWO_STREAMS = `
name: two
run_ms: 2000
backend: {slots: 1}
load_permille: [900, 1400]
seeds: [1, 2, 3]
streams:
  front:
    class: protected
    source: {period_ms: 33, jitter_ms: 2, transport_ms: 3}
    contract: {period_ms: 33, deadline_ms: 33, max_age_ms: 66}
    variants:
      large: {quality: 1.0, quality_source: measured, p50_ms: 10, p99_ms: 16}
      small: {quality: 0.9, quality_source: measured, p50_ms: 6, p99_ms: 10}
  text:
    class: best_effort
    queue: {policy: fifo, capacity: 2}
    source: {period_ms: 200, jitter_ms: 20, phase_ms: 11}
    contract: {period_ms: 200, deadline_ms: 300, max_age_ms: 400}
    variants: {full: {p50_ms: 70, p99_ms: 100}}
`;

/** One stream with constant runtimes and no jitter: its instants can be read off. */
export function plain(change: { backend?: string; source?: string; stream?: string; p50?: number; runMs?: number } = {}): Scenario {
  const { backend = 'slots: 1', source = 'period_ms: 10', stream = '', p50 = 4, runMs = 30 } = change;
  return parseScenario(
    `
name: plain
run_ms: ${runMs}
backend: {${backend}}
seeds: [1]
policies: [fifo-4]
streams:
  front:
    class: protected
    ${stream}
    source: {${source}}
    contract: {period_ms: 10, deadline_ms: 10, max_age_ms: 20}
    variants: {full: {p50_ms: ${p50}, p99_ms: ${p50}}}
`,
    'plain.yaml',
  );
}
