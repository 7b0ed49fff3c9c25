import { describe, expect, test } from 'vitest';
import { listing } from '../../src/decide/listing.js';
import { runScript } from '../../src/decide/run-script.js';
import { parseScript } from '../../src/decide/script-file.js';

const HEAD = `backend: {slots: 1}
streams:
  a: {queue: {policy: fifo}, contract: {max_age_ms: 100}, variants: {only: {quality: 1, p50_ms: 10, p99_ms: 10}}}
events:
`;
const TWO = `${HEAD}  - {at_ms: 0, arrive: a, id: one, runtime_ms: 10}
  - {at_ms: 4, arrive: a, id: two, runtime_ms: 10}
`;

const run = (text: string) => runScript(parseScript(text, 's.yaml'));
const differencesOf = (...lines: string[]) => run(`${TWO}${lines.join('\n')}\n`).differences;
/** `10 dispatch two`, without wake-ups. */
const told = (text: string) =>
  run(text).lines.flatMap(({ line }) => (line.action === 'wake' ? [] : [`${line.at_ms} ${line.action} ${line.id ?? line['value']}`]));

test('events that mean nothing are told, and change nothing', () => {
  const text = `${HEAD}  - {at_ms: 0, complete: one}
  - {at_ms: 0, cancel: one}
  - {at_ms: 1, arrive: a, id: one}
  - {at_ms: 1, arrive: a, id: two}
  - {at_ms: 2, timeout: two}
  - {at_ms: 3, timeout: one}
  - {at_ms: 4, timeout: one}
  - {at_ms: 5, complete: one}
  - {at_ms: 6, complete: one}
  - {at_ms: 7, cancel: two}
  - {at_ms: 8, complete: two}
`;
  const ignored = run(text).lines.flatMap(({ line, words }) =>
    line.action === 'ignored' ? [`${line.at_ms} ${line.id} ${line['event']}: ${words}`] : [],
  );
  expect(ignored).toEqual([
    '0 one complete: it has not arrived yet',
    '0 one cancel: it has not arrived yet',
    '2 two timeout: it still waits',
    '4 one timeout: it has its outcome already',
    '6 one complete: its call has returned already',
    '7 two cancel: it has its outcome already',
    '8 two complete: it ended without being sent',
  ]);
});

describe('the output', () => {
  test('is one object a decision, in milliseconds and names of the script, and a summary', () => {
    const { lines, summary } = run(TWO);
    expect(lines.map(({ line }) => line)).toEqual([
      {
        at_ms: 0,
        id: 'one',
        action: 'dispatch',
        stream: 'a',
        backend: 'default',
        model: 'a',
        variant: 'only',
        backend_model: 'a_only',
        why: { slack_ms: 100, optimistic_ms: 10, planned_ms: 10, start_ms: 0 },
      },
      { at_ms: 4, action: 'wake', wake_ms: 94.001 },
      expect.objectContaining({
        at_ms: 10,
        id: 'one',
        action: 'outcome',
        state: 'delivered',
        cause: 'delivered',
        age_ms: 10,
        deadline_missed: false,
      }),
      expect.objectContaining({ at_ms: 10, id: 'two', action: 'dispatch' }),
      expect.objectContaining({ at_ms: 20, id: 'two', action: 'outcome' }),
    ]);
    expect(summary).toEqual({
      action: 'summary',
      at_ms: 20,
      received: 2,
      waiting: 0,
      in_flight: 0,
      held: 0,
      outcomes: { 'delivered/delivered': 2 },
      expected: 0,
      differences: [],
    });
  });

  test('names the request that was followed, and the one that took a place', () => {
    const depth = TWO.replace('slots: 1', 'slots: 1, pipelining_depth: 1, pipelining_lead_ms: 3');
    expect(run(depth).lines.find(({ line }) => line.id === 'two')?.line['why']).toMatchObject({ follows: 'one', start_ms: 10 });
    const latest = `${TWO.replace('policy: fifo', 'policy: latest')}  - {at_ms: 5, arrive: a, id: three, runtime_ms: 10}\n`;
    expect(run(latest).lines.find(({ line }) => line.id === 'two')?.line['why']).toMatchObject({ superseded_by: 'three' });
  });

  test('for people has columns, and why in words', () => {
    const text = listing(run(`${TWO}expect:\n  - {dispatch: one}\n`));
    expect(text.split('\n').slice(0, 4)).toEqual([
      'ms  request  decision  what                 why',
      ' 0  one      dispatch  a on default: only   starts at once; 100.0 ms before max_age, needs at least 10.0 ms, planned 10.0 ms',
      ' 4           wake      at 94.001',
      '10  one      outcome   delivered/delivered  The result was at most max_age old when it came.',
    ]);
    expect(text).toContain('2 requests: 2 delivered/delivered; 1 of 1 expectations met');
  });

  test('says of a better variant why it was not taken', () => {
    const two = `
backend: {slots: 1}
scheduling: {policy: ordered}
models:
  det:
    variants:
      large: {quality: 1, quality_source: measured, p50_ms: 20, p99_ms: 20}
      small: {quality: 0.5, quality_source: measured, p50_ms: 5, p99_ms: 5}
streams:
  a: {model: det, class: high, contract: {deadline_ms: 30, max_age_ms: 100}}
events:
  - {at_ms: 20, arrive: a, id: one, capture_ms: 0, runtime_ms: 5}
`;
    const ran = run(two);
    expect(ran.lines.find(({ line }) => line.action === 'dispatch')?.line).toMatchObject({
      variant: 'small',
      why: { passed_over: 'large', passed_over_for: 'deadline', passed_over_planned_ms: expect.any(Number) },
    });
    expect(listing(ran)).toMatch(/a on default: small .*; not on large, planned \d+\.\d ms: it would miss the deadline/);
  });
});

