import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TraceError } from '../../src/trace/trace-error.js';
import { verifyTrace } from '../../src/trace/verify.js';
import { POLICIES } from '../core/policies.js';
import { longTrace, scratchFolder, traces, written } from './recorded.js';

describe.each(POLICIES)('$name', (policy) => {
  test('what was recorded of any sequence is decided again, to the byte', async () => {
    let actions = 0;
    for (const lines of traces(policy, 40)) {
      const verified = await verifyTrace(written(lines));
      expect(verified).toMatchObject({ events: lines.length - 1, difference: undefined });
      actions += verified.actions;
    }
    expect(actions).toBeGreaterThan(1000);
  });
});

const LINES = longTrace();

test('a decision that was recorded otherwise is found, and where', async () => {
  const index = LINES.findIndex((line) => line.includes('"type":"dispatch"'));
  const other = LINES.with(index, (LINES[index] ?? '').replace(/"variant":"v\d"/, '"variant":"v9"'));
  const found = await verifyTrace(written(other));
  expect(found.difference?.traced.place).toMatch(new RegExp(`:${index + 1}$`));
  expect(found.events).toBe(index - 1);
});

describe('a file that is no trace', () => {
  const cases: [string, string[], RegExp][] = [
    ['empty', [], /the file is empty/],
    ['of other text', ['hello\n'], /:1: this line is not JSON/],
    [
      'of another version',
      ['{"vig_trace": 99, "part": 0, "configuration": {}}\n'],
      /:1: a trace of version 99; this vig reads versions up to 2\. Use the vig that wrote it, or a newer one/,
    ],
    ['of no version', ['{"part": 0, "configuration": {}}\n'], /:1: vig_trace/],
    ['with an event of no kind', [LINES[0] ?? '', '{"at":1,"event":{"type":"party"}}\n', LINES[1] ?? ''], /:2: event/],
    [
      'with a refusal whose cause is another state',
      [LINES[0] ?? '', '{"at":1,"refused":{"request":1,"stream":"a","state":"stale","cause":"stamp_zero","detail":""}}\n', LINES[1] ?? ''],
      /:2: .*stamp_zero is a cause of invalid/,
    ],
    ['with half an instant', [LINES[0] ?? '', '{"at":1.5,"event":{"type":"tick"}}\n', LINES[1] ?? ''], /:2: at/],
  ];

  test.each(cases)('%s', async (_, lines, message) => {
    await expect(verifyTrace(written(lines))).rejects.toThrow(message);
    await expect(verifyTrace(written(lines))).rejects.toBeInstanceOf(TraceError);
  });

  test('that is not there', async () => {
    await expect(verifyTrace(join(scratchFolder(), 'none'))).rejects.toThrow(/there is no such file/);
  });
});

test('of a node that was killed, the line that was cut off is left out, wherever it was cut', async () => {
  const last = LINES.findLastIndex((line) => line.includes('"actions"'));
  const whole = (LINES[last] ?? '').trimEnd();
  for (let kept = 1; kept <= whole.length; kept += 1) {
    const cut = [...LINES.slice(0, last), whole.slice(0, kept)];
    const events = kept === whole.length ? last : last - 1; // only the line feed is missing
    expect(await verifyTrace(written(cut))).toMatchObject({ events, difference: undefined });
  }
});

test('a trace of an earlier version is run again', async () => {
  const [head = '', ...rest] = LINES;
  const file = written([head.replace('"vig_trace":2', '"vig_trace":1'), ...rest]);
  expect(await verifyTrace(file)).toMatchObject({ events: rest.length, difference: undefined });
});

describe('a trace that was changed is damaged, with file and line', () => {
  const atOf = (line = '') => Number(/^\{"at":(\d+)/.exec(line)?.[1] ?? Number.NaN);
  const failureOf = async (lines: readonly string[]) => {
    const file = written(lines);
    const failure = await verifyTrace(file).catch((error: unknown) => error);
    return failure instanceof TraceError ? { code: failure.code, message: failure.message.replace(file, 'FILE') } : failure;
  };
  const damaged = (message: RegExp) => ({ code: 'malformed', message: expect.stringMatching(message) });

  test('where an arrival, or another line that decided something, stands there twice', async () => {
    const indices = LINES.flatMap((line, index) => (/"type":"(arrival|completion)".*"actions"/.test(line) ? [index] : []));
    expect(indices.length).toBeGreaterThan(20);
    for (const index of indices) {
      const place = `FILE:${index + 2}: the trace is damaged, `;
      const doubled = LINES.toSpliced(index, 0, LINES[index] ?? '');
      expect(await failureOf(doubled)).toEqual(damaged(new RegExp(`^${place}.*(was handed in before|stands there again)`)));
    }
  });

  test('where two lines changed places', async () => {
    let swapped = 0;
    for (const [index, line] of LINES.entries()) {
      if (index % 4 > 0 || !(atOf(line) < atOf(LINES[index + 1]))) continue;
      swapped += 1;
      const failure = await failureOf(LINES.toSpliced(index, 2, LINES[index + 1] ?? '', line));
      expect(failure).toEqual(damaged(new RegExp(`^FILE:(${index + 1}|${index + 2}): the trace is damaged, `)));
    }
    expect(swapped).toBeGreaterThan(20);
  });

  test('where the time goes backwards', async () => {
    const index = LINES.length - 5;
    const back = LINES.with(index, (LINES[index] ?? '').replace(/"at":\d+/, '"at":7'));
    expect(await failureOf(back)).toEqual(damaged(new RegExp(`^FILE:${index + 1}: .*time must not go backwards`)));
  });

  test('where the configuration is none', async () => {
    const other = LINES.with(0, (LINES[0] ?? '').replace(/"backend":"[^"]+"/, '"backend":"gone"'));
    expect(await failureOf(other)).toEqual(damaged(/^FILE:1: the trace is damaged, .*"gone"/));
  });
});

test('the command tells identical, different and unusable apart', () => {
  const run = (...args: string[]) => {
    try {
      return {
        status: 0,
        text: execFileSync(process.execPath, ['setup/run-typescript.mjs', 'src/cli/main.ts', 'trace', ...args], {
          encoding: 'utf8',
          stdio: 'pipe',
        }),
      };
    } catch (error) {
      const { status, stdout, stderr } = error as { status: number; stdout: string; stderr: string };
      return { status, text: stdout + stderr };
    }
  };
  expect(run('verify', written(LINES))).toEqual({ status: 0, text: expect.stringMatching(/events, \d+ actions: identical\n$/) });
  const index = LINES.findIndex((line) => line.includes('"variant":"v0"'));
  const changed = written(LINES.with(index, (LINES[index] ?? '').replace('"variant":"v0"', '"variant":"v7"')));
  expect(run('verify', changed)).toMatchObject({ status: 1, text: expect.stringContaining('decided differently') });
  const twice = written(LINES.toSpliced(30, 0, LINES.find((line) => line.includes('"type":"arrival"')) ?? ''));
  expect(run('verify', twice)).toMatchObject({ status: 2, text: expect.stringContaining('run.trace:31: the trace is damaged') });
  expect(run('explain', written(LINES), '123456')).toMatchObject({
    status: 2,
    text: expect.stringContaining('there is no request 123456'),
  });
});
