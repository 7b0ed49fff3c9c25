/** The report as one HTML page with its plots, without scripts and without anything from elsewhere. */
import type { Cause } from '../../core/catalogue.js';
import { CHART_HEIGHT, CHART_WIDTH, type Curve, drawChart, drawLegend, type LegendEntry } from '../../simulator/plot/chart.js';
import { type CurveStyle, MARKS, streamColour } from '../../simulator/plot/colours.js';
import { moved, picture } from '../../simulator/plot/svg.js';
import { type ContractReport, contractName, type ReplayReport } from '../report.js';
import { textReport } from '../text-report.js';
import { drawSlots } from './slots.js';
import { type BarKind, drawStackedBars } from './stacked-bars.js';
import { SPANS, type Timeline } from './timeline.js';

const NS_PER_S = 1e9;
const NS_PER_MS = 1e6;
const PER_ROW = 2;
const WIDTH = CHART_WIDTH * PER_ROW;
const TICKS = 5;
/** Spans are finer than what can be told apart by eye. */
const BARS = 60;
const FRESH: Cause = 'delivered';
const FRESH_COLOUR = '#2a9d4b';
const LOSS_COLOURS = [
  '#8d99ae',
  '#d1495b',
  '#e07b00',
  '#1b6ca8',
  '#8e44ad',
  '#f2b134',
  '#a0522d',
  '#56b4e9',
  '#c49be0',
  '#6b7a00',
  '#ef8f8f',
  '#000000',
];
const STYLE =
  'body{font-family:sans-serif;margin:2em auto;max-width:900px}pre{overflow-x:auto;background:#f4f5f7;padding:1em}svg{max-width:100%;height:auto}';

interface Drawn {
  readonly name: string;
  readonly report: ContractReport;
  readonly timeline: Timeline;
}

/** @param timelines one a contract, in their order. */
export function replayPage(report: ReplayReport, timelines: readonly Timeline[]): string {
  const reports: readonly ContractReport[] = [report, ...(report.compare ?? [])];
  const drawn = timelines.flatMap((timeline, index): Drawn[] => {
    const own = reports[index];
    return own === undefined ? [] : [{ name: contractName(own.params), report: own, timeline }];
  });
  const problems = report.problems.map((line) => `<li>${escaped(line)}</li>`).join('');
  const title = escaped(`vig replay ${report.bag}`);
  return [
    '<!doctype html>',
    `<html lang="en"><head><meta charset="utf-8"><title>${title}</title><style>${STYLE}</style></head>`,
    `<body><h1>${title}</h1>`,
    problems === '' ? '' : `<h2>What could not be replayed, or misleads</h2><ul>${problems}</ul>`,
    `<pre>${escaped(textReport(report))}</pre>`,
    charts('Age of the newest result: the highest in each span of time', ageCharts(drawn), contractLegend(drawn)),
    ...drawn.map((one) => charts(`How messages ended, over time: ${one.name}`, causeCharts(one), causeLegend(one))),
    charts('How busy the slots were', slotCharts(drawn), contractLegend(drawn)),
    ...drawn.map(({ name, timeline }) => {
      const { content, height } = drawSlots(timeline, WIDTH);
      return figure(`The slots in the middle of the bag (hollow: nothing fresh came of it): ${name}`, content, height);
    }),
    '</body></html>\n',
  ].join('\n');
}

/** Charts side by side below a legend. */
function charts(title: string, drawings: readonly string[], entries: readonly LegendEntry[]): string {
  const legend = entries.length === 0 ? { content: '', height: 0 } : drawLegend(entries, WIDTH);
  const placed = drawings.map((drawing, index) =>
    moved((index % PER_ROW) * CHART_WIDTH, legend.height + 8 + Math.floor(index / PER_ROW) * CHART_HEIGHT, drawing),
  );
  return figure(title, [legend.content, ...placed].join(''), legend.height + 8 + Math.ceil(drawings.length / PER_ROW) * CHART_HEIGHT);
}

function figure(title: string, content: string, height: number): string {
  return `<h2>${escaped(title)}</h2>\n${picture(WIDTH, height, title, content)}`;
}

