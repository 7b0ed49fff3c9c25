import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import type { Action } from '../../src/core/actions.js';
import { CAUSES, type Cause } from '../../src/core/catalogue.js';
import type { Contract } from '../../src/core/configuration.js';
import { DecisionCore } from '../../src/core/decision-core.js';
import type { CoreEvent } from '../../src/core/events.js';
import { type Micros, millis, plus, requestId } from '../../src/core/units.js';
import { explain, explanationText } from '../../src/trace/explain.js';
import { explainFile } from '../../src/trace/explain-file.js';
import { LiveTrace } from '../../src/trace/live-trace.js';
import { RecentEvents } from '../../src/trace/recent-events.js';
import type { Story } from '../../src/trace/stories.js';
import { type Refused, readEvents, readHead } from '../../src/trace/trace-reader.js';
import { TraceWriter } from '../../src/trace/trace-writer.js';
import { verifyTrace } from '../../src/trace/verify.js';
import { longTrace, scratchFolder, written } from './recorded.js';
import { linesOf, scripted } from './scripted.js';

const LINES = longTrace();

/** A script begins an hour after the clock. */
const later = (ms: number): Micros => plus(millis(3_600_000), millis(ms));

/** What is told of a request, an instant and a text each, as a file and a running node tell it. */
async function told(script: string, request: number): Promise<string[]> {
  const run = scripted(script);
  if (run === undefined) throw new Error('the configuration is refused');
  const { configuration, decided } = run;
  const recent = new RecentEvents(configuration);
  async function* events() {
    yield* decided;
  }
  for (const { event, at, actions } of decided) recent.record(event, at, actions);
  const explained = await explain({ configuration, entries: events() }, String(request));
  if (!('lines' in explained)) throw new Error(`request ${request} is not found`);
  expect(await recent.explain(String(request))).toBe(explanationText(explained));
  return explained.lines.map((line) =>
    line
      .trim()
      .replace(/ ms {2}/, ': ')
      .replace(/\.000:/, ':'),
  );
}

