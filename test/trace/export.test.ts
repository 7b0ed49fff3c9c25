import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { millis, requestId } from '../../src/core/units.js';
import type { ChromeEvent } from '../../src/trace/chrome-event.js';
import { exportChrome } from '../../src/trace/export-file.js';
import { TraceWriter } from '../../src/trace/trace-writer.js';
import { POLICIES } from '../core/policies.js';
import { broken, namesOf, slicesOf } from './chrome-rules.js';
import { scratchFolder, traces, written } from './recorded.js';
import { linesOf, scripted } from './scripted.js';

async function exported(lines: readonly string[]): Promise<ChromeEvent[]> {
  const output = join(scratchFolder(), 'trace.json');
  await exportChrome(written(lines), output);
  return (JSON.parse(readFileSync(output, 'utf8')) as { traceEvents: ChromeEvent[] }).traceEvents;
}

async function exportedScript(text: string): Promise<ChromeEvent[]> {
  const run = scripted(text);
  if (run === undefined) throw new Error('the configuration is refused');
  return exported(linesOf(run));
}

const count = (lines: readonly string[], text: string) => lines.join('').split(text).length - 1;

describe.each(POLICIES)('$name', (policy) => {
  test('of any sequence every slice and arrow is kept', async () => {
    let slices = 0;
    for (const lines of traces(policy, 25)) {
      const events = await exported(lines);
      expect(broken(events)).toEqual([]);
      expect(events.filter(({ ph }) => ph === 'f').length).toBe(count(lines, '"type":"terminate"'));
      slices += slicesOf(events).length;
    }
    expect(slices).toBeGreaterThan(1000);
  });

  test('also where the beginning was rotated away', async () => {
    for (const lines of traces(policy, 25)) {
      const [head = '', ...rest] = lines;
      const later = [head.replace('"part":0', '"part":3'), ...rest.slice(rest.length / 2)];
      expect(broken(await exported(later))).toEqual([]);
    }
  });
});

test('of every conformance script every slice and arrow is kept, and every call runs on a slot', async () => {
  const folder = 'test/conformance';
  let calls = 0;
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.yaml'))) {
    const run = scripted(readFileSync(join(folder, name), 'utf8'), name);
    if (run === undefined) continue;
    const events = await exported(linesOf(run));
    expect({ name, broken: broken(events) }).toEqual({ name, broken: [] });
    const names = namesOf(events, 'thread_name');
    const ran = slicesOf(events).filter(({ args }) => args?.['result'] !== undefined);
    expect({ name, elsewhere: ran.filter(({ tid }) => !/^slot \d+$/.test(String(names.get(tid)))) }).toEqual({ name, elsewhere: [] });
    calls += ran.length;
  }
  expect(calls).toBeGreaterThan(100);
});

const TWO_CAMERAS = `
backend: {slots: 1, pipelining_depth: 1, pipelining_lead_ms: 5}
scheduling: {policy: ordered}
models: {det: {variants: {full: {p50_ms: 20, p99_ms: 20}}}}
streams:
  a: {model: det, class: high, contract: {max_age_ms: 200}}
  b: {model: det, class: high, contract: {max_age_ms: 200}}
events:
  - {at_ms: 0, arrive: a, id: one, capture_ms: -30, runtime_ms: 20}
  - {at_ms: 10, arrive: b, id: two, capture_ms: -50, runtime_ms: 20}
  - {at_ms: 30, arrive: a, id: three, capture_ms: -10, runtime_ms: 20}
`;

test('the earliest capture is 0, and frames of one stream that overlap stand side by side', async () => {
  const events = await exportedScript(TWO_CAMERAS);
  expect(Math.min(...slicesOf(events).map(({ ts }) => ts))).toBe(0);
  const names = namesOf(events, 'thread_name');
  const frames = slicesOf(events).filter(({ name, dur }) => name === 'delivered/delivered' && dur > 0);
  const where = frames.map(({ tid, args, ts }) => [args?.['request'], names.get(tid), ts]);
  expect(where).toEqual([
    [1, 'a', 20_000],
    [2, 'b', 0],
    [3, 'a (2)', 40_000],
  ]);
});

test('a call that was sent ahead waits beside the slots until the one before it ends', async () => {
  const events = await exportedScript(TWO_CAMERAS);
  const names = namesOf(events, 'thread_name');
  const of = (request: number) =>
    slicesOf(events)
      .filter(({ tid, args }) => args?.['request'] === request && /slot|ahead/.test(String(names.get(tid))))
      .map(({ tid, ts, dur }) => [names.get(tid), ts, dur]);
  expect(of(1)).toEqual([['slot 1', 50_000, 20_000]]);
  expect(of(2)).toEqual([
    ['sent ahead', 65_000, 5_000],
    ['slot 1', 70_000, 20_000],
  ]);
});

