import { describe, expect, it } from 'vitest';
import type { ArmReport, StreamReport } from '../../src/demo/arm-report.js';
import { conclusion } from '../../src/demo/conclusion.js';
import { type DemoStream, FRONT, REAR } from '../../src/demo/demo-parameters.js';
import { COLOURS, PLAIN } from '../../src/demo/paint.js';
import { armTable, comparisonTable } from '../../src/demo/table.js';
import { noOutcomes } from '../../src/telemetry/outcome-counts.js';

function report(received: number, causes: Record<string, number>, p50: number | null, maxAgeMs: number): StreamReport {
  return {
    received,
    outcomes: { ...noOutcomes(), delivered: causes['delivered'] ?? 0 },
    causes,
    age_ms: { p50, p95: p50, max: p50 },
    contract: { max_age_ms: maxAgeMs },
    lost_before_node: 0,
  };
}

function arm(governor: boolean, front: StreamReport, rear: StreamReport): ArmReport {
  return { governor, seconds: 10, valid: true, streams: { front, rear }, in_flight_max: 1 };
}

const GOVERNED = arm(
  true,
  report(300, { delivered: 299, newer_capture: 1 }, 34.4, 100),
  report(300, { delivered: 60, newer_capture: 240 }, 60, 500),
);
const UNGOVERNED = arm(false, report(300, { obsolete: 200, queue_full: 100 }, 434, 100), report(290, {}, null, 500));

/** The cells of the row that starts with a text. */
function row(table: string, start: string): readonly string[] {
  const line = table.split('\n').find((text) => text.trim().startsWith(start));
  return line === undefined
    ? []
    : line
        .trim()
        .slice(start.length)
        .trim()
        .split(/\s{2,}/);
}

describe('comparisonTable', () => {
  const table = comparisonTable([GOVERNED, UNGOVERNED], PLAIN);

  it('puts each stream in both arms side by side, with shares', () => {
    expect(row(table, 'frames received')).toEqual(['300', '300', '300', '290']);
    expect(row(table, 'result in time')).toEqual(['299 99 %', '0', '60 20 %', '0'].flatMap((cell) => cell.split(/ (?=\d+ %)/)));
  });

  it('has a row for each reason that occurred, in the words of a person', () => {
    expect(row(table, 'dropped: queue full')).toEqual(['0', '100', '33 %', '0', '0']);
    expect(row(table, 'dropped for a newer frame')).toEqual(['1  <1 %', '0', '240  80 %', '0'].flatMap((cell) => cell.split('  ')));
    expect(table).not.toContain('withdrawn');
  });

  it('shows what the node counted and this process did not see', () => {
    expect(row(table, 'ended unseen by this table')).toEqual(['0', '0', '0', '290']);
  });

  it('shows ages in milliseconds, and a dash where there is no result', () => {
    expect(row(table, 'age of the results, half below')).toEqual(['34 ms', '434 ms', '60 ms', '–']);
  });

  it('aligns all rows, coloured or not', () => {
    const widths = new Set(
      table
        .split('\n')
        .slice(2)
        .map((line) => line.length),
    ); // below the headings
    expect(widths.size).toBe(1);
    expect([...widths][0]).toBeLessThanOrEqual(80);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters
    expect(comparisonTable([GOVERNED, UNGOVERNED], COLOURS).replaceAll(/\u001b\[\d+m/g, '')).toBe(table);
  });

  it('has one column a stream when there is one arm', () => {
    expect(row(comparisonTable([UNGOVERNED], PLAIN), 'frames received')).toEqual(['300', '290']);
  });
});

describe('armTable', () => {
  const idle = { received: 0, causes: {}, ageMs: { p50: null, p95: null, max: null }, open: 0, lost: 0 };

  it('says what each stream is promised, and has its rows from the start', () => {
    const table = armTable(
      new Map<DemoStream, typeof idle & { maxAgeMs: number }>([
        [FRONT, { ...idle, maxAgeMs: 100 }],
        [REAR, { ...idle, maxAgeMs: 500 }],
      ]),
      PLAIN,
    );
    for (const text of ['front camera', 'protected, ≤ 100 ms', 'best effort, ≤ 500 ms', 'result in time', 'dropped for a newer frame']) {
      expect(table).toContain(text);
    }
    expect(row(table, 'waiting or running now')).toEqual(['0', '0']);
  });

  it('shows what is open', () => {
    expect(row(armTable(new Map([[FRONT, { ...idle, received: 2, open: 2, maxAgeMs: 100 }]]), PLAIN), 'waiting or running now')).toEqual([
      '2',
    ]);
  });
});

describe('conclusion', () => {
  it('gives the gain and its price', () => {
    const [front, ages, rear, ...more] = conclusion(GOVERNED, UNGOVERNED).split('\n');
    expect(front).toBe('Front camera: 29.9 useful results a second with the governor, 0.0 without.');
    expect(ages).toBe('  Half of its results were younger than 34 ms, without 434 ms; they are of use up to 100 ms.');
    expect(rear).toContain('6.0 useful results a second');
    expect(more).toEqual([]);
  });
});