describe('around a request', () => {
  const head = `
backend: {slots: 1}
scheduling: {policy: ordered}
streams:
  a: {class: normal, contract: {max_age_ms: 100}, variants: {full: {p50_ms: 10, p99_ms: 10}}}
  b: {class: high, contract: {max_age_ms: 100}, variants: {full: {p50_ms: 10, p99_ms: 10}}}
events:
`;

  test('what ran is told, since when and until when it was planned, and what waited already', async () => {
    const lines = await told(
      `${head}  - {at_ms: 0, arrive: b, id: b1, runtime_ms: 10}
  - {at_ms: 2, arrive: b, id: b2}
  - {at_ms: 4, arrive: a, id: a1, capture_ms: 1}
`,
      3,
    );
    expect(lines.slice(0, 2)).toEqual([
      expect.stringMatching(
        /^4: arrived, captured 3\.0 ms before; on \w+, 1 of 1 slot taken: request 1 of b \(high\) as \w+, running since 4\.0 ms, planned to end in 6\.0 ms$/,
      ),
      '4: its stream is normal, max_age 100.0 ms, deadline 100.0 ms; waiting already: request 2 of b (high) since 2.0 ms',
    ]);
  });

  test('of a superseded frame is told what took its turn, what held the slot, and that it was never sent', async () => {
    const lines = await told(
      `${head}  - {at_ms: 0, arrive: b, id: b1, runtime_ms: 10}
  - {at_ms: 2, arrive: a, id: a1}
  - {at_ms: 5, arrive: b, id: b2, runtime_ms: 10}
  - {at_ms: 15, arrive: a, id: a2, runtime_ms: 10}
`,
      2,
    );
    expect(lines.slice(2)).toEqual([
      '10: meanwhile request 1 of b (high) ended, 10.0 ms after it was sent',
      expect.stringMatching(
        /^10: meanwhile request 3 of b \(high\) was sent as \w+: starts at once; 95\.0 ms before max_age, .*planned 10\.0 ms/,
      ),
      expect.stringMatching(
        /^15: never sent, never put off; on \w+, 1 of 1 slot taken: request 3 of b .*running since 5\.0 ms, planned to end in 5\.0 ms$/,
      ),
      '15: superseded/newer_capture: request 4 took its place; in its way: calls of b',
    ]);
  });

  test('each time it was put off is told with the slack, and at its end how often', async () => {
    const lines = await told(
      `
backend: {slots: 1}
scheduling: {policy: ordered}
streams:
  a: {class: normal, contract: {max_age_ms: 100}, variants: {full: {p50_ms: 45, p99_ms: 45}}}
  b: {class: high, contract: {period_ms: 50, deadline_ms: 20, max_age_ms: 20}, variants: {full: {p50_ms: 10, p99_ms: 10}}}
events:
  - {at_ms: 0, arrive: b, id: b1, runtime_ms: 10}
  - {at_ms: 50, arrive: b, id: b2, runtime_ms: 10}
  - {at_ms: 70, arrive: a, id: a1}
  - {at_ms: 72, arrive: a, id: a2}
`,
      3,
    );
    expect(lines).toContainEqual(
      expect.stringMatching(
        /^70: put off, on \w+: would run 45\.0 ms and make the frame expected in 30\.0 ms of b late; 100\.0 ms before max_age; nothing ran on/,
      ),
    );
    expect(lines).toContainEqual(expect.stringMatching(/^72: never sent, put off once 2\.0 ms before, for the sake of b; nothing ran on/));
  });

  test('at its start the variants there are, which one was taken, and what is recorded of the others', async () => {
    const script = `
backend: {slots: 1}
scheduling: {policy: ordered}
models:
  det:
    variants:
      large: {quality: 1, quality_source: measured, p50_ms: 20, p95_ms: 21, p99_ms: 22}
      small: {quality: 0.5, quality_source: declared, p50_ms: 5, p99_ms: 5}
      tiny: {quality: 0.1, quality_source: measured, p50_ms: 1, p99_ms: 1}
streams:
  a: {model: det, class: high, contract: {deadline_ms: 30, max_age_ms: 100, min_quality: 0.4}}
events:
  - {at_ms: 0, arrive: a, id: a1, runtime_ms: 20}
  - {at_ms: 40, arrive: a, id: a2, capture_ms: 20, runtime_ms: 5}
  - {at_ms: 200, arrive: a, id: a3, runtime_ms: 20}
`;
    const lines = await told(script, 2);
    const from = lines.findIndex((line) => line.includes('sent to'));
    expect(lines.slice(from, from + 5)).toEqual([
      expect.stringMatching(
        /^40: sent to \w+ as small: starts at once; 80\.0 ms before max_age, needs at least 5\.0 ms, planned \d+\.\d ms$/,
      ),
      '40:   the variants of det, min_quality 0.4:',
      expect.stringMatching(
        /^40: {5}large: quality 1 \(measured\), profile 20\.0 \/ 21\.0 \/ 22\.0 ms \(p50 \/ p95 \/ p99\), planned \d+\.\d ms: it would miss the deadline$/,
      ),
      '40:     small (taken): quality 0.5 (declared), profile 5.0 / 5.0 / 5.0 ms (p50 / p95 / p99)',
      '40:     tiny: quality 0.1 (measured), profile 1.0 / 1.0 / 1.0 ms (p50 / p95 / p99), below min_quality 0.4',
    ]);
    const ofSmall = (await told(script, 3)).find((line) => line.includes('small: '));
    expect(ofSmall).toMatch(/planned \d+\.\d ms when it was last decided on, 160\.0 ms before$/);
  });

  test('under the plan what a start and the best wait were worth, also of what went instead', async () => {
    const script = `
backend: {slots: 1}
scheduling: {policy: planned}
streams:
  a: {class: high, contract: {period_ms: 30, max_age_ms: 100}, variants: {full: {p50_ms: 10, p99_ms: 10}}}
  b: {class: protected, contract: {period_ms: 30, max_age_ms: 100}, variants: {full: {p50_ms: 10, p99_ms: 10}}}
events:
  - {at_ms: 0, arrive: b, id: b1, runtime_ms: 10}
  - {at_ms: 2, arrive: a, id: a1, runtime_ms: 10}
  - {at_ms: 3, arrive: b, id: b2, runtime_ms: 10}
`;
    const [sent, before] = (await told(script, 2)).slice(3);
    expect(sent).toMatch(
      /^10: sent to default as full: .*; worth [\d.]+ if started now, [\d.]+ after the best wait; nothing ran on default$/,
    );
    expect(before).toBe('10: it went before request 3 of b (protected) since 7.0 ms');
    const meanwhile = (await told(script, 3)).find((line) => line.includes('was sent as'));
    expect(meanwhile).toMatch(
      /^10: meanwhile request 2 of a \(high\) was sent as full: .*; worth [\d.]+ if started now, [\d.]+ after the best wait$/,
    );
  });

  test('under the plan what the better variant was worth', async () => {
    const script = `
backend: {slots: 1}
scheduling: {policy: planned}
models:
  det:
    variants:
      large: {quality: 1, quality_source: measured, p50_ms: 20, p99_ms: 25}
      small: {quality: 0.8, quality_source: measured, p50_ms: 9, p99_ms: 14}
streams:
  a: {model: det, class: protected, contract: {period_ms: 40, max_age_ms: 70}}
  b: {model: det, class: normal, contract: {period_ms: 80, max_age_ms: 70}}
events:
  - {at_ms: 3, arrive: a, id: a1, capture_ms: 0, runtime_ms: 10}
`;
    const lines = await told(script, 1);
    const worth = Number(/sent to default as small: .*; worth ([\d.]+) if started now/.exec(lines.join('\n'))?.[1]);
    const better = /large: .* planned \d+\.\d ms, worth ([\d.]+): the plan makes less of the time with it$/m.exec(lines.join('\n'));
    expect(Number(better?.[1])).toBeLessThan(worth);
  });

  test('of one around which much happens the first and the newest is told', async () => {
    const arrivals = Array.from({ length: 60 }, (_, at) => `  - {at_ms: ${2 + at * 20}, arrive: b, id: b${at}, runtime_ms: 25}`);
    const a = '  - {at_ms: 1, arrive: a, id: a1}';
    const busy = '  - {at_ms: 0, arrive: b, id: busy, runtime_ms: 25}';
    const lines = await told(`${head.replace('max_age_ms: 100', 'max_age_ms: 2000')}${[busy, a, ...arrivals].join('\n')}\n`, 2);
    expect(lines.length).toBe(61);
    expect(lines[0]).toMatch(/^1: arrived/);
    expect(lines[30]).toMatch(/^… {2}\d+ lines are left out$/);
    expect(lines.at(-1)).toMatch(/sent to default as full/);
  });
});

