/** What was to be reached, and whether it is. */
import type { FigureTable } from '../report.js';
import { consumerUncovered, type Figure, type Figures, type Load, ofStream, valid, windowUncovered, worstWindow } from './figures.js';
import type { AllFigures } from './sections.js';
import { FIFO_DEPTHS, OURS, ROUND_TRIPS, SUPPLY } from './studies.js';
import { bestVariantShare, loadText, NOTHING } from './tables.js';

export interface Target {
  readonly text: string;
  readonly ours: string;
  readonly met: boolean;
}

type ByLoad = Readonly<Record<number, number>>;

/** The rule that is best for one stream, on seeds of its own. */
const RATIO_RULE: ByLoad = { 750: 118, 900: 185, 1000: 117, 1100: 183, 1250: 318, 1500: 515 };
const RATIO_TOLERANCE = 1.03;
const B_CLOCK: ByLoad = { 500: 3, 750: 3, 900: 3, 1000: 6, 1100: 12, 1250: 25, 1500: 100 };
const B_NO_CLOCK: ByLoad = { 500: 3, 750: 3, 900: 5, 1000: 6, 1100: 10, 1250: 25, 1500: 170 };
const VALID_SHARE = 0.95;
const OVERLOADED = 1100;
const FEWER = 2;
const LESS_STALE = 0.7;
const FLOOR_MS_PER_S = 300;
/** What the default pipelining may cost a single overloaded camera. */
const PIPELINING_TOLERANCE = 1.1;

export function targets(all: AllFigures): Target[] {
  const of = <T>(name: string, judge: (figures: Figures) => T[]): T[] => {
    const figures = all.get(name);
    return figures === undefined || !figures.has(OURS) ? [] : judge(figures);
  };
  return [
    ...of('a-freshness', (figures) => [
      atMost(
        'A within 3 % of the ratio rule (118/185/117/183/318/515)',
        figures,
        mapped(RATIO_RULE, (value) => value * RATIO_TOLERANCE),
      ),
    ]),
    ...of('b-protected-clock', (figures) => [atMost('B, clock declared, at most 3/3/3/6/12/25/100', figures, B_CLOCK)]),
    ...of('b-protected', (figures) => [atMost('B, no clock, at most 3/3/5/6/10/25/170', figures, B_NO_CLOCK)]),
    ...['a-freshness', 'b-protected'].flatMap((name) => of(name, gate)),
    ...['ramp', 'ramp-clock'].flatMap((name) =>
      of(name, (figures) => [
        neverAbove(
          `${name}: detector in the consumer view never above fifo`,
          figures,
          bestFifo(figures),
          ofStream('detector', consumerUncovered),
        ),
      ]),
    ),
    ...SUPPLY.flatMap((name) => of(name, (figures) => [supply(figures)])),
    ...of('frontier-14', (figures) => [frontier(figures)]),
    ...of('four-cameras', (figures) => [cameras(figures)]),
    ...ROUND_TRIPS.filter(({ depth }) => depth > 0).flatMap(({ ms }) => pipelining(all, ms)),
  ];
}

export function targetTable(targets: readonly Target[]): FigureTable {
  return {
    columns: ['target', `ours (${OURS})`, ''],
    rows: targets.map(({ text, ours, met }) => [text, ours, met ? 'met' : '**missed**']),
  };
}

function gate(figures: Figures): Target[] {
  const fifo = bestFifo(figures);
  const at = (policy: string, load: Load, figure: Figure) => figures.median(policy, load, figure) ?? Number.NaN;
  const share = (load: Load) => at(OURS, load, valid) / at(fifo, load, valid);
  const overloaded = figures.loads.filter((load) => (load ?? 0) >= OVERLOADED);
  const stale: Figure = (run) => run.stale_compute_permille;
  const fewer = overloaded.map((load) => at(fifo, load, worstWindow) / Math.max(1, at(OURS, load, worstWindow)));
  const staleShares = overloaded.map((load) => at(OURS, load, stale) / Math.max(1, at(fifo, load, stale)));
  const { name } = figures.scenario;
  return [
    {
      text: `${name}: valid results at least 95 % of fifo's at every load`,
      ours: inPercent(figures.loads.map(share)),
      met: figures.loads.every((load) => share(load) >= VALID_SHARE),
    },
    {
      text: `${name}: at a load from 110 % on uncovered at least 2x fewer`,
      ours: fewer.map((times) => `${times.toFixed(1)}x`).join('/'),
      met: fewer.some((times) => times >= FEWER),
    },
    {
      text: `${name}: at a load from 110 % on stale compute at least 30 % less`,
      ours: staleShares.map((part) => `-${Math.round(100 * (1 - part))} %`).join('/'),
      met: staleShares.some((part) => part <= LESS_STALE),
    },
    neverAbove(`${name}: window view never above latest_priority`, figures, 'latest_priority', worstWindow),
  ];
}

