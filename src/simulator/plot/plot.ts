/** The report in pictures: coverage over load, what each stream pays, age over time, and what the slots did. */
import { atLoad } from '../load.js';
import type { Measures, SimulationReport } from '../report.js';
import { runPolicy } from '../run-task.js';
import { isGuarded, type Scenario } from '../scenario.js';
import { medianOf } from '../summary.js';
import { Workload } from '../workload.js';
import { ageCurve } from './age.js';
import { CHART_HEIGHT, CHART_WIDTH, type Curve, drawChart, drawLegend } from './chart.js';
import { policyStyles, streamColour } from './colours.js';
import { type Band, drawGantt } from './gantt.js';
import { moved, picture, text } from './svg.js';

const WIDTH = 900;
const MARGIN = 20;
const PER_ROW = 2;
/** The timelines show a piece of the middle of the run, with the first seed, at the load nearest to this. */
const SHOWN_LOAD = 1100;
const SHOWN_PERIODS = 12;
const TICKS = 5;
const AS_WRITTEN = 1000;
const OURS = 'governor';
/** Pieces of timelines are whole multiples of this, so that instants on their axes are round. */
const PIECE_NS = 100_000_000;

export function drawPlot(scenario: Scenario, report: SimulationReport): string {
  const page = new Page();
  const curves = curvesOf(scenario);
  drawLoads(page, scenario, report, curves);
  drawTimelines(page, scenario, curves);
  return page.finish(`vig simulate ${scenario.name}`);
}

/** Coverage over load and the price alone. */
export function drawLoadPlot(scenario: Scenario, report: SimulationReport): string {
  const page = new Page();
  drawLoads(page, scenario, report, curvesOf(scenario));
  return page.finish(scenario.name);
}

type NamedCurve = Omit<Curve, 'points'>;

/** What lies on top of each other: the governor is seen. */
function curvesOf({ policies }: Scenario): NamedCurve[] {
  const styles = policyStyles(policies);
  const rank = (name: string) => (name === OURS ? 2 : name.startsWith(OURS) ? 1 : 0);
  const inOrder = [...policies].sort((a, b) => rank(a) - rank(b));
  return inOrder.flatMap((name) => {
    const style = styles.get(name);
    return style === undefined ? [] : [{ name, style }];
  });
}

function drawLoads(page: Page, scenario: Scenario, report: SimulationReport, curves: readonly NamedCurve[]): void {
  const over = loadCurves(scenario, report, curves);
  page.heading(`${scenario.name}: periods without a fresh result`);
  page.place(
    drawLegend(
      curves.map(({ name, style }) => ({ name, style, colour: style.colour })),
      WIDTH - 2 * MARGIN,
    ),
  );
  page.charts([
    over('worst guarded stream, window view', ({ worst_guarded }) => worst_guarded?.window_uncovered_permille),
    over('worst guarded stream, consumer view', ({ worst_guarded }) => worst_guarded?.consumer_uncovered_permille),
  ]);
  page.heading('the price, stream by stream');
  page.charts(
    scenario.streams.map(({ name, class: streamClass }) =>
      over(`${name} (${streamClass})`, ({ streams }) => streams[name]?.window_uncovered_permille),
    ),
  );
}

type LoadChart = (title: string, value: (measures: Measures) => number | undefined) => string;

function loadCurves(scenario: Scenario, { runs }: SimulationReport, curves: readonly NamedCurve[]): LoadChart {
  const loads = scenario.loads.map((load) => load ?? null);
  return (title, value) =>
    drawChart({
      title,
      xLabel: 'load, ‰',
      yLabel: 'uncovered, ‰',
      xTicks: loads.map((load) => load ?? AS_WRITTEN),
      marked: true,
      curves: curves.map((curve) => ({
        ...curve,
        points: loads.flatMap((load) => {
          const own = runs.filter((run) => run.policy === curve.name && run.load_permille === load);
          const y = own.length === 0 ? undefined : value(medianOf(own.map(measuresOf)));
          return y === undefined ? [] : [[load ?? AS_WRITTEN, y] as const];
        }),
      })),
    });
}