describe('where the beginning is gone', () => {
  const [head = '', ...rest] = LINES;
  const later = [head.replace('"part":0', '"part":3'), ...rest.slice(rest.length / 2)];
  const arrivals = (lines: readonly string[]) =>
    lines.flatMap((line) => /"type":"arrival","request":(\d+)/.exec(line)?.[1] ?? []).map(Number);

  test('a request from before is said to be, and where the trace begins', async () => {
    const [first = 0] = arrivals(later);
    expect(first).toBeGreaterThan(3);
    expect(await explainFile(written(later), '1')).toEqual({
      nothing: `request 1 is not recorded any more: what is begins at request ${first}; the 3 parts before it were rotated away (trace.parts, trace.max_part_mb)`,
    });
    expect(explanationText((await explainFile(written(later), 'stream0')) as Story)).toMatch(
      /^stream0: .*; the 3 parts before it were rotated/,
    );
  });

  test('of one that was under way the rest is told', async () => {
    const known = new Set(arrivals(later));
    const ended = later
      .flatMap((line) => /"type":"terminate","request":(\d+)/.exec(line)?.[1] ?? [])
      .filter((id) => !known.has(Number(id)));
    expect(ended.length).toBeGreaterThan(0);
    const story = await explainFile(written(later), ended[0] ?? '');
    if (!('lines' in story)) throw new Error('it is not found');
    expect(story.lines[0]).toContain('it arrived before what is recorded here');
    expect(story.end).toBeDefined();
  });

  test('a running node says what it remembers', async () => {
    const run = scripted(`
backend: {slots: 1}
streams: {a: {class: high, contract: {max_age_ms: 100}, variants: {full: {p50_ms: 10, p99_ms: 10}}}}
events:
  - {at_ms: 0, arrive: a, id: a1, runtime_ms: 1}
`);
    const arrival = run?.decided.find(({ event }) => event.type === 'arrival');
    if (run === undefined || arrival === undefined || arrival.event.type !== 'arrival') throw new Error('nothing arrives');
    const recent = new RecentEvents(run.configuration);
    for (let request = 1; request <= 9000; request += 1) recent.record({ ...arrival.event, request: requestId(request) }, arrival.at, []);
    expect(await recent.explain('5')).toBe(
      'request 5 is not recorded any more: what is begins at request 809; the newest 8192 events are remembered',
    );
    expect(await recent.explain('9001')).toMatch(/^there is no request 9001; it has 809 to 9000/);
  });
});

