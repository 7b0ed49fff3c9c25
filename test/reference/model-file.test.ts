import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { ConfigurationError } from '../../src/config/problem.js';
import { DEMO_MODELS, loadModels, parseModels } from '../../src/reference/model-file.js';

const GOOD = `models:
  detector:
    behaviour: constant
    inputs:
      - {name: IN, datatype: FP32, shape: [1, H]}
    outputs:
      - {name: OUT, datatype: FP32, shape: [H/4]}
`;

/** The file with one place changed. */
const changed = (from: string, to: string) => GOOD.replace(from, to);
const ECHO = changed('constant', 'echo').replace('[H/4]', '[1, H]');

/** What is wrong, the file, and how the error must begin. */
const REFUSED: readonly (readonly [string, string, string])[] = [
  ['no YAML', 'models: {', 'm.yaml:1: not valid YAML'],
  ['an empty file', '', 'm.yaml: expected "models:" and below it models by name'],
  ['no models', '{}', 'm.yaml: models: is missing; expected models by name'],
  [
    'an unknown key',
    changed('behaviour', 'behavior'),
    'm.yaml:3: models.detector.behavior is "constant": no such key; did you mean behaviour?',
  ],
  ['another behaviour', changed('constant', 'random'), 'm.yaml:3: models.detector.behaviour is "random": expected echo or constant'],
  ['no instance', `${GOOD}    instances: 0\n`, 'm.yaml:8: models.detector.instances is 0: expected a whole number from 1 to 64'],
  [
    'an endless queue',
    `${GOOD}    max_queue_size: 0\n`,
    'm.yaml:8: models.detector.max_queue_size is 0: expected a whole number from 1 to 10000',
  ],
  [
    'a fraction for an integer',
    `${GOOD}    version: 1.5\n`,
    'm.yaml:8: models.detector.version is 1.5: expected a whole number from 1 to 1000000',
  ],
  [
    'a negative runtime',
    `${GOOD}    runtime: {fixed_ms: -1}\n`,
    'm.yaml:8: models.detector.runtime.fixed_ms is -1: expected a number from 0 to 600000 (ms)',
  ],
  [
    'a runtime of another form',
    `${GOOD}    runtime: {ms: 1}\n`,
    'm.yaml:8: models.detector.runtime: expected {fixed_ms: …} or {p50_ms: …, p99_ms: …, seed: …}, in milliseconds',
  ],
  [
    'p99 below p50',
    `${GOOD}    runtime: {p50_ms: 2, p99_ms: 1}\n`,
    'm.yaml:8: models.detector.runtime.p99_ms is 1: expected at least p50_ms',
  ],
  [
    'a delay without batches',
    `${GOOD}    max_queue_delay_ms: 5\n`,
    'm.yaml:8: models.detector.max_queue_delay_ms is 5: has no effect without max_batch_size',
  ],
  [
    'several answers of a model that is not decoupled',
    `${GOOD}    responses: 2\n`,
    'm.yaml:8: models.detector.responses is 2: only a decoupled model has several',
  ],
  ['an unknown datatype', changed('FP32', 'FLOAT'), 'm.yaml:5: models.detector.inputs[0].datatype is "FLOAT": expected one of BOOL, '],
  [
    'a dimension of no size',
    changed('[1, H]', '[0, H]'),
    'm.yaml:5: models.detector.inputs[0].shape[0] is 0: expected a whole number from 1 to 1048576, or a name',
  ],
  [
    'a division in an input',
    changed('[1, H]', '[1, H/2]'),
    'm.yaml:5: models.detector.inputs[0].shape[1] is "H/2": expected a whole number from 1 to 1048576, or a name',
  ],
  [
    'an output dimension of no input',
    changed('H/4', 'W/4'),
    'm.yaml:7: models.detector.outputs[0].shape: "W/4" is not a dimension of an input (H)',
  ],
  [
    'an input name twice',
    GOOD.replace('    outputs', '      - {name: IN, datatype: FP32, shape: [1]}\n    outputs'),
    'm.yaml:6: models.detector.inputs[1].name is "IN": expected a name of its own',
  ],
  ['a text as fill of numbers', changed('[H/4]', '[H/4], fill: big'), 'm.yaml:7: models.detector.outputs[0].fill is '],
  [
    'a number as fill of text',
    changed('OUT, datatype: FP32, shape: [H/4]', 'OUT, datatype: BYTES, shape: [H/4], fill: 1'),
    'm.yaml:7: models.detector.outputs[0].fill is ',
  ],
  [
    'a fraction as fill of integers',
    changed('OUT, datatype: FP32, shape: [H/4]', 'OUT, datatype: INT8, shape: [H/4], fill: 0.5'),
    'm.yaml:7: models.detector.outputs[0].fill is ',
  ],
  [
    'a fill that FP16 cannot be given',
    changed('OUT, datatype: FP32, shape: [H/4]', 'OUT, datatype: FP16, shape: [H/4], fill: 1'),
    'm.yaml:7: models.detector.outputs[0].fill is ',
  ],
  [
    'an echo of another shape',
    ECHO.replace('OUT, datatype: FP32, shape: [1, H]', 'OUT, datatype: FP32, shape: [H]'),
    'm.yaml:7: models.detector.outputs[0]: ',
  ],
  [
    'an echo with a fill',
    ECHO.replace('OUT, datatype: FP32, shape: [1, H]', 'OUT, datatype: FP32, shape: [1, H], fill: 0'),
    'm.yaml:7: models.detector.outputs[0]: ',
  ],
];

