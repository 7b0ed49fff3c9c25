import { expect, test } from 'vitest';
import { parseValue } from '../../src/config/parameter-file.js';
import { formatProblem } from '../../src/config/problem.js';

/** As rcl_yaml_param_parser reads them. */
const READ: readonly (readonly [yaml: string, value: unknown])[] = [
  ['true', true],
  ['True', true],
  ['yes', true],
  ['y', true],
  ['on', true],
  ['ON', true],
  ['false', false],
  ['No', false],
  ['n', false],
  ['off', false],
  ['0', 0],
  ['-12', -12],
  ['+12', 12],
  ['0x1F', 31],
  ['-0x1F', -31],
  ['010', 8],
  ['08', 8],
  ['1.0', 1],
  ['.5', 0.5],
  ['1e3', 1000],
  ['-1.5e-2', -0.015],
  ['.inf', Infinity],
  ['-.inf', -Infinity],
  ['.nan', Number.NaN],
  ['inf', Infinity],
  ['nan', Number.NaN],
  ['text', 'text'],
  ['"1"', '1'],
  ["'true'", 'true'],
  ['!!str 5', '5'],
  ['null', 'null'],
  ['~', '~'],
  ['1_000', '1_000'],
  ['2024-01-01', '2024-01-01'],
  ['1:30', '1:30'],
  ['tRUE', 'tRUE'],
  ['0x', '0x'],
  ['[1, 2.5]', [1, 2.5]],
  ['[a, "1"]', ['a', '1']],
  ['[]', []],
];

test.each(READ)('%s', (yaml, value) => {
  const { settings, problems } = parseValue('x', yaml, { source: '-p x' });
  expect(problems).toEqual([]);
  expect(settings).toEqual([{ path: ['x'], value, place: { source: '-p x' } }]);
});

test.each([
  ['', '-p x: x: has no value; write one, or remove the line'],
  ['[[1]]', '-p x: x: a list holds plain values only'],
  ['[{a: 1}]', '-p x: x: a list holds plain values only'],
])('%s is no value', (yaml, text) => {
  expect(parseValue('x', yaml, { source: '-p x' }).problems.map(formatProblem)).toEqual([text]);
});