describe('explained', () => {
  test('a request has its whole story: what ran, each grounds, its end and what to do', async () => {
    const file = written(LINES);
    const ends = LINES.flatMap(
      (line) => line.match(/"type":"terminate","request":\d+,"stream":"[^"]+","state":"[^"]+","cause":"[^"]+"/g) ?? [],
    );
    expect(ends.length).toBeGreaterThan(10);
    for (const end of ends.slice(0, 10)) {
      const [, request = '', stream, state, cause] =
        /"request":(\d+),"stream":"([^"]+)","state":"([^"]+)","cause":"([^"]+)"/.exec(end) ?? [];
      const story = await explainFile(file, request);
      if (!('lines' in story)) throw new Error(`request ${request} is not found`);
      expect(story).toMatchObject({ request: Number(request), stream, end: `${state}/${cause}` });
      const text = explanationText(story);
      expect(text).toMatch(/arrived, captured .* ms before; (nothing ran on|on )/);
      if (cause !== 'delivered') expect(text).toContain('what to do: ');
    }
    expect(await explainFile(file, '999999')).toMatchObject({
      nothing: expect.stringMatching(/^there is no request 999999; it has 1 to \d+, /),
    });
  });

  test('a stream has every end counted', async () => {
    const file = written(LINES);
    const account = await explainFile(file, 'stream0');
    const received = LINES.filter((line) => line.includes('"type":"arrival"') && line.includes('"stream":"stream0"')).length;
    if (!('ends' in account)) throw new Error('the stream is not found');
    expect(account.received).toBe(received);
    expect(account.ends.reduce((sum, { count }) => sum + count, account.unfinished)).toBe(received);
    expect(explanationText(account)).toContain(`stream0: ${received} frames`);
  });

  test('what there is not is said', async () => {
    expect(await explainFile(written(LINES), 'front')).toEqual({
      nothing: expect.stringMatching(/^there is no stream "front"; it has stream0/),
    });
  });

  test('of a running node what it remembers, as of a file', async () => {
    const file = written(LINES);
    const { configuration } = await readHead(file);
    const recent = new RecentEvents(configuration);
    for await (const { event, at, actions } of readEvents(file)) recent.record(event, at, actions);
    expect(await recent.explain('1')).toBe(explanationText((await explainFile(file, '1')) as Story));
    expect(await recent.explain('999999')).toMatch(/^there is no request 999999; it has .* events are remembered$/);
  });
});