function measuresOf({ streams, worst_guarded, valid, stale_compute_permille, slot_busy_permille }: Measures): Measures {
  return { streams, worst_guarded, valid, stale_compute_permille, slot_busy_permille };
}

function drawTimelines(page: Page, scenario: Scenario, curves: readonly NamedCurve[]): void {
  const load = [...scenario.loads].sort((a, b) => distance(a) - distance(b))[0];
  const scaled = atLoad(scenario, load);
  const seed = scenario.seeds[0] ?? 0;
  const workload = new Workload(scaled, seed);
  const guarded = scaled.streams.filter(isGuarded);
  const shown = guarded.length > 0 ? guarded : scaled.streams;
  const pieces = Math.ceil((SHOWN_PERIODS * Math.max(...shown.map(({ source }) => source.periodNs))) / PIECE_NS / TICKS) * TICKS;
  const fromNs = Math.max(0, Math.floor((scaled.runNs - pieces * PIECE_NS) / 2 / PIECE_NS) * PIECE_NS);
  const toNs = fromNs + pieces * PIECE_NS;
  // A plan for each stream alone has no timeline of the slots.
  const runs = curves
    .filter(({ name }) => name !== 'clairvoyant')
    .map((curve): Band & { curve: typeof curve } => ({ policy: curve.name, ledger: runPolicy(scaled, workload, curve.name), curve }));
  page.heading(`age of the newest result over time, ms (load ${load ?? AS_WRITTEN} ‰, seed 0x${seed.toString(16).toUpperCase()})`);
  const ticks = Array.from({ length: TICKS + 1 }, (_, tick) => (fromNs + ((toNs - fromNs) * tick) / TICKS) / 1_000_000);
  page.charts(
    shown.map((stream) =>
      drawChart({
        title: `${stream.name}, fresh up to ${stream.contract.maxAgeNs / 1_000_000} ms`,
        xLabel: 'ms',
        yLabel: 'age, ms',
        xTicks: ticks,
        marked: false,
        curves: runs.map(({ ledger, curve }) => ({ ...curve, points: ageCurve(ledger, scaled.streams.indexOf(stream), fromNs, toNs) })),
      }),
    ),
  );
  page.heading('the slots: boxes are executions, hollow ones brought nothing fresh, ticks are arrivals');
  page.place(
    drawLegend(
      scaled.streams.map(({ name }, index) => ({ name, colour: streamColour(index) })),
      WIDTH - 2 * MARGIN,
    ),
  );
  page.place(drawGantt(runs, fromNs, toNs, WIDTH - 2 * MARGIN));
}

function distance(load: number | undefined): number {
  return Math.abs((load ?? AS_WRITTEN) - SHOWN_LOAD);
}

/** Drawings below each other. */
class Page {
  readonly #parts: string[] = [];
  #y = MARGIN;

  heading(words: string): void {
    this.#y += 14;
    this.#parts.push(text(MARGIN, this.#y, words, { 'font-size': 15, 'font-weight': 'bold' }));
    this.#y += 12;
  }

  place({ content, height }: { readonly content: string; readonly height: number }): void {
    this.#parts.push(moved(MARGIN, this.#y, content));
    this.#y += height + 6;
  }

  charts(charts: readonly string[]): void {
    charts.forEach((chart, index) => {
      this.#parts.push(moved(MARGIN + (index % PER_ROW) * CHART_WIDTH, this.#y, chart));
      if (index % PER_ROW === PER_ROW - 1 || index === charts.length - 1) this.#y += CHART_HEIGHT + 6;
    });
  }

  finish(title: string): string {
    return picture(WIDTH, this.#y + MARGIN, title, this.#parts.join('\n'));
  }
}
