import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { exampleFile } from '../../src/config/example.js';
import { FIELDS } from '../../src/config/fields.js';
import { loadConfiguration } from '../../src/config/load.js';
import { referenceDocument } from '../../src/config/reference.js';
import { configureText } from './configure.js';

const EXAMPLE = 'config/governor.yaml';

test.each([
  [EXAMPLE, exampleFile],
  ['docs/parameters.md', referenceDocument],
])('%s is up to date (npm run docs)', (file, generate) => {
  expect(readFileSync(file, 'utf8')).toBe(generate());
});

test('the example loads', () => {
  const { parameters } = loadConfiguration({ files: [EXAMPLE] });
  expect(Object.keys(parameters.streams)).toEqual(['rear', 'front']);
});

/** The example with what stands there as a comment put in force. */
const uncommented = exampleFile().replaceAll(/^( *)# ([a-z0-9_]+:( [^ ]+)?)$/gm, '$1$2');

test('the example loads with every parameter it shows put in force', () => {
  const { parameters } = configureText(uncommented);
  const { front: _, ...streams } = parameters.streams;
  const shown = FIELDS.filter(({ path }) => everyValueAt({ ...parameters, streams }, path).length === 1);
  expect(shown).toEqual(FIELDS);
});

test('what the example shows as a comment is the default', () => {
  const plain = configureText(exampleFile()).parameters;
  const full = configureText(uncommented).parameters;
  for (const { path, default: value } of FIELDS.filter((field) => field.default !== undefined)) {
    const given = everyValueAt(plain, path); // nothing where its whole group is left out
    expect({ path, values: everyValueAt(full, path) }).toEqual({ path, values: given.length === 0 ? [value] : given });
  }
});

function everyValueAt(node: unknown, path: readonly string[]): unknown[] {
  const [key, ...rest] = path;
  if (key === undefined) return [node];
  if (typeof node !== 'object' || node === null) return [];
  const chosen = Object.entries(node).filter(([name]) => key === '*' || name === key);
  return chosen.flatMap(([, child]) => everyValueAt(child, rest));
}

test('the reference has a row for every parameter and no other', () => {
  const rows = [...referenceDocument().matchAll(/^\| `([^`]+)` \| ([^|]+) \|/gm)].map(([, name, type]) => `${name} ${type}`);
  const types = {
    bool: 'bool',
    integer: 'int',
    double: 'double',
    string: 'string',
    string_array: 'string[]',
    double_array: 'double[]',
    integer_array: 'int[]',
  };
  const expected = FIELDS.map(({ path, kind }) => {
    const own = path[1] === '*' ? path.slice(2) : path;
    return `${own.join('.').replace('*', '<variant>')} ${types[kind]}`;
  });
  expect(rows).toEqual(expected);
});

test('every parameter says what it does', () => {
  for (const { path, description } of FIELDS)
    expect({ path, description }).toEqual({ path, description: expect.stringMatching(/^[A-Za-z0-9].{15,}\.$/s) });
});

test('every number has a range and every duration a unit in its name', () => {
  const numbers = FIELDS.filter(({ kind }) => kind === 'integer' || kind.startsWith('double'));
  expect(numbers.filter(({ range }) => range === undefined)).toEqual([]);
  for (const { path, unit } of FIELDS) {
    const named = /_(ms|us|bytes)$/.exec(path.at(-1) ?? '')?.[1];
    if (named !== undefined || unit === 'ms' || unit === 'us') expect({ path, unit }).toEqual({ path, unit: named });
  }
});