describe('a message that was refused as it came', () => {
  const REFUSALS = (Object.keys(CAUSES) as Cause[]).filter(
    (cause) => CAUSES[cause].state === 'invalid' || /^(inactive|no_clock)$/.test(cause),
  );
  const run = scripted(`
backend: {slots: 1}
streams: {a: {class: high, contract: {max_age_ms: 100}, variants: {full: {p50_ms: 10, p99_ms: 10}}}}
events:
  - {at_ms: 0, arrive: a, id: a1, runtime_ms: 1}
  - {at_ms: 50, arrive: a, id: a2, runtime_ms: 1}
`);
  if (run === undefined) throw new Error('the configuration is refused');
  const refusals = REFUSALS.map((cause, index): Refused => {
    const { state } = CAUSES[cause];
    return {
      at: later(60 + index),
      refused: { request: requestId(index + 3), stream: 'a', state, cause, ageUs: 3_200, detail: `the words of ${cause}` },
    };
  });
  const lines = linesOf(run);
  new TraceWriter({ write: (line) => lines.push(line) }).refused(
    { request: requestId(99), stream: 'a', state: 'invalid', cause: 'stamp_zero', detail: 'the header stamp is zero' },
    later(60),
  );
  const writer = new TraceWriter({ write: (line) => lines.push(line) });
  for (const { refused, at } of refusals) writer.refused(refused, at);
  const file = written(lines);
  const recent = new RecentEvents(run.configuration);
  for (const { event, at, actions } of run.decided) recent.record(event, at, actions);
  for (const { refused, at } of refusals) recent.refused(refused, at);

  test.each(refusals)('$refused.state/$refused.cause has its story', async ({ refused: { request, state, cause } }) => {
    for (const text of [explanationText((await explainFile(file, String(request))) as Story), await recent.explain(String(request))]) {
      expect(text).toMatch(new RegExp(`^request ${request} of a: ${state}/${cause}\n`));
      expect(text).toMatch(/arrived 3\.2 ms after its stamp; refused before it could wait\n/);
      expect(text).toContain(`${state}/${cause}: the words of ${cause}\nwhat to do: ${CAUSES[cause].remedy}`);
    }
  });

  test('is counted with the ends of its stream, and changes nothing of what is run again', async () => {
    const account = await explainFile(file, 'a');
    expect(account).toMatchObject({ received: refusals.length + 3 });
    expect(account).toMatchObject({ ends: expect.arrayContaining([expect.objectContaining({ end: 'invalid/stamp_zero', count: 2 })]) });
    expect(await recent.explain('a')).toMatch(new RegExp(`^a: ${refusals.length + 2} frames\n`));
    expect(await verifyTrace(file)).toMatchObject({ events: run.decided.length, difference: undefined });
  });

  test('was not recorded by version 1, which is said', async () => {
    const [head = '', ...rest] = linesOf(run);
    const old = written([head.replace('"vig_trace":2', '"vig_trace":1'), ...rest]);
    const nothing =
      /^there is no request 3; it has 1 to 2, .*; messages that were refused as they came .* are not in a trace of version 1$/;
    expect(await explainFile(old, '3')).toEqual({ nothing: expect.stringMatching(nothing) });
    expect(explanationText((await explainFile(old, 'a')) as Story)).toMatch(/^a: 2 frames; messages that were refused .* version 1\n/);
  });
});

describe('where the first events are gone', () => {
  const run = scripted(`
backend: {slots: 1}
scheduling: {policy: ordered}
streams: {a: {class: high, contract: {max_age_ms: 100}, variants: {full: {p50_ms: 10, p99_ms: 10}}}}
events:
  - {at_ms: 0, arrive: a, id: a1}
`);
  if (run === undefined) throw new Error('the configuration is refused');
  const { configuration, decided } = run;
  const contract: Contract = { deadlineUs: millis(500), maxAgeUs: millis(500) };

  /** Hands in what happens before and after. */
  function follow(record: (event: CoreEvent, at: Micros, actions: readonly Action[]) => void, ticks: number): void {
    const core = new DecisionCore(configuration);
    const tell = (event: CoreEvent, at: Micros) => record(event, at, core.handle(event, at));
    for (const { event, at } of decided) tell(event, at);
    tell({ type: 'reconfigure', contracts: [{ stream: 'a', contract }] }, later(40));
    for (let tick = 0; tick < ticks; tick += 1) tell({ type: 'tick' }, later(50));
    tell({ type: 'arrival', request: requestId(2), stream: 'a', capture: later(50), stampNs: 5n }, later(60));
  }
  const known = [/its stream is high, max_age 500\.0 ms/, /1 of 1 slot taken: request 1 of a \(high\) as full, running since 60\.0 ms/];

  test('a running node knows the contracts in force and what runs', async () => {
    const recent = new RecentEvents(configuration);
    follow((event, at, actions) => recent.record(event, at, actions), 9000);
    for (const words of known) expect(await recent.explain('2')).toMatch(words);
  });

  test('so does a file whose first parts were rotated away', async () => {
    const file = join(scratchFolder(), 'run.trace');
    const trace = await LiveTrace.open({ file, max_part_mb: 0.1, parts: 1 }, configuration, pino({ level: 'silent' }));
    if (trace === undefined) throw new Error('it is not opened');
    follow((event, at, actions) => trace.record(event, at, actions), 9000);
    await trace.close();
    expect((await readHead(file)).part).toBeGreaterThan(1);
    const explained = await explainFile(file, '2');
    for (const words of known) expect(explanationText(explained as Story)).toMatch(words);
  });
});
