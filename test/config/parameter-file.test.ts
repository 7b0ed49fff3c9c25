import { describe, expect, test, vi } from 'vitest';
import { parseParameterFile } from '../../src/config/parameter-file.js';
import { configureText, fileWith, problemsOf } from './configure.js';

// Texts of the largest size allowed take their time on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const problemsIn = (text: string) => problemsOf(() => configureText(text));

describe('blocks', () => {
  test('are found by node, nested namespaces included', () => {
    const text =
      'governor:\n  ros__parameters: {a: 1}\n/ns/governor:\n  ros__parameters: {a: 2}\nrobot:\n  arm:\n    ros__parameters: {a: 3}\n/**:\n  ros__parameters: {a: 4}\n';
    const blocks = parseParameterFile(text, 'r.yaml');
    expect(blocks.map(({ node, place }) => [node, place.line])).toEqual([
      ['governor', 2],
      ['/ns/governor', 4],
      ['robot/arm', 7],
      ['/**', 9],
    ]);
    expect(blocks.map((block) => block.read().settings.map(({ value }) => value))).toEqual([[1], [2], [3], [4]]);
  });

  test('of other nodes are not looked at', () => {
    expect(problemsIn(`${fileWith({})}\ncamera:\n  ros__parameters:\n    exposure: {auto: [[1]], no value: , fps: *unknown}\n`)).toEqual(
      [],
    );
  });

  test('of a file merge in order, the later one counts', () => {
    const text = `/**:\n  ros__parameters:\n    metrics: {port: 1, host: a}\n    autostart: false\n${fileWith({ 'metrics.port': '2' })}`;
    expect(configureText(text).parameters).toMatchObject({ autostart: false, metrics: { port: 2, host: 'a' } });
  });

  test('nested and dotted keys mean the same', () => {
    const nested =
      'governor:\n  ros__parameters:\n    backends: {gpu: {slots: 1}}\n    models.detector: {backend: gpu, variants.full: {backend_model: centerface}}\n    streams:\n      front:\n        topic: /front/image_raw\n        model: detector\n        contract.max_age_ms: 100\n';
    expect(configureText(nested).parameters).toEqual(configureText(fileWith({})).parameters);
  });

  test("accept ROS's own parameters and say whether time is simulated", () => {
    expect(configureText(fileWith({})).useSimTime).toBe(false);
    expect(configureText(fileWith({ use_sim_time: 'true', start_type_description_service: 'false' })).useSimTime).toBe(true);
    expect(configureText(fileWith({ use_sim_time: 'false' })).useSimTime).toBe(false);
    expect(problemsIn(fileWith({ use_sim_time: '1' }))).toEqual(['r.yaml:9: use_sim_time: expected true or false']);
  });
});

