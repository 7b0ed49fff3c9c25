import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Bag } from '../../src/replay/bag/open-bag.js';
import { runReplay } from '../../src/replay/run-replay.js';
import { contractFrom, type MadeMessage, madeBag, ns, replayed } from './made-bag.js';

const PARAMETERS = `scheduling: {policy: ordered}
backends: {gpu: {slots: 1}}
models: {det: {backend: gpu, variants: {full: {backend_model: m, profile: {p50_us: 5000, p95_us: 6000, p99_us: 7000}}}}}
streams:
  front: {topic: /front, model: det, contract: {period_ms: 100.0, max_age_ms: 150.0}}
  rear: {topic: /rear, model: det, contract: {period_ms: 100.0, max_age_ms: 150.0}}`;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Ten a second. */
function regular(topic: string, fromMs: number, toMs: number): MadeMessage[] {
  return Array.from({ length: (toMs - fromMs) / 100 }, (_, index) => fromMs + index * 100).map((logMs) => ({
    topic,
    logMs,
    stampMs: logMs,
  }));
}

/** What is said of the gaps of a bag; `others` are on a topic of no stream. */
async function said(messages: readonly MadeMessage[], others: readonly number[] = []) {
  const elsewhere = others.map((logMs) => ({ topic: '/other', logMs, stampMs: logMs }));
  const all = [...messages, ...elsewhere].sort((one, other) => one.logMs - other.logMs);
  const { problems, findings } = (await replayed(await madeBag(all), PARAMETERS)).report;
  const ofGaps = (lines: readonly string[]) => lines.filter((line) => line.includes('no stream has a message'));
  return { problems: ofGaps(problems), findings: ofGaps(findings) };
}

it('a day in which nothing came makes the report mislead: it is said where, for how long, and what to do', async () => {
  const atMs = 24 * HOUR_MS;
  const { problems, findings } = await said([...regular('/front', 0, 2000), ...regular('/front', atMs, atMs + 2000)]);
  expect(findings).toEqual([]);
  expect(problems).toEqual([
    expect.stringMatching(
      new RegExp(
        `bag\\.mcap: offset \\d+: no stream has a message for 24\\.0 h before this; that is 99\\.9 % .*ros2 bag convert.* end_time_ns: ${ns(1900)} .* start_time_ns: ${ns(atMs)} `,
      ),
    ),
  ]);
});

it('less than half of the time is a finding, with the longest of several', async () => {
  const messages = [
    ...regular('/front', 0, 5 * MINUTE_MS),
    ...regular('/front', 7 * MINUTE_MS, 10 * MINUTE_MS),
    ...regular('/front', 13 * MINUTE_MS, 20 * MINUTE_MS),
  ];
  const { problems, findings } = await said(messages);
  expect(problems).toEqual([]);
  expect(findings).toEqual([expect.stringMatching(/for 3\.0 min before this, the longest of 2 gaps of more than a minute; that is 25 % /)]);
});

it('nothing is said while one stream goes on, before the first message, and of what is no longer than a minute', async () => {
  const rear = regular('/rear', HOUR_MS, HOUR_MS + 5 * MINUTE_MS);
  const front = [
    ...regular('/front', HOUR_MS, HOUR_MS + 2000),
    ...regular('/front', HOUR_MS + 6 * MINUTE_MS - 200, HOUR_MS + 6 * MINUTE_MS),
  ];
  expect(await said([...front, ...rear], [0, HOUR_MS + 7 * MINUTE_MS - 200])).toEqual({ problems: [], findings: [] });
});

it('the end of the bag is said when nothing comes before it', async () => {
  const { problems } = await said(regular('/front', 0, 2000), [3 * MINUTE_MS]);
  expect(problems).toEqual([expect.stringMatching(/bag\.mcap: its end: no stream has a message for 3\.0 min before this/)]);
});

it('what the node would have published in a gap is written once a minute, and at its rate before and behind it', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'vig-gap-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const atMs = 3 * HOUR_MS;
  const messages = [...regular('/front', 0, 2000), ...regular('/front', atMs, atMs + 4000)];
  writeFileSync(path.join(folder, 'bag.mcap'), await madeBag(messages));
  const settled: number[] = [];
  await runReplay({
    bag: path.join(folder, 'bag.mcap'),
    contract: contractFrom(PARAMETERS, true),
    compare: [],
    seed: 1,
    output: path.join(folder, 'out'),
    timelines: false,
    progress: (doneS) => settled.push(doneS),
  });
  // Little piles up in between, however long the gap.
  expect(Math.max(...settled.map((doneS, index) => doneS - (settled[index - 1] ?? 0)))).toBeLessThanOrEqual(4);
  const diagnosticsMs = await logTimes(path.join(folder, 'out'), '/diagnostics');
  const during = (fromMs: number, toMs: number) => diagnosticsMs.filter((at) => at > fromMs && at <= toMs).length;
  expect(during(0, 30_000)).toBe(30);
  expect(during(HOUR_MS, 2 * HOUR_MS)).toBe(60);
  expect(during(atMs, atMs + 3500)).toBeGreaterThanOrEqual(3);
});

/** In milliseconds from the start that made bags have. */
async function logTimes(name: string, wanted: string): Promise<number[]> {
  const bag = await Bag.open(name);
  onTestFinished(() => bag.close());
  const times: number[] = [];
  for await (const { block, from, to } of bag.messages((topic) => topic === wanted))
    for (let index = from; index < to; index += 1) times.push(Number(block.logNs(index) - ns(0)) / 1e6);
  return times;
}
