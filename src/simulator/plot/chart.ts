/** A chart with lines: axes, ticks and curves in a frame of fixed size. */
import { element, polyline, text } from './svg.js';

export interface Curve {
  readonly name: string;
  readonly colour: string;
  readonly points: readonly (readonly [number, number])[];
  readonly dashed?: boolean;
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
  const lines = curves.flatMap(({ points, colour, dashed }) => {
    const places = points.map(([x, y]) => [toX(x), toY(y)] as const);
    const line = polyline(places, { stroke: colour, 'stroke-width': 1.8, 'stroke-dasharray': dashed ? '5 3' : undefined });
    const marks = marked ? places.map(([cx, cy]) => element('circle', { cx, cy, r: 2.4, fill: colour })) : [];
    return [line, ...marks];
  });
  return [
    text(LEFT, 14, title, { 'font-weight': 'bold' }),
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

/** Names beside lines of their colour, in rows as wide as `width`. */
export function drawLegend(
  curves: readonly Pick<Curve, 'name' | 'colour' | 'dashed'>[],
  width: number,
): { content: string; height: number } {
  const cell = Math.max(...curves.map(({ name }) => name.length)) * 6.6 + 34;
  const perRow = Math.max(1, Math.floor(width / cell));
  const parts = curves.flatMap(({ name, colour, dashed }, index) => {
    const x = (index % perRow) * cell;
    const y = Math.floor(index / perRow) * 16 + 8;
    const line = element('line', {
      x1: x,
      x2: x + 20,
      y1: y,
      y2: y,
      stroke: colour,
      'stroke-width': 3,
      'stroke-dasharray': dashed ? '5 3' : undefined,
    });
    return [line, text(x + 25, y + 4, name)];
  });
  return { content: parts.join(''), height: Math.ceil(curves.length / perRow) * 16 + 4 };
}
