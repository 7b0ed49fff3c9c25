/** Counts over time, one colour a kind, on top of each other. */
import { CHART_HEIGHT, CHART_WIDTH } from '../../simulator/plot/chart.js';
import { element, text } from '../../simulator/plot/svg.js';

export interface BarKind {
  readonly name: string;
  readonly colour: string;
  readonly counts: ArrayLike<number>;
}

const LEFT = 46;
const TOP = 24;
const RIGHT = 10;
const BOTTOM = 36;

/** @param seconds what the whole width stands for */
export function drawStackedBars(title: string, kinds: readonly BarKind[], seconds: number): string {
  const columns = Math.max(0, ...kinds.map(({ counts }) => counts.length));
  const totals = Array.from({ length: columns }, (_, column) => kinds.reduce((sum, { counts }) => sum + (counts[column] ?? 0), 0));
  const top = Math.max(1, ...totals);
  const width = (CHART_WIDTH - LEFT - RIGHT) / Math.max(1, columns);
  const height = CHART_HEIGHT - TOP - BOTTOM;
  const floor = CHART_HEIGHT - BOTTOM;
  const parts = [text(LEFT, 11, title, { 'font-weight': 'bold' })];
  for (const value of [0, top / 2, top]) {
    const y = floor - (value / top) * height;
    parts.push(element('line', { x1: LEFT, x2: CHART_WIDTH - RIGHT, y1: y, y2: y, stroke: '#e3e6ea' }));
    parts.push(text(LEFT - 5, y + 4, String(Math.round(value * 10) / 10), { 'text-anchor': 'end', fill: '#555' }));
  }
  for (const tick of [0, 0.25, 0.5, 0.75, 1]) {
    const label = String(Math.round(tick * seconds * 10) / 10);
    parts.push(text(LEFT + tick * columns * width, floor + 14, label, { 'text-anchor': 'middle', fill: '#555' }));
  }
  parts.push(text((LEFT + CHART_WIDTH - RIGHT) / 2, CHART_HEIGHT - 6, 's', { 'text-anchor': 'middle', fill: '#555' }));
  for (let column = 0; column < columns; column += 1) parts.push(...drawColumn(kinds, column, { width, height: height / top, floor }));
  return parts.join('');
}

function drawColumn(
  kinds: readonly BarKind[],
  column: number,
  { width, height, floor }: { width: number; height: number; floor: number },
): string[] {
  let y = floor;
  return kinds.flatMap(({ counts, colour }) => {
    const bar = (counts[column] ?? 0) * height;
    if (bar === 0) return [];
    y -= bar;
    return [element('rect', { x: LEFT + column * width, y, width: Math.max(0.6, width), height: bar, fill: colour })];
  });
}