test('an arrow goes from the capture over the slot to the result', async () => {
  const events = await exportedScript(TWO_CAMERAS);
  const names = namesOf(events, 'thread_name');
  const flow = events.filter(({ id }) => id === 2).map(({ ph, ts, tid }) => [ph, ts, names.get(tid)]);
  expect(flow).toEqual([
    ['s', 0, 'b'],
    ['t', 70_000, 'slot 1'],
    ['f', 90_000, 'b'],
  ]);
});

test('what has not ended with the trace is drawn to its end, without an arrow', async () => {
  const events = await exportedScript(TWO_CAMERAS.replace('id: three, capture_ms: -10, runtime_ms: 20', 'id: three'));
  expect(broken(events)).toEqual([]);
  expect(slicesOf(events).find(({ name }) => name === 'not ended')?.args).toEqual({ request: 3 });
  expect(events.filter(({ id }) => id === 3)).toEqual([]);
});

const SENT_AHEAD_TWICE = `
backend: {slots: 1, pipelining_depth: 2, pipelining_lead_ms: 50}
scheduling: {policy: ordered}
streams:
  a: {class: high, queue: {policy: fifo, capacity: 8}, contract: {max_age_ms: 500}, variants: {full: {p50_ms: 20, p99_ms: 20}}}
events:
  - {at_ms: 0, arrive: a, id: one}
  - {at_ms: 1, arrive: a, id: two}
  - {at_ms: 2, arrive: a, id: three}
`;
/** On which tracks a request was at the server, since when and how long, in milliseconds. */
const atServer = (events: readonly ChromeEvent[], request: number) => {
  const names = namesOf(events, 'thread_name');
  const calls = slicesOf(events).filter(({ pid, args }) => pid === 2 && args?.['request'] === request);
  return calls.map(({ tid, ts, dur }) => [names.get(tid), ts / 1000, dur / 1000]);
};

test('a call that fails while it waits at the server lets nothing run', async () => {
  const ends = ['5, complete: two, result: not_started', '20, complete: one, result: ok', '30, complete: three, result: ok'];
  const events = await exportedScript(`${SENT_AHEAD_TWICE}${ends.map((end) => `  - {at_ms: ${end}}\n`).join('')}`);
  expect(broken(events)).toEqual([]);
  expect(atServer(events, 1)).toEqual([['slot 1', 0, 20]]);
  expect(atServer(events, 2)).toEqual([['sent ahead', 1, 4]]);
  expect(atServer(events, 3)).toEqual([
    ['sent ahead (2)', 2, 18],
    ['slot 1', 20, 10],
  ]);
});

test('a call whose end nobody knows holds its slot until a proof, whatever it answers meanwhile', async () => {
  const events = await exportedScript(`
backend: {slots: 1}
streams:
  a: {class: high, contract: {max_age_ms: 500}, variants: {full: {p50_ms: 10, p99_ms: 10}}}
events:
  - {at_ms: 0, counter: {stream: a, completed: 0}}
  - {at_ms: 0, arrive: a, id: one}
  - {at_ms: 10, complete: one, result: unknown}
  - {at_ms: 20, complete: one, result: ok}
  - {at_ms: 50, counter: {stream: a, completed: 1, polled_at_ms: 49}}
`);
  expect(atServer(events, 1)).toEqual([['slot 1', 0, 50]]);
});

test('the stamps of another clock do not fill the screen: of a long transport its end is drawn', async () => {
  const arrivals = Array.from(
    { length: 90 },
    (_, index) => `  - {at_ms: ${index * 30}, arrive: a, id: f${index}, capture_ms: ${index * 30 - 37_000}}`,
  );
  const script = TWO_CAMERAS.slice(0, TWO_CAMERAS.indexOf('  - {at_ms'));
  const events = await exportedScript(`${script}${arrivals.join('\n')}\n`);
  expect(broken(events)).toEqual([]);
  expect(namesOf(events, 'thread_name').size).toBeLessThan(40);
  expect(slicesOf(events)).toContainEqual(expect.objectContaining({ name: 'transport (the end of 37000 ms)', dur: 1_000_000 }));
});

test('messages that were refused as they came are points in the row of their stream', async () => {
  const run = scripted(TWO_CAMERAS);
  if (run === undefined) throw new Error('the configuration is refused');
  const lines = linesOf(run);
  const writer = new TraceWriter({ write: (line) => lines.push(line) });
  for (const request of [8, 9])
    writer.refused(
      { request: requestId(request), stream: 'b', state: 'invalid', cause: 'stamp_zero', detail: 'the header stamp is zero' },
      millis(3_600_300),
    );
  const events = await exported(lines);
  expect(broken(events)).toEqual([]);
  const names = namesOf(events, 'thread_name');
  const points = slicesOf(events).filter(({ name }) => name === 'invalid/stamp_zero');
  expect(points.map(({ tid, dur, args }) => [String(names.get(tid)).replace(/ \(\d\)$/, ''), dur, args])).toEqual([
    ['b', 0, { request: 8, why: 'the header stamp is zero' }],
    ['b', 0, { request: 9, why: 'the header stamp is zero' }],
  ]);
});