function supply(figures: Figures): Target {
  const consumer = figures.median(OURS, null, ofStream('detector', consumerUncovered));
  const kept = figures.median(
    OURS,
    null,
    ofStream('background', ({ delivered }) => delivered),
  );
  return {
    text: `${figures.scenario.name}: detector's consumer 0, the background keeps something`,
    ours: `${consumer ?? NOTHING} (${kept ?? NOTHING})`,
    met: consumer === 0 && kept !== undefined && kept > 1,
  };
}

function frontier(figures: Figures): Target {
  const uncovered = figures.median(OURS, null, ofStream('camera', windowUncovered));
  const large = figures.median(OURS, null, bestVariantShare('camera'));
  return {
    text: 'frontier at 14 ms: 0 uncovered, all on the large variant',
    ours: `${uncovered ?? NOTHING} (${large ?? NOTHING} ‰ large)`,
    met: uncovered === 0 && large === 1000,
  };
}

function cameras(figures: Figures): Target {
  const front = figures.median(OURS, null, ofStream('front', consumerUncovered));
  const perSecond =
    (figures.median(
      OURS,
      null,
      ofStream('vlm', ({ compute_ms }) => compute_ms),
    ) ?? 0) /
    (figures.scenario.runNs / 1e9);
  return {
    text: "four cameras: the floor of 300 ms in 1000 met, front's consumer 0",
    ours: `${front ?? NOTHING} (${Math.round(perSecond)} ms a second)`,
    met: front === 0 && perSecond >= FLOOR_MS_PER_S,
  };
}

function pipelining(all: AllFigures, ms: number): Target[] {
  const without = all.get(`a-freshness-round-trip-${ms}-depth-0`);
  const ahead = all.get(`a-freshness-round-trip-${ms}-depth-1`);
  const [load] = ahead?.loads ?? [];
  if (without === undefined || ahead === undefined || load === undefined) return [];
  const one = ahead.median(OURS, load, worstWindow) ?? Number.NaN;
  const zero = without.median(OURS, load, worstWindow) ?? Number.NaN;
  return [
    {
      text: `A at ${loadText(load)}, round trip ${ms} ms: depth 1 does not ruin it (at most 10 % above depth 0)`,
      ours: `${one} after ${zero}`,
      met: one <= zero * PIPELINING_TOLERANCE,
    },
  ];
}

function atMost(text: string, figures: Figures, limits: ByLoad): Target {
  const values = Object.entries(limits).map(([load, limit]) => ({ limit, value: figures.median(OURS, Number(load), worstWindow) }));
  return {
    text,
    ours: values.map(({ value }) => value ?? NOTHING).join('/'),
    met: values.every(({ value, limit }) => value !== undefined && value <= limit),
  };
}

function neverAbove(text: string, figures: Figures, other: string, figure: Figure): Target {
  const pairs = figures.loads.map((load) => [figures.median(OURS, load, figure), figures.median(other, load, figure)] as const);
  return {
    text,
    ours: pairs.map(([ours, theirs]) => `${ours ?? NOTHING} : ${theirs ?? NOTHING}`).join(', '),
    met: pairs.every(([ours, theirs]) => ours !== undefined && theirs !== undefined && ours <= theirs),
  };
}

function bestFifo(figures: Figures): string {
  return figures.bestFifo(FIFO_DEPTHS) ?? 'fifo-1';
}

function mapped(by: ByLoad, change: (value: number) => number): ByLoad {
  return Object.fromEntries(Object.entries(by).map(([load, value]) => [load, change(value)]));
}

function inPercent(shares: readonly number[]): string {
  return `${shares.map((share) => Math.round(100 * share)).join('/')} %`;
}
