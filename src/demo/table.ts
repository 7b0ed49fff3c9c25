/** The demo's table: what became of the frames, one column a stream. Pure. */
import Table from 'cli-table3';
import type { AgeMs, ArmReport } from './arm-report.js';
import { type DemoStream, STREAMS } from './demo-parameters.js';
import type { Paint } from './paint.js';
import { inOrder, phraseOf } from './words.js';

export interface Column {
  readonly heading: readonly string[];
  readonly received: number;
  readonly causes: Readonly<Record<string, number>>;
  readonly ageMs: AgeMs;
  readonly maxAgeMs: number;
  /** Frames that wait or run now. */
  readonly open: number;
}

/** Rows that stand there from the start, so that the table does not jump. */
const ALWAYS = ['delivered', 'obsolete', 'newer_capture'];

/** The table of one arm while it runs. */
export function armTable(columns: ReadonlyMap<DemoStream, Omit<Column, 'heading'>>, paint: Paint): string {
  const headed = [...columns].map(([stream, column]) => ({ ...column, heading: [stream.title, contractOf(stream)] }));
  return render(headed, paint);
}

/** Each stream in both arms side by side; one arm alone where there is only one. */
export function comparisonTable(arms: readonly ArmReport[], paint: Paint): string {
  const columns = STREAMS.flatMap((stream) => arms.map((arm, index) => reportColumn(stream, arm, index === 0)));
  return render(columns, paint);
}

function reportColumn(stream: DemoStream, arm: ArmReport, first: boolean): Column {
  const report = arm.streams[stream.name];
  return {
    heading: [first ? stream.title : '', arm.governor ? 'governor' : 'without'],
    received: report?.received ?? 0,
    causes: report?.causes ?? {},
    ageMs: report?.age_ms ?? { p50: null, p95: null, max: null },
    maxAgeMs: stream.maxAgeMs,
    open: 0,
  };
}

function contractOf({ guarded, maxAgeMs }: DemoStream): string {
  return `${guarded ? 'protected' : 'best effort'}, ≤ ${maxAgeMs} ms`;
}

function render(columns: readonly Column[], paint: Paint): string {
  const table = new Table({
    chars: { ...NO_LINES },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 2 },
    colAligns: ['left', ...columns.map(() => 'right' as const)],
  });
  for (const line of [0, 1]) table.push(['', ...columns.map(({ heading }) => paint.bold(heading[line] ?? ''))]);
  table.push(['frames received', ...columns.map(({ received }) => shareCell(received, undefined, paint))]);
  for (const cause of inOrder(new Set([...ALWAYS, ...columns.flatMap(({ causes }) => Object.keys(causes))]))) {
    table.push([`  ${phraseOf(cause)}`, ...columns.map((column) => causeCell(column, cause, paint))]);
  }
  if (columns.some(isOpen)) table.push(['  waiting or running now', ...columns.map(({ open }) => shareCell(open, undefined, paint))]);
  const unseen = columns.map(unseenOf);
  if (unseen.some((count) => count > 0))
    table.push(['  ended unseen by this table', ...unseen.map((count) => shareCell(count, undefined, paint))]);
  table.push(['age of the results, half below', ...columns.map(({ ageMs, maxAgeMs }) => ageCell(ageMs.p50, maxAgeMs, paint))]);
  table.push(['  95 % below', ...columns.map(({ ageMs, maxAgeMs }) => ageCell(ageMs.p95, maxAgeMs, paint))]);
  table.push(['  oldest', ...columns.map(({ ageMs, maxAgeMs }) => ageCell(ageMs.max, maxAgeMs, paint))]);
  return table.toString();
}

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

function isOpen({ open }: Column): boolean {
  return open > 0;
}

function unseenOf({ received, causes, open }: Column): number {
  return Math.max(0, received - open - Object.values(causes).reduce((sum, count) => sum + count, 0));
}

function causeCell({ causes, received }: Column, cause: string, paint: Paint): string {
  const count = causes[cause] ?? 0;
  const cell = shareCell(count, received, paint);
  if (count === 0) return paint.dim(cell);
  if (cause === 'delivered') return paint.good(cell);
  return cause === 'obsolete' ? paint.bad(cell) : cell;
}

const SHARE_WIDTH = 6;

/** A number, and its share where it is one of something; the numbers of a column stand below each other. */
function shareCell(count: number, of: number | undefined, paint: Paint): string {
  const share = of === undefined || of === 0 || count === 0 ? '' : percent(count, of);
  return `${count}${paint.dim(share.padStart(SHARE_WIDTH))}`;
}

function percent(count: number, of: number): string {
  const share = (100 * count) / of;
  return share < 1 ? '<1 %' : `${count < of ? Math.min(99, Math.round(share)) : 100} %`;
}

function ageCell(ageMs: number | null, maxAgeMs: number, paint: Paint): string {
  if (ageMs === null) return paint.dim(`–${' '.repeat(SHARE_WIDTH)}`);
  const cell = `${Math.round(ageMs)}${' ms'.padEnd(SHARE_WIDTH)}`;
  return ageMs > maxAgeMs ? paint.bad(cell) : cell;
}
