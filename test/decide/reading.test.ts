import { describe, expect, test } from 'vitest';
import { ConfigurationError } from '../../src/config/problem.js';
import type { Script } from '../../src/decide/script.js';
import { parseScript, readScript } from '../../src/decide/script-file.js';

const VARIANTS = 'variants: {only: {quality: 1, quality_source: measured, p50_ms: 10, p99_ms: 20}}';
const HEAD = `backend: {slots: 1}
streams:
  front: {contract: {max_age_ms: 50}, ${VARIANTS}}
`;

function problemsOf(text: string): string[] {
  try {
    parseScript(text, 's.yaml');
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message.split('\n');
    throw error;
  }
  throw new Error('the script was taken');
}

const withEvents = (...events: string[]) => `${HEAD}events:\n${events.map((event) => `  - ${event}\n`).join('')}`;
const ARRIVAL = '{at_ms: 0, arrive: front, id: a}';

function configurationOf(text: string) {
  const { configuration } = parseScript(text, 's.yaml');
  if (configuration instanceof ConfigurationError) throw configuration;
  return configuration;
}

describe('what a script leaves out', () => {
  test('is what a script means: one model a stream, depth 0, numbers that are what they seem, overload off', () => {
    const { backends, models, streams, learning, overload } = configurationOf(HEAD);
    expect(backends).toEqual([{ name: 'default', slots: 1, pipeliningDepth: 0, noCorun: [], trust: 'open' }]);
    expect(models).toMatchObject([{ name: 'front', backend: 'default', variants: [{ name: 'only', backendModel: 'front_only' }] }]);
    expect(models[0]?.variants[0]?.profile).toEqual({ p50Us: 10_000, p95Us: 15_000, p99Us: 20_000 });
    expect(streams).toMatchObject([{ name: 'front', model: 'front', class: 'normal', contract: { deadlineUs: 50_000 } }]);
    expect(learning).toMatchObject({ marginPercent: 100, adapt: false });
    expect(overload).toBeUndefined();
  });

  test('a written value beats the default of scripts', () => {
    const { backends, learning, overload } = configurationOf(
      `learning: {margin_percent: 120, adapt: true}\noverload: {enabled: true}\n${HEAD.replace('slots: 1', 'slots: 1, pipelining_depth: 2')}`,
    );
    expect(backends[0]?.pipeliningDepth).toBe(2);
    expect(learning).toMatchObject({ marginPercent: 120, adapt: true });
    expect(overload?.minViolations).toBe(2);
  });

  test('the full form names what the short one implies', () => {
    const full = `backends: {gpu: {slots: 1}}
models: {front: {backend: gpu, ${VARIANTS}}}
streams: {front: {model: front, contract: {max_age_ms: 50}}}
`;
    const { models, streams } = configurationOf(full);
    const short = configurationOf(HEAD);
    expect(streams).toEqual(short.streams);
    expect(models).toEqual(short.models.map((model) => ({ ...model, backend: 'gpu' })));
  });
});

describe('instants and ids', () => {
  const lines = (text: string): Script['lines'] => parseScript(text, 's.yaml').lines;

  test('are exact to the microsecond, and may be negative', () => {
    expect(lines(withEvents('{at_ms: -0.3, arrive: front, id: a, capture_ms: -1.001}'))).toMatchObject([{ atUs: -300, captureUs: -1001 }]);
    expect(lines(withEvents('{at_ms: 1.005, tick: true}', '{at_ms: +2., tick: true}'))).toMatchObject([{ atUs: 1005 }, { atUs: 2000 }]);
  });

  test('a capture is the arrival, and the stamp the capture, unless they are given', () => {
    expect(lines(withEvents('{at_ms: 7, arrive: front, id: a}'))).toMatchObject([{ captureUs: 7000, stampUs: 7000 }]);
    expect(lines(withEvents('{at_ms: 7, arrive: front, id: a, capture_ms: 5}'))).toMatchObject([{ captureUs: 5000, stampUs: 5000 }]);
  });

  test('repetitions are numbered from 1; what looks like a number or a truth is an id all the same', () => {
    expect(lines(withEvents('{at_ms: 0, arrive: front, id: y, repeat: {times: 2, every_ms: 5}}'))).toMatchObject([{ ids: ['y.1', 'y.2'] }]);
    expect(lines(withEvents('{at_ms: 0, arrive: front, id: 1}', '{at_ms: 1, complete: 1}'))).toMatchObject([{ ids: ['1'] }, { id: '1' }]);
  });
});