describe('time', () => {
  test('a runtime counts from the start; behind another call from the end of that', () => {
    const depth = TWO.replace('slots: 1', 'slots: 1, pipelining_depth: 1, pipelining_lead_ms: 3').replace(
      'id: one, runtime_ms: 10',
      'id: one, runtime_ms: 15',
    );
    expect(told(depth)).toEqual(['0 dispatch one', '7 dispatch two', '15 outcome one', '25 outcome two']);
  });

  test('a `complete` ends a call before its runtime does', () => {
    expect(told(`${TWO}  - {at_ms: 6, complete: one}\n`)).toEqual(['0 dispatch one', '6 outcome one', '6 dispatch two', '16 outcome two']);
  });

  test('a call that returned with unknown fate ends no second time, and frees nobody', () => {
    expect(told(`${TWO}  - {at_ms: 6, complete: one, result: unknown}\n`)).toEqual([
      '0 dispatch one',
      '6 outcome one',
      '6 poll undefined',
      '6 outcome two',
      '6 held 1',
      '6 ready false',
    ]);
  });

  test('what nobody ends stays in flight; the run ends all the same', () => {
    const { summary } = run(`${HEAD}  - {at_ms: 0, arrive: a, id: one}\n`);
    expect(summary).toMatchObject({ at_ms: 0, in_flight: 1, outcomes: {} });
  });

  test('a repetition takes its place among the lines by time', () => {
    const text = `${HEAD}  - {at_ms: 0, arrive: a, id: r, runtime_ms: 1, repeat: {times: 2, every_ms: 10}}\n  - {at_ms: 5, arrive: a, id: between, runtime_ms: 1}\n`;
    expect(told(text).filter((line) => line.includes('dispatch'))).toEqual(['0 dispatch r.1', '5 dispatch between', '10 dispatch r.2']);
  });
});