test('what is left out has its default', () => {
  expect(parseModels(GOOD, 'm.yaml')).toEqual([
    {
      name: 'detector',
      version: '1',
      instances: 1,
      maxQueueSize: 100,
      decoupled: false,
      responses: 1,
      runtime: { kind: 'fixed', fixedMs: 0 },
      behaviour: 'constant',
      inputs: [{ name: 'IN', datatype: 'FP32', shape: [1, { name: 'H', divisor: 1 }] }],
      outputs: [{ name: 'OUT', datatype: 'FP32', shape: [{ name: 'H', divisor: 4 }], fill: 0 }],
    },
  ]);
});

test('a model with batches has their dimension before its own', () => {
  const [model] = parseModels(`${GOOD}    max_batch_size: 8\n    max_queue_delay_ms: 2.5\n`, 'm.yaml');
  const batch = { name: 'batch', divisor: 1 };
  expect(model).toMatchObject({
    batching: { maxBatchSize: 8, maxQueueDelayMs: 2.5 },
    inputs: [{ shape: [batch, 1, { name: 'H', divisor: 1 }] }],
    outputs: [{ shape: [batch, { name: 'H', divisor: 4 }] }],
  });
});

test('an echo and anchors are read', () => {
  const text = `${ECHO.replace('detector:', 'detector: &d')}  second: {<<: *d, instances: 2}\n`;
  expect(parseModels(text, 'm.yaml').map(({ name, behaviour, instances }) => [name, behaviour, instances])).toEqual([
    ['detector', 'echo', 1],
    ['second', 'echo', 2],
  ]);
});

/** Words of the library that reads the schema would be none of ours. */
test.each(REFUSED)('%s is refused in our words', (_, text) => {
  expect(messageOf(() => parseModels(text, 'm.yaml'))).not.toMatch(/invalid |too (small|big)|received/i);
});

test('a file of another kind is named for what it is', () => {
  expect(messageOf(() => parseModels('events: []', 'm.yaml'))).toBe(
    'm.yaml: is a decision script, not a file of models for the reference server; it is used by: vig decide m.yaml',
  );
});

test('what is missing is said once', () => {
  expect(messageOf(() => parseModels('models: {a: {}}', 'm.yaml'))).toBe(
    [
      'behaviour: is missing; expected echo or constant',
      'inputs: is missing; expected a list of 1 to 16 inputs',
      'outputs: is missing; expected a list of 1 to 16 outputs',
    ]
      .map((line) => `m.yaml:1: models.a.${line}`)
      .join('\n'),
  );
});

test.each(REFUSED)('%s is refused with file, line and key', (_, text, start) => {
  expect(messageOf(() => parseModels(text, 'm.yaml')).slice(0, start.length)).toBe(start);
});

function messageOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
  }
  return 'it was accepted';
}

test('every problem is named, not only the first', () => {
  const text = changed('constant', 'random').replace('shape: [H/4]', 'shape: [H/4], colour: red');
  expect(() => parseModels(text, 'm.yaml')).toThrow(
    /colour is "red": no such key; expected one of name, datatype, shape, fill, centre\n.*behaviour is "random"/s,
  );
});

test('aliases that grow without measure are refused', () => {
  const bomb = Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(9).fill(`*a${i}`).join(', ')}]`).join('\n');
  expect(() => parseModels(`a0: &a0 [x]\n${bomb}\n`, 'm.yaml')).toThrow('not valid YAML');
});

test('the example of the documentation and the models of the demo load', () => {
  const [, example = ''] = /```yaml\n(.*?)```/s.exec(readFileSync('docs/reference-server.md', 'utf8')) ?? [];
  expect(parseModels(example, 'docs/reference-server.md').map(({ name }) => name)).toEqual(['detector', 'mirror']);
  expect(loadModels(DEMO_MODELS).map(({ name }) => name)).toEqual(['centerface', 'ppocr_det']);
});

describe('a folder', () => {
  let folder: string | undefined;
  const make = (files: Record<string, string>): string => {
    const made = mkdtempSync(join(tmpdir(), 'vig-models-'));
    folder = made;
    for (const [name, text] of Object.entries(files)) writeFileSync(join(made, name), text);
    return made;
  };
  afterEach(() => {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  test('gives the models of all its files', () => {
    const path = make({ 'a.yaml': GOOD, 'b.yml': GOOD.replace('detector', 'other'), 'notes.txt': 'no models' });
    expect(loadModels(path).map(({ name }) => name)).toEqual(['detector', 'other']);
  });

  test('with one name twice is refused', () => {
    const path = make({ 'a.yaml': GOOD, 'b.yaml': GOOD });
    expect(() => loadModels(path)).toThrow(`${join(path, 'b.yaml')}: models.detector: `);
  });

  test('without models is refused', () => {
    const path = make({});
    expect(() => loadModels(path)).toThrow(`${path}: models: expected at least one model`);
  });

  test('that is not there is named', () => {
    expect(() => loadModels('/nowhere/models')).toThrow('/nowhere/models: cannot read the file: ENOENT');
  });
});