describe('a script is refused with line, key and remedy', () => {
  const cases: [string, string, string][] = [
    ['an unknown key', `${HEAD}event: []\n`, 's.yaml:4: event: no such key; did you mean events?'],
    ['a key twice', `${HEAD}backend: {slots: 2}\n`, 's.yaml:4: backend: stands in this block twice, first in line 1; keep one of them'],
    [
      'an unknown key of an event',
      withEvents('{at_ms: 0, arrive: front, id: a, runtime: 5}'),
      's.yaml:5: events[0].runtime is "5": no such key; did you mean runtime_ms?',
    ],
    ['a misspelt kind', withEvents('{at_ms: 0, arive: front, id: a}'), 's.yaml:5: events[0].arive: no such key; did you mean arrive?'],
    [
      'two kinds',
      withEvents('{at_ms: 0, arrive: front, id: a, tick: true}'),
      's.yaml:5: events[0]: has both arrive and tick; expected one a line',
    ],
    ['no kind', withEvents('{at_ms: 0}'), 's.yaml:5: events[0]: says not what it is about; expected one of the keys arrive, complete'],
    ['an event that is no group', withEvents('tick'), 's.yaml:5: events[0] is "tick": expected a group with one of the keys arrive'],
    ['a missing id', withEvents('{at_ms: 0, arrive: front}'), 's.yaml:5: events[0].id: is missing; expected an id of letters'],
    [
      'a nested key',
      withEvents('{at_ms: 0, arrive: front, id: a, repeat: {time: 2, every_ms: 1}}'),
      's.yaml:5: events[0].repeat.time is "2": no such key; did you mean times?',
    ],
    [
      'too many decimals',
      withEvents('{at_ms: 0.0001, tick: true}'),
      's.yaml:5: events[0].at_ms is "0.0001": expected an instant in milliseconds',
    ],
    [
      'a runtime of zero',
      withEvents('{at_ms: 0, arrive: front, id: a, runtime_ms: 0}'),
      's.yaml:5: events[0].runtime_ms is "0": expected a duration in milliseconds from 0.001',
    ],
    [
      'time going backwards',
      withEvents('{at_ms: 5, tick: true}', '{at_ms: 4.999, tick: true}'),
      's.yaml:6: events[1].at_ms is "4.999": comes after an event at 5 ms; events stand in order of time',
    ],
    [
      'an id used twice',
      withEvents(ARRIVAL, '{at_ms: 1, arrive: front, id: a}'),
      's.yaml:6: events[1].id is "a": is used already in line 5; every request needs an id of its own',
    ],
    [
      'an id of a repetition',
      withEvents('{at_ms: 0, arrive: front, id: a, repeat: {times: 3, every_ms: 1}}', '{at_ms: 1, arrive: front, id: a.2}'),
      's.yaml:6: events[1].id is "a.2": is used already in line 5',
    ],
    [
      'an unknown stream',
      withEvents('{at_ms: 0, arrive: frnt, id: a}'),
      's.yaml:5: events[0].arrive is "frnt": there is no stream of this name; did you mean front?',
    ],
    [
      'an unknown request',
      withEvents(ARRIVAL, '{at_ms: 1, complete: b7}'),
      's.yaml:6: events[1].complete is "b7": there is no request of this name; did you mean a?',
    ],
    [
      'a result of its own',
      withEvents(ARRIVAL, '{at_ms: 1, complete: a, result: good}'),
      's.yaml:6: events[1].result is "good": expected one of ok, failed',
    ],
    [
      'a cause without a failure',
      withEvents(ARRIVAL, '{at_ms: 1, complete: a, cause: bad_output}'),
      's.yaml:6: events[1].cause is "bad_output": goes with result: failed only',
    ],
    [
      'a variant that nobody has',
      withEvents('{at_ms: 1, ready: {variant: other, value: false}}'),
      's.yaml:5: events[0].ready: no variant is meant',
    ],
    [
      'an unknown backend',
      withEvents('{at_ms: 1, round_trip: {backend: gpu, p90_ms: 1}}'),
      's.yaml:5: events[0].round_trip is "gpu": there is no backend of this name',
    ],
    [
      'an event of tomorrow',
      withEvents('{at_ms: 86400000.001, tick: true}'),
      's.yaml:5: events[0].at_ms is "86400000.001": expected an instant in milliseconds from -86400000 to 86400000',
    ],
    [
      'too many requests',
      withEvents(...Array.from({ length: 11 }, (_, i) => `{at_ms: 0, arrive: front, id: a${i}, repeat: {times: 10000, every_ms: 1}}`)),
      's.yaml:15: events[10].repeat: makes more than 100000 requests; expected fewer',
    ],
    [
      'an unknown request in expect',
      `${withEvents(ARRIVAL)}expect:\n  - {dispatch: aa}\n`,
      's.yaml:7: expect[0].dispatch is "aa": there is no request of this name; did you mean a?',
    ],
    [
      'before_ms in expect',
      `${withEvents(ARRIVAL)}expect:\n  - {dispatch: a, before_ms: 4}\n`,
      's.yaml:7: expect[0].before_ms: is for never',
    ],
    [
      'an unknown state',
      `${withEvents(ARRIVAL)}expect:\n  - {outcome: a, state: delivred}\n`,
      's.yaml:7: expect[0].state is "delivred": expected one of delivered, obsolete',
    ],
    ['a list that is none', `${HEAD}events: {at_ms: 0}\n`, 's.yaml:4: events: expected a list, one item a line'],
    ['a value left out', withEvents('{at_ms: , tick: true}'), 's.yaml:5: events[0].at_ms: has no value'],
    [
      'an alias',
      withEvents('{at_ms: &t 0, tick: true}', '{at_ms: *t, tick: true}'),
      's.yaml:6: events[1].at_ms: no aliases (*name) here; write the value out',
    ],
    [
      'an impossible contract',
      HEAD.replace('max_age_ms: 50', 'max_age_ms: -5'),
      's.yaml:3: streams.front.contract.max_age_ms is -5: expected a number from 0.001',
    ],
    [
      'a parameter in the short form',
      HEAD.replace('slots: 1', 'slots: 0'),
      's.yaml:1: backend.slots is 0: expected a whole number from 1 to 256',
    ],
    [
      'a runtime in the short form',
      HEAD.replace('p50_ms: 10', 'p50_ms: 0'),
      's.yaml:3: streams.front.variants.only.p50_ms is 0: expected a duration in milliseconds from 0.001',
    ],
    ['half a profile', HEAD.replace(', p99_ms: 20', ''), 's.yaml:3: streams.front.variants.only.p99_ms: is missing'],
    [
      'what has no effect',
      HEAD.replace('slots: 1', 'slots: 1, endpoint: "a:1"'),
      's.yaml:1: backend.endpoint is "a:1": has no effect on decisions; leave it out',
    ],
    ['both forms of backends', `${HEAD}backends: {gpu: {slots: 1}}\n`, 's.yaml:4: backends: stands beside backend; keep one of them'],
    [
      'no backend, with a model in its full form',
      `models: {det: {${VARIANTS}}}\nstreams: {front: {model: det, contract: {max_age_ms: 50}}}\n`,
      's.yaml:1: backend: is missing; expected how many calls run at the same time, for instance backend: {slots: 1}',
    ],
    [
      'variants of a stream beside several backends',
      HEAD.replace('backend: {slots: 1}', 'backends: {a: {slots: 1}, b: {slots: 1}}'),
      's.yaml:3: streams.front.variants: says not on which backend, and there are a, b; expected models.<name> with these variants',
    ],
    ['two models of one stream', `${HEAD}models: {front: {${VARIANTS}}}\n`, 's.yaml:4: models.front: stream front has variants of its own'],
    [
      'a pair of unknown models',
      HEAD.replace('slots: 1', 'slots: 1, no_corun: ["front|rear"]'),
      's.yaml:1: backend.no_corun is ["front|rear"]: "front|rear": there is no model rear',
    ],
    ['something that is no script', '- 1\n', 's.yaml: expected a decision script with the keys scheduling'],
    ['broken YAML', 'backend: {slots: 1\n', 's.yaml:2: not valid YAML'],
  ];
  test.each(cases)('%s', (_, text, problem) => {
    expect(problemsOf(text).map((line) => line.slice(0, problem.length))).toContain(problem);
  });

  test('all of them at once', () => {
    const text = withEvents('{at_ms: 5, arive: front, id: a}', '{at_ms: x, tick: true}', '{at_ms: 1, arrive: rear, id: b}').replace(
      'slots: 1',
      'slots: 0',
    );
    expect(problemsOf(text).map((line) => line.slice(0, 9))).toEqual(['s.yaml:1:', 's.yaml:5:', 's.yaml:6:', 's.yaml:7:']);
  });

  test.each([
    ['dispatch: a', 'larg'],
    ['outcome: a', 'larg'],
    ['veto: a', 'larg'],
  ])('an unknown variant of %s', (what, variant) => {
    const text = `${withEvents(ARRIVAL)}expect:\n  - {${what}, variant: ${variant}}\n`;
    expect(problemsOf(text)).toEqual([
      `s.yaml:7: expect[0].variant is "${variant}": there is no variant of this name; expected one of only`,
    ]);
  });

  test('a variant of another model', () => {
    const two = `${HEAD}  rear: {contract: {max_age_ms: 50}, variants: {own: {quality: 1, p50_ms: 10, p99_ms: 20}}}\nevents:\n  - ${ARRIVAL}\n`;
    expect(problemsOf(`${two}never:\n  - {dispatch: a, variant: own}\n`)).toEqual([
      's.yaml:8: never[0].variant is "own": there is no variant of this name; expected one of only',
    ]);
  });

  test('a change of a stream that there is not', () => {
    expect(problemsOf(withEvents('{at_ms: 0, reconfigure: {streams: {frnt: {contract: {max_age_ms: 9}}}}}'))).toEqual([
      's.yaml:5: streams.frnt.contract.max_age_ms: there is no stream frnt; did you mean front?',
    ]);
  });

  test('each mistake is said once', () => {
    const changed = (from: string, to: string) => problemsOf(withEvents(ARRIVAL).replace(from, to));
    expect(changed('  front:', '  f-x:')).toEqual([
      expect.stringContaining('s.yaml:3: streams.f-x: expected a name of letters'),
      expect.stringContaining('s.yaml:5: events[0].arrive is "front": there is no stream of this name; expected one of f-x'),
    ]);
    expect(changed('max_age_ms: 50', 'max_age_ms:')).toEqual([expect.stringContaining('max_age_ms: has no value')]);
    expect(changed('slots: 1', 'slots:')).toEqual([expect.stringContaining('s.yaml:1: backend.slots: has no value')]);
    const twoChanges = withEvents(
      ARRIVAL,
      ...[1, 2].map((at) => `{at_ms: ${at}, reconfigure: {streams: {front: {contract: {max_age_ms: 9}}}}}`),
    );
    expect(problemsOf(twoChanges.replace('slots: 1', 'slots: 0'))).toHaveLength(1);
  });

  test.each(['', 'backend: {}\n'])('a backend that is left out is all that is said of it: "%s"', (backend) => {
    const text = HEAD.replace('backend: {slots: 1}\n', backend).replace(
      'streams:',
      'streams:\n  rear: {contract: {max_age_ms: 50}, variants: {only: {quality: 1, p50_ms: 10, p99_ms: 20}}}',
    );
    expect(problemsOf(`${text}events:\n  - {at_ms: 0, round_trip: {p90_ms: 3}}\n`)).toEqual([
      expect.stringContaining('backend: is missing; expected how many calls run at the same time, for instance backend: {slots: 1}'),
    ]);
  });

  test.each([
    ['run_ms: 5', 's.yaml: is a scenario, not a decision script; it is used by: vig simulate s.yaml'],
    ['governor: {ros__parameters: {}}', 's.yaml: is a ROS 2 parameter file, not a decision script; it is used by: vig run'],
    ['models: {a: {behaviour: echo}}', 's.yaml: is a file of models for the reference server, not a decision script'],
    ['backend: {slots: 1}', 's.yaml: streams: there are none'],
  ])('a file of another kind: %s', (text, said) => {
    expect(problemsOf(text)).toEqual([expect.stringContaining(said)]);
  });

  test('a file that is not there', () => {
    expect(() => readScript('/nowhere/script.yaml')).toThrow('/nowhere/script.yaml: cannot read the file: ENOENT');
  });

  test('a refused configuration is what a script may expect', () => {
    const text = `${HEAD.replace('slots: 1', 'slots: 0')}expect:\n  - {error: backend.slots}\n`;
    expect(parseScript(text, 's.yaml').configuration).toBeInstanceOf(ConfigurationError);
  });
});
