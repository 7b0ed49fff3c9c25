import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { ConfigurationError } from '../../src/config/problem.js';
import { EVENT_SCHEMAS } from '../../src/decide/event-schema.js';
import { EXPECTATION_SCHEMAS } from '../../src/decide/expectation-schema.js';
import { runScript } from '../../src/decide/run-script.js';
import { parseScript } from '../../src/decide/script-file.js';
import { anyTree } from '../support/any-tree.js';

/** Whole runs of reader and core: more time than a unit test has by default, for a machine that is busy. */
vi.setConfig({ testTimeout: 60_000 });

const STREAM = { contract: { max_age_ms: 20, period_ms: 10 }, variants: { only: { p50_ms: 5, p99_ms: 5 } } };

/** A script or the one error, whatever comes in; and a script runs to its end. */
function outcomeOf(text: string): 'ran' | 'refused' {
  try {
    runScript(parseScript(text, 'fuzz'));
    return 'ran';
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    expect(error.problems.length).toBeGreaterThan(0);
    return 'refused';
  }
}

const KEYS = [
  ...['scheduling', 'learning', 'overload', 'backend', 'backends', 'models', 'streams', 'events', 'expect', 'never'],
  ...['slots', 'contract', 'variants', 'only', 'a', 'p50_ms', 'max_age_ms', 'at_ms', 'before_ms', 'id', 'capture_ms', 'runtime_ms'],
  ...['repeat', 'times', 'every_ms', 'result', 'cause', 'by', 'state', 'variant', 'value', 'p90_ms', 'profile', 'model'],
  ...Object.keys(EVENT_SCHEMAS),
  ...Object.keys(EXPECTATION_SCHEMAS),
  ...['__proto__', 'constructor', '', '1', 'x.y'],
];
const keys = fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...KEYS) }, { weight: 1, arbitrary: fc.string({ maxLength: 8 }) });
const scalars = fc.oneof(
  fc.constantFrom('a', 'a.1', 'only', 'ok', 'true', true, 0, 1, 5, 10, -1, 0.5, null),
  fc.integer(),
  fc.double(),
  fc.string(),
);
const tree = anyTree(keys, scalars);

test('any tree', () => {
  fc.assert(
    fc.property(tree, (script) => {
      outcomeOf(JSON.stringify(script));
    }),
    { numRuns: 300 },
  );
});

test('any tree in any section of a right script', () => {
  fc.assert(
    fc.property(fc.constantFrom('backend', 'streams', 'learning', 'overload', 'events', 'expect', 'never'), tree, (section, value) => {
      outcomeOf(
        JSON.stringify({ backend: { slots: 1 }, streams: { a: STREAM }, events: [{ at_ms: 0, arrive: 'a', id: 'a' }], [section]: value }),
      );
    }),
    { numRuns: 300 },
  );
});

test('any text', () => {
  const parts = [
    'backend',
    'streams',
    'events',
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
    '|\n',
    '#',
    '---\n',
    '\0',
    '<<',
    ',',
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...parts)), (text) => {
      outcomeOf(text.join(''));
    }),
    { numRuns: 300 },
  );
});

const ms = fc.integer({ min: 0, max: 60_000 }).map((us) => us / 1000);
const id = fc.constantFrom('r.1', 'r.2', 's.1', 's.3', 'late.1');
const events = fc.array(
  fc.oneof(
    fc.record({ complete: id, result: fc.constantFrom('ok', 'failed', 'not_counted', 'not_started', 'unknown') }),
    fc.record({ timeout: id }),
    fc.record({ cancel: id }),
    fc.record({ ready: fc.record({ variant: fc.constant('only'), value: fc.boolean() }) }),
    fc.constantFrom({ tick: true }, { drain: true }, { drain_limit: true }, { resume: true }),
  ),
  { maxLength: 12 },
);

test('right scripts run to their end, and account for every request', () => {
  const arrivals = (name: string, every: number, runtime: number | undefined) => ({
    at_ms: 0,
    arrive: 'a',
    id: name,
    ...(runtime === undefined ? {} : { runtime_ms: runtime }),
    repeat: { times: 5, every_ms: every },
  });
  const runtime = fc.option(
    fc.integer({ min: 1, max: 60_000 }).map((us) => us / 1000),
    { nil: undefined },
  );
  fc.assert(
    fc.property(
      events,
      fc.array(ms, { minLength: 12, maxLength: 12 }),
      ms,
      runtime,
      runtime,
      fc.nat(2),
      (lines, instants, every, one, other, depth) => {
        const at = instants.toSorted((a, b) => a - b);
        const script = {
          backend: { slots: 1, pipelining_depth: depth },
          streams: { a: STREAM },
          events: [
            ...['r', 's'].map((name, i) => arrivals(name, every, i === 0 ? one : other)),
            ...lines.map((line, i) => ({ at_ms: at[i], ...line })),
            arrivals('late', 1, one),
          ].map((line, i, all) => (i === all.length - 1 ? { ...line, at_ms: 100 } : line)),
        };
        const { summary, lines: told } = runScript(parseScript(JSON.stringify(script), 'fuzz'));
        const ended = Object.values(summary.outcomes).reduce((sum, count) => sum + count, 0);
        expect(summary.received).toBe(15);
        expect(summary.waiting + summary.in_flight + ended).toBe(15);
        const instantsTold = told.map(({ line }) => line.at_ms);
        expect(instantsTold).toEqual(instantsTold.toSorted((a, b) => a - b));
      },
    ),
    { numRuns: 300 },
  );
});
