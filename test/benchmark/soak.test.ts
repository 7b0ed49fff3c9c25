import { expect, test } from 'vitest';
import type { ProcessState } from '../../benchmark/soak/process-state.js';
import type { Row } from '../../benchmark/soak/recorder.js';
import type { SoakRun } from '../../benchmark/soak/soak.js';
import { checkLines, headingLine, rowLine } from '../../benchmark/soak/table.js';
import { residentSlope, verdict } from '../../benchmark/soak/verdict.js';

const MB = 1024 * 1024;
const STATE: ProcessState = { files: 20, sockets: 2, timers: 0, otherHandles: 3, regions: 0, heapBytes: 30 * MB };
const ROW: Row = {
  seconds: 0,
  received: 0,
  delivered: 0,
  superseded: 0,
  failed: 0,
  other: 0,
  in_flight: 0,
  held: 0,
  quarantined: 0,
  reconciled: 0,
  restarts: 0,
  rss_mb: 100,
  loop_delay_p50_ms: 0,
  loop_delay_p99_ms: 0,
  loop_delay_max_ms: 0,
};
const RUN: SoakRun = { rows: [], received: 9, causes: {}, withoutOutcome: 0, held: 0, recoveriesMs: [700, 800] };

/** A row a minute, growing by so much an hour. */
const growing = (mbPerHour: number, minutes: number): Row[] =>
  Array.from({ length: minutes + 1 }, (_, minute) => ({ ...ROW, seconds: minute * 60, rss_mb: 100 + (mbPerHour * minute) / 60 }));

const failed = (run: Partial<SoakRun>, after: Partial<ProcessState> = {}): string[] =>
  verdict({ ...RUN, ...run }, STATE, { ...STATE, ...after }).flatMap(({ name, ok }) => (ok ? [] : [name]));

test('a run that leaves everything as it was passes; less of something is no leak', () => {
  expect(failed({}, { files: 19, heapBytes: STATE.heapBytes + 3 * MB })).toEqual([]);
});

test.each<[string, Partial<SoakRun>, Partial<ProcessState>]>([
  ['messages without an outcome', { withoutOutcome: 1 }, {}],
  ['calls held after the drain', { held: 1 }, {}],
  ['restarts without a result after', { recoveriesMs: [700, null] }, {}],
  ['open files', {}, { files: 21 }],
  ['sockets', {}, { sockets: 3 }],
  ['timers', {}, { timers: 1 }],
  ['other handles', {}, { otherHandles: 4 }],
  ['regions in /dev/shm', {}, { regions: 1 }],
  ['heap after collection, MB more', {}, { heapBytes: STATE.heapBytes + 3.1 * MB }],
  ['resident memory, MB an hour', { rows: growing(1.5, 60) }, {}],
])('%s fails it', (name, run, after) => {
  expect(failed(run, after)).toEqual([name]);
});

test('resident memory is judged from an hour on, by what comes after the settling', () => {
  expect(failed({ rows: growing(50, 59) })).toEqual([]);
  expect(failed({ rows: growing(0.9, 60) })).toEqual([]);
  const settling = growing(0, 60).map((row) => (row.seconds < 600 ? { ...row, rss_mb: 60 } : row));
  expect(residentSlope(settling)).toBeCloseTo(0);
  expect(residentSlope(growing(2, 60))).toBeCloseTo(2);
  expect(residentSlope(growing(2, 1))).toBeUndefined();
});

test('numbers stand under their headings', () => {
  const line = rowLine({ ...ROW, seconds: 60, received: 123_456, rss_mb: 244.1 });
  expect(line).toHaveLength(headingLine.length);
  expect(line.slice(0, headingLine.indexOf('received') + 'received'.length).trimEnd()).toMatch(/60 +123456$/);
  expect(checkLines(verdict(RUN, STATE, { ...STATE, timers: 2 }))).toMatch(/FAILED {2}timers +2 +\(at most 0\)/);
});