describe('malformed', () => {
  test.each([
    ['no YAML', 'governor:\n  ros__parameters:\n    a: [1\n', /^r\.yaml:4: not valid YAML: /],
    ['a tab', 'governor:\n\tros__parameters:\n', /^r\.yaml:2: not valid YAML: /],
    [
      'one key twice',
      'governor:\n  ros__parameters:\n    autostart: true\n    autostart: true\n',
      /^r\.yaml:4: autostart: stands in this block twice, first in line 3; keep one of them$/,
    ],
    [
      'one key twice, dotted',
      fileWith({ 'metrics.port': '1', metrics: '{port: 2}' }),
      /^r\.yaml:10: metrics\.port: stands in this block twice, first in line 9; keep one of them$/,
    ],
    [
      'a value and a group',
      fileWith({ metrics: '1', 'metrics.port': '2' }),
      /^r\.yaml:10: metrics\.port is 2: metrics is a value in one place and a group in another; keep one of them$/,
    ],
    [
      'an alias',
      fileWith({ 'metrics.port': '&p 1', 'streams.front.qos.depth': '*p' }),
      /^r\.yaml:10: streams\.front\.qos\.depth: ROS parameter files know no aliases \(\*name\); write the value out$/,
    ],
    ['a line without a value', fileWith({ autostart: '' }), /^r\.yaml:9: autostart: has no value; write one, or remove the line$/],
    [
      'a list of lists',
      fileWith({ 'backends.gpu.no_corun': '[[a]]' }),
      /^r\.yaml:9: backends\.gpu\.no_corun: a list holds plain values only$/,
    ],
    ['a key that is no name', fileWith({ 'metrics..port': '1' }), /^r\.yaml:9: metrics\.\.port: expected a name of letters/],
    ['a key of the language', fileWith({ __proto__x: '1', ['__proto__']: '1' }), /^r\.yaml:9: __proto__/],
    [
      'parameters outside their block',
      'governor:\n  autostart: true\n',
      /^r\.yaml:2: governor\.autostart: expected "<node name>:" and below it "ros__parameters:" with the parameters$/,
    ],
    [
      'a block without a node',
      'ros__parameters:\n  autostart: true\n',
      /^r\.yaml:1: expected a node name above "ros__parameters:", for instance "governor:"$/,
    ],
    ['a file that is a list', '- a\n', /^r\.yaml: expected "<node name>:" and below it/],
    [
      'a misspelt block',
      'governor:\n  ros_parameters:\n    a: 1\n',
      /^r\.yaml:2: governor\.ros_parameters: no such key; did you mean ros__parameters\?$/,
    ],
    ['an empty block', 'governor:\n  ros__parameters:\n', /^r\.yaml:2: expected parameters, one "name: value" a line$/],
    ['two documents', `${fileWith({})}\n---\na: 1\n`, /^r\.yaml:\d+: not valid YAML: /],
    ['a group deeper than any', `governor:\n  ros__parameters:\n    ${'a.'.repeat(17)}b: {c: 1}\n`, /nested more than 16 deep/],
    ['namespaces without end', `${'{a: '.repeat(20)}1${'}'.repeat(20)}`, /expected "<node name>:"/],
  ])('%s', (_, text, expected) => {
    expect(problemsIn(text)[0]).toMatch(expected);
  });

  test.each([
    ['brackets', `governor:\n  ros__parameters:\n    a: ${'['.repeat(200_000)}`],
    ['brackets over lines', `governor:\n  ros__parameters: ${'{a:\n'.repeat(40)}`],
    ['list marks', `governor:\n  ros__parameters:\n    a: ${'- '.repeat(100_000)}`],
    ['key marks', `governor:\n  ros__parameters:\n    ${'? '.repeat(100_000)}`],
  ])('%s nested beyond any stack', (_, text) => {
    expect(problemsIn(text)).toEqual([expect.stringMatching(/^r\.yaml:\d+: nested more than 32 deep$/)]);
  });

  test('brackets that are closed again do not add up', () => {
    expect(
      problemsIn(
        fileWith({
          'models.detector.output.decoder': 'centerface',
          'models.detector.output.labels': `[a${', "[{"'.repeat(100)}]`,
          metrics: '{}',
        }),
      ),
    ).toEqual([]);
    expect(problemsIn(fileWith(Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`streams.s${index}`, '{}']))))).toEqual([]);
  });

  test('a text without end', () => {
    expect(problemsIn('x'.repeat(262_145))).toEqual(['r.yaml: is 262145 characters long; expected at most 262144']);
  });

  test('a long value and a long key are cut in the message', () => {
    const [problem = ''] = problemsIn(fileWith({ ['x'.repeat(5000)]: `"${'y'.repeat(5000)}"` }));
    expect(problem.length).toBeLessThan(500);
  });

  test('thousands of problems make a message of readable length', () => {
    const run = () => configureText(fileWith(Object.fromEntries(Array.from({ length: 3000 }, (_, index) => [`wrong_${index}`, '1']))));
    expect(problemsOf(run)).toHaveLength(3000);
    expect(run).toThrow(/… and 2950 more$/);
  });
});

test('an empty group is as if it were not there', () => {
  expect(configureText(fileWith({ metrics: '{}' })).parameters).toEqual(configureText(fileWith({})).parameters);
});
