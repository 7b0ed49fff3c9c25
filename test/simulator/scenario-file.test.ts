import { readdirSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { ConfigurationError } from '../../src/config/problem.js';
import { governorConfiguration } from '../../src/simulator/governor-configuration.js';
import { parseScenario, readScenario } from '../../src/simulator/scenario-file.js';
import { MS, TWO_STREAMS } from './scenarios.js';

function problemsOf(text: string): string[] {
  try {
    parseScenario(text, 's.yaml');
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message.split('\n');
    throw error;
  }
  return [];
}

/** What is said of the scenario with a piece of it replaced. */
function problemsWith(piece: string, replacement: string): string[] {
  expect(TWO_STREAMS).toContain(piece);
  return problemsOf(TWO_STREAMS.replace(piece, replacement));
}

describe('a scenario file', () => {
  it('keeps the order of streams and reads numbers as written', () => {
    const scenario = parseScenario(TWO_STREAMS.replace('[1, 2, 3]', '[0x5EED0001, 7]'), 's.yaml');
    expect(scenario.seeds).toEqual([0x5eed0001, 7]);
    expect(scenario.loads).toEqual([900, 1400]);
    expect(scenario.streams.map(({ name }) => name)).toEqual(['front', 'text']);
    expect(scenario.streams[1]).toMatchObject({ queue: { capacity: 2, replaces: false }, source: { jitterNs: 20 * MS, phaseNs: 11 * MS } });
  });

  it('runs as written without a list of loads', () => {
    expect(parseScenario(TWO_STREAMS.replace('load_permille: [900, 1400]', ''), 's.yaml').loads).toEqual([undefined]);
  });

  it("takes the source's jitter for the contract's unless that has its own", () => {
    const jitterOf = (text: string) => parseScenario(text, 's.yaml').governor.streams[0]?.contract.releaseJitterUs;
    expect(jitterOf(TWO_STREAMS)).toBe(2000);
    expect(jitterOf(TWO_STREAMS.replace('max_age_ms: 66', 'max_age_ms: 66, extension: {release_jitter_ms: 5}'))).toBe(5000);
  });

  it('gives the governor profiles as verified ones, with the numbers of the load', () => {
    const [model] = governorConfiguration(parseScenario(TWO_STREAMS, 's.yaml')).models;
    expect(model?.variants.map(({ profile }) => profile)).toEqual([
      { p50Us: 10_000, p95Us: 13_000, p99Us: 16_000 },
      { p50Us: 6000, p95Us: 8000, p99Us: 10_000 },
    ]);
  });

  test.each([
    ['p50_ms: 10,', 'p50_ms: 0,', 's.yaml:13: streams.front.variants.large.p50_ms is 0: expected a number from 0.001 to 600000 (ms)'],
    ['p99_ms: 16', 'p99_ms: 9', 's.yaml:13: streams.front.variants.large.p99_ms is 9: expected at least p50_ms, which is 10'],
    ['p50_ms: 70, ', '', 's.yaml:20: streams.text.variants.full.p50_ms: is missing; expected a number from 0.001 to 600000 (ms)'],
    ['transport_ms: 3', 'transprt_ms: 3', 's.yaml:10: streams.front.source.transprt_ms is 3: no such key; did you mean transport_ms?'],
    ['run_ms: 2000', 'run_ms: soon', 's.yaml:3: run_ms is "soon": expected a number from 1 to 3600000 (ms)'],
    ['seeds: [1, 2, 3]', 'seeds: [1.5]', 's.yaml:6: seeds is [1.5]: expected a list of whole numbers from 0 to 9007199254740991'],
    [
      'seeds: [1, 2, 3]',
      'policies: [fifo1]',
      's.yaml:6: policies is ["fifo1"]: "fifo1" is no policy; the N of fifo-N is a number from 1 to 9999, for instance fifo-1',
    ],
    ['jitter_ms: 2,', 'jitter_ms: 33,', 's.yaml:10: streams.front.source.jitter_ms is 33: expected less than period_ms, which is 33'],
    ['seeds: [1, 2, 3]', 'policies: [fifo-0]', 's.yaml:6: policies is ["fifo-0"]: "fifo-0" is no policy; the N of fifo-N'],
    ['seeds: [1, 2, 3]', 'policies: [latest, latest]', 's.yaml:6: policies is ["latest", "latest"]: "latest" stands twice'],
    ['[900, 1400]', '[900, 900]', 's.yaml:5: load_permille is [900, 900]: a number stands twice; give each once'],
    ['seeds: [1, 2, 3]', 'seeds: [7, 7]', 's.yaml:6: seeds is [7, 7]: a number stands twice; give each once'],
    ['run_ms: 2000', '', 's.yaml: run_ms: is missing; expected a number from 1 to 3600000 (ms)'],
    // These the governor's own parameters refuse, under the names they have in the scenario.
    [
      'class: protected',
      'class: protectd',
      's.yaml:9: streams.front.class is "protectd": expected one of best_effort, normal, high, protected',
    ],
    ['quality: 0.9', 'quality: 2', 's.yaml:14: streams.front.variants.small.quality is 2: expected a number from 0 to 1'],
    ['slots: 1', 'slots: 0', 's.yaml:4: backend.slots is 0: expected a whole number from 1 to 256'],
    ['max_age_ms: 66', 'max_agee_ms: 66', 'streams.front.contract.max_agee_ms'],
  ])('%s -> %s is refused with line, key, value and remedy', (piece, replacement, said) => {
    expect(problemsWith(piece, replacement).join('\n')).toContain(said);
  });

  it('says each mistake once', () => {
    expect(problemsWith('run_ms:', 'run-ms:')).toEqual([
      's.yaml:3: run-ms: expected a name of letters, digits and underscores, or several joined by dots',
      's.yaml: run_ms: is missing; expected a number from 1 to 3600000 (ms)',
    ]);
    expect(problemsWith('  front:', '  f-x:')).toEqual([expect.stringMatching(/^s\.yaml:8: streams\.f-x: expected a name/)]);
    expect(problemsWith('source:', 'sorce:')).toEqual([
      expect.stringMatching(/^s\.yaml:\d+: streams\.front\.sorce: no such key; did you mean source\?$/),
    ]);
  });

  test.each([
    ['', 's.yaml: expected a scenario with the keys name, run_ms, backend, '],
    ['events: []', 's.yaml: is a decision script, not a scenario; it is used by: vig decide s.yaml'],
    [
      'governor: {ros__parameters: {}}',
      's.yaml: is a ROS 2 parameter file, not a scenario; it is used by: vig run --ros-args --params-file s.yaml',
    ],
    [
      'models: {a: {behaviour: echo}}',
      's.yaml: is a file of models for the reference server, not a scenario; it is used by: vig serve-reference --models s.yaml',
    ],
  ])('%s is said to be something else', (text, said) => {
    expect(problemsOf(text)).toEqual([expect.stringContaining(said)]);
  });

  test.each([
    'streams: 5',
    'streams: {a: 5}',
    'streams: {a: {source: 5, contract: 5, variants: 5}}',
    'streams: {a: {variants: {v: 5}}}',
    'backend: 5',
    'streams: {}',
    'run_ms: []',
  ])('%s is refused in our words, with the file', (text) => {
    for (const line of problemsOf(text)) {
      expect(line).toMatch(/^s\.yaml/);
      expect(line).not.toMatch(/invalid |too (small|big)|received/i);
    }
    expect(problemsOf(text)).not.toEqual([]);
  });

  it('refuses impossible contracts', () => {
    const budget = (values: string) =>
      problemsWith('max_age_ms: 66}', `max_age_ms: 66, extension: {consumer_period_ms: 33, miss_budget: {${values}}}}`).join('\n');
    expect(budget('max_misses: 1, window_cycles: 10')).toBe('');
    expect(budget('max_misses: 10, window_cycles: 10')).toContain('s.yaml:11: streams.front.contract.extension.miss_budget.max_misses');
    expect(budget('max_misses: 2, window_cycles: 10, max_consecutive: 3')).toContain('miss_budget.max_consecutive');
    const unapproved = problemsWith('max_age_ms: 66}', 'max_age_ms: 66, extension: {approved_variants: [huge]}}').join('\n');
    expect(unapproved).toContain('streams.front.contract.extension.approved_variants');
  });

  it('says everything that is wrong at once', () => {
    expect(problemsWith('period_ms: 33, jitter_ms: 2', 'period_ms: 0, jiter_ms: 2')).toHaveLength(2);
  });

  it('names a file that cannot be read', () => {
    expect(() => readScenario('nowhere.yaml')).toThrow(/nowhere\.yaml: cannot read the file/);
  });
});

test.each(readdirSync('benchmark/scenarios'))('benchmark/scenarios/%s is a scenario of its own name', (file) => {
  expect(`${readScenario(`benchmark/scenarios/${file}`).name}.yaml`).toBe(file);
});
