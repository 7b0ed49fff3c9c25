import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { FIELDS } from '../../src/config/fields.js';
import { flattenParameters } from '../../src/config/flatten.js';
import { ConfigurationError } from '../../src/config/problem.js';
import { parseRosArguments } from '../../src/config/ros-arguments.js';
import { anyTree } from '../support/any-tree.js';
import { configureText, fileWith } from './configure.js';

/** Whole runs of the loader: more time than a unit test has by default, for a machine that is busy. */
vi.setConfig({ testTimeout: 60_000 });

/** Either a configuration or the one error, whatever comes in. */
function outcomeOf(run: () => unknown): 'right' | 'refused' {
  try {
    run();
    return 'right';
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    expect(error.problems.length).toBeGreaterThan(0);
    expect(error.message).not.toBe('');
    return 'refused';
  }
}

const names = ['gpu', 'detector', 'full', 'front', '__proto__', 'constructor', 'hasOwnProperty', 'A', '1', 'a|b', 'x.y', ''];
const keys = fc.oneof(
  fc.constantFrom(...FIELDS.flatMap(({ path }) => path)),
  fc.constantFrom(...names),
  fc.constantFrom(...FIELDS.map(({ path }) => path.map((key) => (key === '*' ? 'gpu' : key)).join('.'))),
  fc.string({ maxLength: 12 }),
);
const scalars = fc.oneof(
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom('latest', 'fifo', 'gpu|gpu', '/a', 'FP32'),
  fc.string(),
);
const tree = anyTree(keys, scalars);

test('any tree of parameters', () => {
  fc.assert(
    fc.property(tree, (parameters) => {
      outcomeOf(() => configureText(JSON.stringify({ governor: { ros__parameters: parameters } })));
    }),
    { numRuns: 200 },
  );
});

test('any text', () => {
  const text = fc.array(
    fc.constantFrom(
      'governor',
      'ros__parameters',
      ':',
      ': ',
      '\n',
      '  ',
      '- ',
      '[',
      ']',
      '{',
      '}',
      '&a ',
      '*a',
      '!!str ',
      '"',
      "'",
      '|\n',
      '#',
      '---\n',
      '%',
      '\0',
      '<<',
      ',',
    ),
  );
  fc.assert(
    fc.property(text, (parts) => {
      outcomeOf(() => configureText(parts.join('')));
    }),
    { numRuns: 200 },
  );
});

test('any value for any parameter: refused, or of the declared kind', () => {
  const name = fc.constantFrom(...FIELDS.map(({ path }) => path)).map((path) => {
    const chosen: Record<string, string> = { backends: 'gpu', models: 'detector', variants: 'full', streams: 'front' };
    return path.map((key, depth) => (key === '*' ? (chosen[path[depth - 1] ?? ''] ?? '') : key)).join('.');
  });
  const value = fc.oneof(scalars, fc.array(scalars, { maxLength: 4 })).map((raw) => JSON.stringify(raw));
  fc.assert(
    fc.property(name, value, (key, yaml) => {
      outcomeOf(() => {
        const flat = flattenParameters(configureText(fileWith({ [key]: yaml })).parameters);
        expect(flat.map((parameter) => parameter.name)).toContain(key);
      });
    }),
    { numRuns: 200 },
  );
});

test('any arguments', () => {
  const argument = fc.oneof(
    fc.constantFrom('--ros-args', '--', '-p', '-r', '--params-file', 'a:=1', '__ns:=/a', '__node:=b', ':=', 'n:k:=v'),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(argument), (argv) => {
      outcomeOf(() => parseRosArguments(argv));
    }),
  );
});
