import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { explain, explanationText, nothingKnown } from '../../src/trace/explain.js';
import type { ChromeEvent } from '../../src/trace/export.js';
import { exportChrome } from '../../src/trace/export-file.js';
import { RecentEvents } from '../../src/trace/recent-events.js';
import type { Story } from '../../src/trace/stories.js';
import { TraceError } from '../../src/trace/trace-error.js';
import { readEvents, readHead } from '../../src/trace/trace-reader.js';
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
    ['of another version', ['{"vig_trace": 99, "part": 0, "configuration": {}}\n'], /:1: vig_trace/],
    ['with an event of no kind', [LINES[0] ?? '', '{"at":1,"event":{"type":"party"}}\n', LINES[1] ?? ''], /:2: event/],
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

test('of a node that was killed, the line that was cut off is left out', async () => {
  const cut = LINES.map((line, index) => (index === LINES.length - 1 ? line.slice(0, 20) : line));
  expect(await verifyTrace(written(cut))).toMatchObject({ events: LINES.length - 2, difference: undefined });
});

describe('explained', () => {
  const explained = async (file: string, subject: string) => explain((await readHead(file)).configuration, readEvents(file), subject);

  test('a request has its whole story: what ran, each grounds, its end and what to do', async () => {
    const file = written(LINES);
    const ends = LINES.flatMap(
      (line) => line.match(/"type":"terminate","request":\d+,"stream":"[^"]+","state":"[^"]+","cause":"[^"]+"/g) ?? [],
    );
    expect(ends.length).toBeGreaterThan(10);
    for (const end of ends.slice(0, 10)) {
      const [, request = '', stream, state, cause] =
        /"request":(\d+),"stream":"([^"]+)","state":"([^"]+)","cause":"([^"]+)"/.exec(end) ?? [];
      const story = await explained(file, request);
      if (story === undefined) throw new Error(`request ${request} is not found`);
      expect(story).toMatchObject({ request: Number(request), stream, end: `${state}/${cause}` });
      const text = explanationText(story);
      expect(text).toMatch(/arrived, captured .* ms before; (nothing ran on|on )/);
      if (cause !== 'delivered') expect(text).toContain('what to do: ');
    }
    expect(await explained(file, '999999')).toBeUndefined();
  });

  test('a stream has every end counted', async () => {
    const file = written(LINES);
    const account = await explained(file, 'stream0');
    const received = LINES.filter((line) => line.includes('"type":"arrival"') && line.includes('"stream":"stream0"')).length;
    if (account === undefined || !('ends' in account)) throw new Error('the stream is not found');
    expect(account.received).toBe(received);
    expect(account.ends.reduce((sum, { count }) => sum + count, account.unfinished)).toBe(received);
    expect(explanationText(account)).toContain(`stream0: ${received} frames`);
  });

  test('what there is not is said', async () => {
    const file = written(LINES);
    expect(await explained(file, 'front')).toBeUndefined();
    expect(nothingKnown((await readHead(file)).configuration, 'front')).toMatch(/there is no stream "front"; it has stream0/);
  });

  test('of a running node what it remembers, as of a file', async () => {
    const file = written(LINES);
    const { configuration } = await readHead(file);
    const recent = new RecentEvents(configuration);
    for await (const { event, at, actions } of readEvents(file)) recent.record(event, at, actions);
    expect(await recent.explain('1')).toBe(explanationText((await explained(file, '1')) as Story));
    expect(await recent.explain('999999')).toContain('there is no request 999999');
  });
});

test('exported, every arrival flows to its end over a track of its slot, and no two calls share a slot', async () => {
  const file = written(LINES);
  const output = join(scratchFolder(), 'trace.json');
  await exportChrome(file, output);
  const { traceEvents } = JSON.parse(readFileSync(output, 'utf8')) as { traceEvents: ChromeEvent[] };
  const flows = (ph: ChromeEvent['ph']) => new Set(traceEvents.filter((event) => event.ph === ph).map(({ id }) => id));
  expect(flows('s').size).toBe(LINES.filter((line) => line.includes('"type":"arrival"')).length);
  for (const id of flows('f')) expect(flows('s').has(id)).toBe(true);
  const slices = traceEvents.filter(({ ph, pid, name }) => ph === 'X' && pid > 1 && name !== '');
  expect(slices.length).toBeGreaterThan(5);
  for (const [index, { pid, tid, ts = 0, dur = 0 }] of slices.entries()) {
    for (const other of slices.slice(index + 1)) {
      if (other.pid !== pid || other.tid !== tid) continue;
      expect((other.ts ?? 0) >= ts + dur || (other.ts ?? 0) + (other.dur ?? 0) <= ts).toBe(true);
    }
  }
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
  expect(run('explain', written(LINES), '123456')).toMatchObject({
    status: 2,
    text: expect.stringContaining('there is no request 123456'),
  });
});
