/** The demo's table: what became of the frames, one column a stream. Pure. */
import Table from 'cli-table3';
import type { AgeMs, ArmReport } from './arm-report.js';
import { type DemoStream, STREAMS } from './demo-parameters.js';
import type { Paint } from './paint.js';
import { inOrder, phraseOf } from './words.js';

export interface Column {
  readonly received: number;
  readonly causes: Readonly<Record<string, number>>;
  readonly ageMs: AgeMs;
  readonly maxAgeMs: number;
  /** Frames that wait or run now; absent once all have ended. */
  readonly open?: number;
  /** Frames that the middleware dropped before the node. */
  readonly lost: number;
}

/** Rows that stand there from the start, so that the table does not jump. */
const ALWAYS = ['delivered', 'obsolete', 'newer_capture'];

/** The table of one arm while it runs. */
export function armTable(columns: ReadonlyMap<DemoStream, Column>, paint: Paint): string {
  const streams = [...columns.keys()];
  const headings = [streams.map(({ title }) => title), streams.map(contractOf)].map((line) => ['', ...line.map(paint.bold)]);
  return render([...columns.values()], headings, paint);
}

/** Each stream in both arms side by side; one arm alone where there is only one. */
export function comparisonTable(arms: readonly ArmReport[], paint: Paint): string {
  const titles = STREAMS.map(({ title }) => ({ content: paint.bold(title), colSpan: arms.length, hAlign: 'right' as const }));
  const names = STREAMS.flatMap(() => arms.map(({ governor }) => paint.bold(governor ? 'governor' : 'without')));
  const columns = STREAMS.flatMap((stream) => arms.map((arm) => reportColumn(stream, arm)));
  return render(
    columns,
    [
      ['', ...titles],
      ['', ...names],
    ],
    paint,
  );
}

function reportColumn(stream: DemoStream, arm: ArmReport): Column {
  const report = arm.streams[stream.name];
  return {
    received: report?.received ?? 0,
    causes: report?.causes ?? {},
    ageMs: report?.age_ms ?? { p50: null, p95: null, max: null },
    maxAgeMs: stream.maxAgeMs,
    lost: report?.lost_before_node ?? 0,
  };
}

function contractOf({ guarded, maxAgeMs }: DemoStream): string {
  return `${guarded ? 'protected' : 'best effort'}, ≤ ${maxAgeMs} ms`;
}

function render(columns: readonly Column[], headings: readonly Row[], paint: Paint): string {
  const table = new Table({
    chars: { ...NO_LINES },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 2 },
    colAligns: ['left', ...columns.map(() => 'right' as const)],
  });
  const numbers = (label: string, count: (column: Column) => number): Row => [label, ...columns.map((column) => countCell(count(column)))];
  const ages = (label: string, age: (column: Column) => number | null): Row => [
    label,
    ...columns.map((column) => ageCell(age(column), column.maxAgeMs, paint)),
  ];
  const causes = inOrder(new Set([...ALWAYS, ...columns.flatMap((column) => Object.keys(column.causes))]));
  table.push(
    ...headings,
    numbers('frames received', ({ received }) => received),
  );
  for (const cause of causes) table.push([`  ${phraseOf(cause)}`, ...columns.map((column) => causeCell(column, cause, paint))]);
  // These are seldom there.
  if (columns.some(({ open }) => open !== undefined)) table.push(numbers('  waiting or running now', ({ open = 0 }) => open));
  if (columns.some((column) => unseenOf(column) > 0)) table.push(numbers('  ended unseen by this table', unseenOf));
  if (columns.some(({ lost }) => lost > 0)) table.push(numbers('lost on the way to the node', ({ lost }) => lost));
  table.push(
    ages('age of the results, half below', ({ ageMs }) => ageMs.p50),
    ages('  95 % below', ({ ageMs }) => ageMs.p95),
    ages('  oldest', ({ ageMs }) => ageMs.max),
  );
  return table.toString();
}

type Row = (string | { readonly content: string; readonly colSpan: number; readonly hAlign: 'right' })[];

const NO_LINES = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '',
} as const;

function unseenOf({ received, causes, open = 0 }: Column): number {
  return Math.max(0, received - open - Object.values(causes).reduce((sum, count) => sum + count, 0));
}

function causeCell({ causes, received }: Column, cause: string, paint: Paint): string {
  const count = causes[cause] ?? 0;
  const cell = countCell(count, count === 0 ? '' : percent(count, received));
  if (count === 0) return paint.dim(cell);
  if (cause === 'delivered') return paint.good(cell);
  return cause === 'obsolete' ? paint.bad(cell) : cell;
}

const SHARE_WIDTH = 6;

/** Numbers of a column stand below each other, with a share behind or without. */
function countCell(count: number, share = ''): string {
  return `${count}${share.padStart(SHARE_WIDTH)}`;
}

function percent(count: number, of: number): string {
  const share = (100 * count) / of;
  return share < 1 ? '<1 %' : `${count < of ? Math.min(99, Math.round(share)) : 100} %`;
}

function ageCell(ageMs: number | null, maxAgeMs: number, paint: Paint): string {
  if (ageMs === null) return `–${' '.repeat(SHARE_WIDTH)}`;
  const cell = `${Math.round(ageMs)}${' ms'.padEnd(SHARE_WIDTH)}`;
  return ageMs > maxAgeMs ? paint.bad(cell) : cell;
}
