/** A chart with lines: axes, ticks and curves in a frame of fixed size. */
import type { CurveStyle } from './colours.js';
import { element, polyline, rounded, text } from './svg.js';

export interface Curve {
  readonly name: string;
  readonly style: CurveStyle;
  readonly points: readonly (readonly [number, number])[];
}

export interface Chart {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly curves: readonly Curve[];
  readonly xTicks: readonly number[];
  /** A point for every value, where there are few. */
  readonly marked: boolean;
}

export const CHART_WIDTH = 430;
export const CHART_HEIGHT = 250;
const LEFT = 46;
const TOP = 24;
const RIGHT = 10;
const BOTTOM = 36;
const GRID = '#e3e6ea';
const STEPS = [1, 2, 2.5, 5, 10];

export function drawChart({ title, xLabel, yLabel, curves, xTicks, marked }: Chart): string {
  const ys = curves.flatMap(({ points }) => points.map(([, y]) => y));
  const step = niceStep(Math.max(1, ...ys) / 5);
  const top = Math.ceil(Math.max(1, ...ys) / step) * step;
  const [x0 = 0, x1 = 1] = [Math.min(...xTicks), Math.max(...xTicks)];
  const toX = (x: number) => LEFT + (x1 === x0 ? 0.5 : (x - x0) / (x1 - x0)) * (CHART_WIDTH - LEFT - RIGHT);
  const toY = (y: number) => CHART_HEIGHT - BOTTOM - (y / top) * (CHART_HEIGHT - TOP - BOTTOM);
  const horizontal = Array.from({ length: Math.round(top / step) + 1 }, (_, index) => index * step).flatMap((y) => [
    element('line', { x1: LEFT, x2: CHART_WIDTH - RIGHT, y1: toY(y), y2: toY(y), stroke: GRID }),
    text(LEFT - 5, toY(y) + 4, String(Math.round(y * 10) / 10), { 'text-anchor': 'end', fill: '#555' }),
  ]);
  const ticks = [...new Set(xTicks)].map((x) =>
    text(toX(x), CHART_HEIGHT - BOTTOM + 14, String(x), { 'text-anchor': 'middle', fill: '#555' }),
  );
  // The first ones are the widest: what lies on top of each other is seen around the next.
  const lines = curves.flatMap(({ points, style }, index) => {
    const width = 1.5 + (2.5 * (curves.length - 1 - index)) / Math.max(1, curves.length - 1);
    const places = points.map(([x, y]) => [toX(x), toY(y)] as const);
    const line = polyline(places, { stroke: style.colour, 'stroke-width': width, 'stroke-dasharray': style.dash });
    return [line, ...(marked ? places.map(([x, y]) => drawMark(x, y, width + 0.8, style)) : [])];
  });
  return [
    text(LEFT, 11, title, { 'font-weight': 'bold' }),
    text(LEFT, 21, sameCurves(curves), { 'font-size': 9, fill: '#555' }),
    ...horizontal,
    ...ticks,
    text((LEFT + CHART_WIDTH - RIGHT) / 2, CHART_HEIGHT - 6, xLabel, { 'text-anchor': 'middle', fill: '#555' }),
    text(0, 0, yLabel, {
      'text-anchor': 'middle',
      fill: '#555',
      transform: `translate(10 ${(TOP + CHART_HEIGHT - BOTTOM) / 2}) rotate(-90)`,
    }),
    ...lines,
  ].join('');
}

function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  return (STEPS.find((step) => step * power >= rough) ?? 10) * power;
}

const SHOWN_CHARACTERS = 78;

/** Which curves are one line, in words. */
function sameCurves(curves: readonly Curve[]): string {
  const groups = new Map<string, Curve[]>();
  for (const curve of curves) {
    const line = JSON.stringify(curve.points);
    groups.set(line, [...(groups.get(line) ?? []), curve]);
  }
  const same = [...groups.values()].filter((group) => group.length > 1).map((group) => group.map(({ name }) => name).join(' = '));
  const words = same.length === 0 ? '' : `the same: ${same.join('; ')}`;
  return words.length <= SHOWN_CHARACTERS ? words : `${words.slice(0, SHOWN_CHARACTERS - 1)}…`;
}

function drawMark(x: number, y: number, r: number, { mark, colour }: CurveStyle): string {
  const lines = (path: string) => element('path', { d: path, stroke: colour, 'stroke-width': 1.6, fill: 'none' });
  const corners = (...points: (readonly [number, number])[]) =>
    element('path', {
      d: `${points.map(([dx, dy], index) => `${index === 0 ? 'M' : 'L'}${rounded(x + dx * r)} ${rounded(y + dy * r)}`).join('')}Z`,
      fill: colour,
    });
  switch (mark) {
    case 'circle':
      return element('circle', { cx: x, cy: y, r, fill: colour });
    case 'square':
      return element('rect', { x: x - r, y: y - r, width: 2 * r, height: 2 * r, fill: colour });
    case 'triangle':
      return corners([0, -1.2], [1.1, 0.8], [-1.1, 0.8]);
    case 'diamond':
      return corners([0, -1.3], [1.3, 0], [0, 1.3], [-1.3, 0]);
    case 'cross':
      return lines(
        `M${rounded(x - r)} ${rounded(y - r)}L${rounded(x + r)} ${rounded(y + r)}M${rounded(x - r)} ${rounded(y + r)}L${rounded(x + r)} ${rounded(y - r)}`,
      );
    case 'plus':
      return lines(
        `M${rounded(x - r)} ${rounded(y)}L${rounded(x + r)} ${rounded(y)}M${rounded(x)} ${rounded(y - r)}L${rounded(x)} ${rounded(y + r)}`,
      );
  }
}

export interface LegendEntry {
  readonly name: string;
  readonly colour: string;
  /** Of a curve; what has none is a plain line. */
  readonly style?: CurveStyle;
}

/** Names beside lines of their colour, in rows as wide as `width`. */
export function drawLegend(entries: readonly LegendEntry[], width: number): { content: string; height: number } {
  const cell = Math.max(...entries.map(({ name }) => name.length)) * 6.6 + 42;
  const perRow = Math.max(1, Math.floor(width / cell));
  const parts = entries.flatMap(({ name, colour, style }, index) => {
    const x = (index % perRow) * cell;
    const y = Math.floor(index / perRow) * 16 + 8;
    const dash = { 'stroke-dasharray': style?.dash };
    const line = element('line', { x1: x, x2: x + 28, y1: y, y2: y, stroke: colour, 'stroke-width': style === undefined ? 3 : 2, ...dash });
    return [line, ...(style === undefined ? [] : [drawMark(x + 14, y, 3, style)]), text(x + 33, y + 4, name)];
  });
  return { content: parts.join(''), height: Math.ceil(entries.length / perRow) * 16 + 4 };
}
