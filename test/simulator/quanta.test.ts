import { describe, expect, it, test } from 'vitest';
import { ConfigurationError } from '../../src/config/problem.js';
import { atLoad } from '../../src/simulator/load.js';
import { measure } from '../../src/simulator/measure.js';
import { runPolicy } from '../../src/simulator/run-task.js';
import { parseScenario, readScenario } from '../../src/simulator/scenario-file.js';
import { Workload } from '../../src/simulator/workload.js';
import { MS } from './scenarios.js';

const SCENARIO = `
name: texts
run_ms: 200
backend: {slots: 1}
seeds: [1]
policies: [governor]
streams:
  camera:
    class: protected
    source: {period_ms: 33}
    contract: {period_ms: 33, deadline_ms: 33, max_age_ms: 66}
    variants: {full: {p50_ms: 10, p99_ms: 10}}
  text:
    queue: {policy: fifo, capacity: 4}
    source: {period_ms: 200, phase_ms: 1, prompt_tokens: 20, max_tokens: 20}
    contract: {max_age_ms: 1000}
    variants: {full: {p50_ms: 38, p99_ms: 38}}
    cooperative: {base_cost_us: 8000, tokens_per_second: 1000, prefill_per_token_us: 500}
learning: {margin_percent: 100, adapt: false}
`;

function run(text: string, policy = 'governor') {
  const scenario = atLoad(parseScenario(text, 's.yaml'), undefined);
  return runPolicy(scenario, new Workload(scenario, 1), policy);
}

describe('a text that is cut', () => {
  // 8 + 20 x 0.5 to read + 20 tokens: 38 ms in one call. Between two frames 23 ms: 5 tokens, then 2 (25 to read), then 1 (27, 28, 29 to read)
  const ledger = run(SCENARIO);
  const text = ledger.executions.filter(({ frame }) => ledger.workload.stream[frame] === 1);

  it('takes for each call what that call costs', () => {
    const lengths = text.map(({ startNs, endNs }) => (endNs - startNs) / MS);
    expect(lengths.slice(0, 3)).toEqual([23, 22.5, 22.5]);
    expect(text.map(({ startNs }) => startNs / MS).slice(0, 3)).toEqual([10, 43, 76]);
  });

  it('is one result', () => {
    const { streams } = measure(ledger);
    expect(streams['text']).toMatchObject({ received: 1, delivered: 1 });
    const spentNs = text.reduce((sum, { startNs, endNs }) => sum + endNs - startNs, 0);
    expect(streams['text']?.compute_ms).toBeCloseTo(spentNs / MS, 3);
    expect(spentNs / MS).toBeGreaterThan(38);
  });

  it('is one call for a policy that cannot cut', () => {
    expect(run(SCENARIO, 'fifo-4').executions.filter(({ frame }) => frame === 7)).toEqual([
      { frame: 7, slot: 0, startNs: 10 * MS, endNs: 48 * MS },
    ]);
    expect(run(SCENARIO, 'governor-no-quanta').executions.filter(({ frame }) => frame === 7)).toHaveLength(1);
  });
});

/** Share of the detector's periods with a fresh result, in thousands, and texts that were delivered. */
function outcome(file: string, policy: string): { covered: number; texts: number } {
  const scenario = atLoad(readScenario(`benchmark/scenarios/${file}.yaml`), undefined);
  const { streams } = measure(runPolicy(scenario, new Workload(scenario, scenario.seeds[0] ?? 0), policy));
  return { covered: 1000 - (streams['detector']?.window_uncovered_permille ?? 1000), texts: streams['text']?.delivered ?? 0 };
}

describe('the published scenario of quanta', () => {
  test('without a governor texts take the slot from the detector', () => {
    expect(outcome('cooperative-quanta', 'fifo-1')).toEqual({ covered: 3, texts: 102 });
  });

  test('undivided they have no chance', () => {
    expect(outcome('cooperative-quanta', 'governor-no-quanta')).toEqual({ covered: 1000, texts: 0 });
  });

  test('divided they share the slot with it', () => {
    const { covered, texts } = outcome('cooperative-quanta', 'governor');
    expect(covered).toBeGreaterThanOrEqual(920);
    expect(texts).toBeGreaterThanOrEqual(25);
  });

  test('none fits before the next frame is expected', () => {
    expect(outcome('cooperative-quanta-arrival', 'governor')).toEqual({ covered: 1000, texts: 1 });
  });
});

describe('a scenario', () => {
  function problemsWith(piece: string, replacement: string): string {
    expect(SCENARIO).toContain(piece);
    try {
      parseScenario(SCENARIO.replace(piece, replacement), 's.yaml');
    } catch (error) {
      if (error instanceof ConfigurationError) return error.message;
      throw error;
    }
    return '';
  }

  test.each([
    [
      'tokens_per_second: 1000',
      'tokens_per_second: 0',
      's.yaml:18: streams.text.cooperative.tokens_per_second is 0: expected a number from',
    ],
    ['base_cost_us: 8000, ', '', 's.yaml:18: streams.text.cooperative.base_cost_us: is missing'],
    ['base_cost_us', 'base_cots_us', 's.yaml:18: streams.text.cooperative.base_cots_us is 8000: no such key; did you mean base_cost_us?'],
    [
      'tokens_per_second: 1000',
      'tokens_per_second: 1000, min_tokens: 5000',
      'streams.text.cooperative.min_tokens is 5000: is above max_total_tokens',
    ],
    ['max_tokens: 20', 'max_tokens: 0', 's.yaml:15: streams.text.source.max_tokens is 0: expected a whole number from 1'],
    [
      'source: {period_ms: 33}',
      'source: {period_ms: 33, max_tokens: 5}',
      's.yaml:10: streams.camera.source.max_tokens is 5: has no effect',
    ],
    [
      'seeds: [1]',
      'seeds: [1]\nload_permille: [900]',
      's.yaml:6: load_permille is [900]: scales runtimes, and those of text follow from its tokens',
    ],
  ])('with %s -> %s is refused with line, key, value and remedy', (piece, replacement, said) => {
    expect(problemsWith(piece, replacement)).toContain(said);
  });
});
