import { describe, expect, test } from 'vitest';
import { FIELDS } from '../../src/config/fields.js';
import { configure, fileWith, problemsWith } from './configure.js';
import { CASES } from './parameter-cases.js';

const CHOSEN: Readonly<Record<string, string>> = { backends: 'gpu', models: 'detector', variants: 'full', streams: 'front' };

/** The name of the schema's `streams.*.topic` in the smallest configuration. */
function nameOf(path: readonly string[]): string {
  return path.map((key, depth) => (key === '*' ? (CHOSEN[path[depth - 1] ?? ''] ?? '') : key)).join('.');
}

function valueAt(root: unknown, name: string): unknown {
  return name
    .split('.')
    .reduce<unknown>((node, key) => (node instanceof Object ? Object.entries(node).find(([own]) => own === key)?.[1] : undefined), root);
}

test('every parameter has its case', () => {
  expect(Object.keys(CASES)).toEqual(FIELDS.map(({ path }) => nameOf(path)));
});

describe.each(Object.entries(CASES))('%s', (name, { accepts, refuses, otherwise, beside }) => {
  test.each(accepts)('accepts %s', (yaml, value) => {
    expect(valueAt(configure({ ...beside, [name]: yaml }), name)).toEqual(value);
  });

  test.each(refuses)('refuses %s, naming file, line and key', (yaml) => {
    const changes = { ...beside, [name]: yaml };
    const line =
      fileWith(changes)
        .split('\n')
        .findIndex((text) => text.trimStart().startsWith(`${name}:`)) + 1;
    const problems = problemsWith(changes);
    expect(problems).not.toEqual([]);
    for (const problem of problems) expect(problem).toMatch(new RegExp(`^r\\.yaml:${line}: ${name.replaceAll('.', '\\.')}\\b.*: .+`));
    expect(problems[0]).toMatch(/expected|must be|no such/);
  });

  test(otherwise === undefined ? 'has to be given' : `is ${JSON.stringify(otherwise.value)} when left out`, () => {
    if (otherwise !== undefined) expect(valueAt(configure(otherwise.beside ?? beside), name)).toEqual(otherwise.value);
    else expect(problemsWith({ ...beside, [name]: undefined }).join('\n')).toContain(`${name}: is missing; expected`);
  });
});