describe('what a script expects', () => {
  test('is met by lines that have at least what it says', () => {
    expect(
      differencesOf(
        'expect:',
        '  - {dispatch: one}',
        '  - {at_ms: 10, outcome: one, state: delivered}',
        '  - {dispatch: two, variant: only}',
      ),
    ).toEqual([]);
  });

  test.each([
    [
      'an instant',
      '{at_ms: 9.999, dispatch: two}',
      's.yaml:8: expected {at_ms: 9.999, dispatch: two}; there is 10 dispatch only, 20 outcome delivered/delivered',
    ],
    [
      'a cause',
      '{outcome: one, cause: obsolete}',
      's.yaml:8: expected {outcome: one, cause: obsolete}; there is 0 dispatch only, 10 outcome delivered/delivered',
    ],
    [
      'what never happened',
      '{late_answer: one}',
      's.yaml:8: expected {late_answer: one}; there is 0 dispatch only, 10 outcome delivered/delivered',
    ],
    ['a count', '{at_ms: 7, held: 1}', 's.yaml:8: expected {at_ms: 7, held: 1}; there is 0 from 0 on'],
    ['a level', '{level: 1}', 's.yaml:8: expected {level: 1}; there is 0 from 0 on'],
    ['a violation', '{violation: a}', 's.yaml:8: expected {violation: a}; nothing of it happened'],
    ['an error', '{error: backend.slots}', 's.yaml:8: expected {error: backend.slots}; nothing of it happened'],
  ])('differs by %s, and says what there is', (_, line, difference) => {
    expect(differencesOf('expect:', `  - ${line}`)).toEqual([difference]);
  });

  test('of one request is met in the order in which it stands', () => {
    expect(differencesOf('expect:', '  - {outcome: one}', '  - {dispatch: one}')).toEqual([
      's.yaml:9: expected {dispatch: one}, which came before what stands above it; there is 0 dispatch only, 10 outcome delivered/delivered',
    ]);
    expect(differencesOf('expect:', '  - {outcome: two}', '  - {dispatch: one}')).toEqual([]);
  });

  test('differs by a variant', () => {
    const two = TWO.replace('variants: {', 'variants: {large: {quality: 0.5, p50_ms: 10, p99_ms: 10}, ').replace(
      'fifo}',
      'fifo, capacity: 2}',
    );
    const expecting = (variant: string) => run(`${two}expect:\n  - {dispatch: two, variant: ${variant}}\n`).differences;
    expect(expecting('large')).toEqual([]);
    expect(expecting('only')).toEqual([
      's.yaml:8: expected {dispatch: two, variant: only}; there is 10 dispatch large, 20 outcome delivered/delivered',
    ]);
  });

  test('one line meets one expectation', () => {
    expect(differencesOf('expect:', '  - {dispatch: one}', '  - {dispatch: one}')).toHaveLength(1);
  });

  test('of a condition holds from one change to the next, and while the events of an instant are handled', () => {
    const hanging = `${TWO}  - {at_ms: 6, timeout: one}\n  - {at_ms: 8, complete: one}\n`;
    const expecting = (line: string) => run(`${hanging}expect:\n  - ${line}\n`).differences.length;
    expect([expecting('{at_ms: 5.999, held: 0}'), expecting('{at_ms: 6, held: 1}'), expecting('{at_ms: 7, held: 1}')]).toEqual([0, 0, 0]);
    expect([expecting('{at_ms: 8, held: 0}'), expecting('{at_ms: 9, held: 0}'), expecting('{held: 1}')]).toEqual([0, 0, 0]);
    expect([expecting('{at_ms: 7, held: 0}'), expecting('{at_ms: 9, held: 1}'), expecting('{held: 2}')]).toEqual([1, 1, 1]);
    expect([expecting('{at_ms: 7, ready: false}'), expecting('{at_ms: 9, ready: true}'), expecting('{at_ms: 7, ready: true}')]).toEqual([
      0, 0, 1,
    ]);
  });

  test('never', () => {
    expect(differencesOf('never:', '  - {dispatch: two}')).toEqual(['s.yaml:8: never {dispatch: two}; there is 10 dispatch only']);
    expect(differencesOf('never:', '  - {dispatch: two, before_ms: 10}')).toEqual([]);
    expect(differencesOf('never:', '  - {dispatch: two, before_ms: 10.001}')).toHaveLength(1);
    expect(differencesOf('never:', '  - {ready: true}')).toEqual(['s.yaml:8: never {ready: true}; it is so from 0 on']);
  });
});

test('the same script gives the same bytes', () => {
  const bytes = () => JSON.stringify(run(TWO));
  expect(bytes()).toBe(bytes());
});
