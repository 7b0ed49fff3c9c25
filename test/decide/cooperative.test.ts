import { describe, expect, test } from 'vitest';
import { ConfigurationError } from '../../src/config/problem.js';
import { runScript } from '../../src/decide/run-script.js';
import { parseScript } from '../../src/decide/script-file.js';

const SCRIPT = `
backend: {slots: 1}
streams:
  text:
    queue: {policy: fifo, capacity: 4}
    contract: {max_age_ms: 1000}
    variants: {only: {quality: 1}}
    cooperative: {base_cost_us: 8000, tokens_per_second: 1000, max_total_tokens: 64}
  cam: {contract: {max_age_ms: 66}, variants: {only: {quality: 1, p50_ms: 10, p99_ms: 10}}}
events:
  - {at_ms: 0, arrive: text, id: t, max_tokens: 20}
  - {at_ms: 28, complete: t, tokens: 20}
  - {at_ms: 30, arrive: cam, id: c, runtime_ms: 10}
`;

/** What is said of the script with a piece of it replaced: by its reading, or by a line of its decisions. */
function problemsWith(piece: string, replacement: string): string {
  expect(SCRIPT).toContain(piece);
  try {
    const { configuration } = parseScript(SCRIPT.replace(piece, replacement), 's.yaml');
    return configuration instanceof ConfigurationError ? configuration.message : '';
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
}

describe('a cooperative model in a script', () => {
  test('is read with its stream, and decides', () => {
    const { lines } = runScript(parseScript(SCRIPT, 's.yaml'));
    expect(lines.map(({ line }) => line)).toContainEqual(expect.objectContaining({ id: 't', action: 'dispatch', quantum: 1, tokens: 20 }));
  });

  test('is read as a model of its own', () => {
    const model = 'models: {vlm: {variants: {only: {quality: 1}}, cooperative: {base_cost_us: 1, tokens_per_second: 5}}}\nstreams:';
    const own = SCRIPT.replace(/ {4}variants: .*\n {4}cooperative: .*\n/, '    model: vlm\n').replace('streams:', model);
    expect(runScript(parseScript(own, 's.yaml')).summary.outcomes).toEqual({ 'delivered/delivered': 2 });
  });

  test('is told of each end of a call that means nothing, and of no other', () => {
    const told = [
      '  - {at_ms: 10, complete: t, tokens: 2, finished: false}',
      '  - {at_ms: 12, complete: t, quantum: 1}',
      '  - {at_ms: 28, complete: t, quantum: 2}',
    ].join('\n');
    const { lines, summary } = runScript(parseScript(SCRIPT.replace('  - {at_ms: 28, complete: t, tokens: 20}', told), 's.yaml'));
    const ignored = lines.filter(({ line }) => line.action === 'ignored').map(({ line, words }) => `${line.at_ms} ${words}`);
    expect(ignored).toEqual(['12 its call has returned already']);
    expect(summary.outcomes).toEqual({ 'delivered/delivered': 2 });
  });

  test.each([
    [
      'tokens_per_second: 1000',
      'tokens_per_second: 0',
      's.yaml:8: streams.text.cooperative.tokens_per_second is 0: expected a number from 0.001 to 1000000 (tokens/s)',
    ],
    [
      'tokens_per_second: 1000',
      'min_tokens: 1',
      's.yaml:8: streams.text.cooperative.tokens_per_second: is missing; expected a number from 0.001',
    ],
    [
      'base_cost_us: 8000, ',
      '',
      's.yaml:8: streams.text.cooperative.base_cost_us: is missing; expected a whole number from 1 to 3600000000 (us)',
    ],
    ['base_cost_us: 8000', 'base_cost_us: 0', 's.yaml:8: streams.text.cooperative.base_cost_us is 0: expected a whole number from 1'],
    [
      'base_cost_us: 8000',
      'base_cost: 8000',
      's.yaml:8: streams.text.cooperative.base_cost is 8000: no such key; did you mean base_cost_us?',
    ],
    [
      'max_total_tokens: 64',
      'max_total_tokens: 64, min_tokens: 65',
      's.yaml:8: streams.text.cooperative.min_tokens is 65: is above max_total_tokens, which is 64; expected at most that',
    ],
    [
      'max_total_tokens: 64',
      'fill_until: later',
      's.yaml:8: streams.text.cooperative.fill_until is "later": expected one of arrival, latest_start',
    ],
    [
      'only: {quality: 1}}',
      'a: {quality: 1}, b: {quality: 1}}',
      's.yaml:8: streams.text.cooperative: tells the cost of one variant, and the model has 2; give each a model of its own',
    ],
    [
      '{base_cost_us: 8000, tokens_per_second: 1000, max_total_tokens: 64}',
      '5',
      's.yaml:8: streams.text.cooperative is 5: expected a group with base_cost_us and tokens_per_second',
    ],
    [
      'arrive: cam, id: c',
      'arrive: cam, id: c, max_tokens: 5',
      's.yaml:13: events[2].max_tokens is "5": means nothing to a model that is not cooperative',
    ],
    [
      'runtime_ms: 10}\n',
      'runtime_ms: 10}\n  - {at_ms: 40, complete: c, tokens: 5}\n',
      's.yaml:14: events[3].tokens is "5": means nothing to a model that is not cooperative',
    ],
    [
      'tokens: 20}\n  - {at_ms: 30',
      'tokens: 20, result: failed}\n  - {at_ms: 30',
      's.yaml:12: events[1].tokens is "20": goes with result: ok only',
    ],
    [
      'complete: t, tokens: 20',
      'complete: t, result: failed, cause: chain_broken',
      's.yaml:12: events[1].cause is "chain_broken": expected one of model_error',
    ],
  ])('%s -> %s is refused with line, key, value and remedy', (piece, replacement, said) => {
    expect(problemsWith(piece, replacement)).toContain(said);
  });

  test('of a model with a memory is refused', () => {
    const model =
      'models: {vlm: {stateful: true, variants: {only: {quality: 1}}, cooperative: {base_cost_us: 1, tokens_per_second: 5}}}\nstreams:';
    const own = SCRIPT.replace(/ {4}variants: .*\n {4}cooperative: .*\n/, '    model: vlm\n').replace('streams:', model);
    expect(() => parseScript(own, 's.yaml')).toThrow('models.vlm.cooperative: repeats the prompt');
  });
});