function contractLegend(drawn: readonly Drawn[]): LegendEntry[] {
  const styles = stylesOf(drawn);
  return drawn.flatMap(({ name }) => {
    const style = styles.get(name);
    return style === undefined || drawn.length === 1 ? [] : [{ name, style, colour: style.colour }];
  });
}

function ageCharts(drawn: readonly Drawn[]): string[] {
  const names = [...new Set(drawn.flatMap(({ timeline }) => [...timeline.streams.keys()]))];
  return names.map((stream) =>
    overTime(stream, 'age, ms', drawn, ({ timeline }) => timeline.streams.get(stream)?.peakAgesNs.map((ns) => ns / NS_PER_MS)),
  );
}

function slotCharts(drawn: readonly Drawn[]): string[] {
  const names = [...new Set(drawn.flatMap(({ timeline }) => [...timeline.busyNs.keys()]))];
  return names.map((backend) =>
    overTime(backend, 'busy, %', drawn, ({ timeline, report }) => {
      const slots = report.backends[backend]?.slots ?? 1;
      return timeline.busyNs.get(backend)?.map((ns) => (100 * ns) / (timeline.spanNs * slots));
    }),
  );
}

function overTime(title: string, yLabel: string, drawn: readonly Drawn[], valuesOf: (one: Drawn) => Float64Array | undefined): string {
  const styles = stylesOf(drawn);
  const seconds = Math.max(...drawn.map(({ timeline }) => timeline.endNs)) / NS_PER_S;
  const curves = drawn.flatMap((one): Curve[] => {
    const style = styles.get(one.name);
    const spanS = one.timeline.spanNs / NS_PER_S;
    const points = [...(valuesOf(one) ?? [])].flatMap((y, span) => (Number.isNaN(y) ? [] : [[(span + 0.5) * spanS, y] as const]));
    return style === undefined ? [] : [{ name: one.name, style, points }];
  });
  const xTicks = Array.from({ length: TICKS + 1 }, (_, tick) => Math.round((seconds * tick * 10) / TICKS) / 10);
  return drawChart({ title, xLabel: 's', yLabel, curves, xTicks, marked: false });
}

const DASHES = [undefined, '8 3', '2 2.5', '9 3 2 3'];

/** By contract; the first one is a whole line. */
function stylesOf(drawn: readonly Drawn[]): ReadonlyMap<string, CurveStyle> {
  return new Map(
    drawn.map(({ name }, index) => [
      name,
      { colour: streamColour(index + 1), dash: DASHES[index % DASHES.length], mark: MARKS[index % MARKS.length] ?? 'circle' },
    ]),
  );
}

function causeCharts({ timeline }: Drawn): string[] {
  const colours = causeColours(timeline);
  return [...timeline.streams].map(([stream, { causes }]) => {
    const kinds = [...causes].map(([name, counts]): BarKind => ({ name, counts: inBars(counts), colour: colours.get(name) ?? '#000' }));
    const seconds = timeline.endNs / NS_PER_S;
    return drawStackedBars(`${stream}: messages in ${Math.round((seconds / BARS) * 100) / 100} s`, kinds.sort(byName), seconds);
  });
}

function causeLegend({ timeline }: Drawn): LegendEntry[] {
  return [...causeColours(timeline)].map(([name, colour]) => ({ name, colour }));
}

function inBars(counts: Uint32Array): number[] {
  return Array.from({ length: BARS }, (_, bar) =>
    counts.subarray((bar * SPANS) / BARS, ((bar + 1) * SPANS) / BARS).reduce((sum, count) => sum + count, 0),
  );
}

/** The same in all charts of a contract. */
function causeColours(timeline: Timeline): ReadonlyMap<string, string> {
  const names: readonly string[] = [...new Set([...timeline.streams.values()].flatMap(({ causes }) => [...causes.keys()]))].sort();
  return new Map([
    [FRESH, FRESH_COLOUR],
    ...names.filter((name) => name !== FRESH).map((name, index) => [name, LOSS_COLOURS[index % LOSS_COLOURS.length] ?? '#000'] as const),
  ]);
}

function byName(a: BarKind, b: BarKind): number {
  return a.name < b.name ? -1 : 1;
}

function escaped(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
