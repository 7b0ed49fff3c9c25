/** Tables that several scenarios share. */
import type { RunReport, StreamReport } from '../../src/simulator/report.js';
import type { FigureTable } from '../report.js';
import { type Spread, shown } from '../statistics.js';
import {
  consumerUncovered,
  type Figure,
  type Figures,
  type Load,
  ofStream,
  valid,
  windowUncovered,
  worstConsumer,
  worstOf,
  worstWindow,
} from './figures.js';
import type { PublishedCoverage } from './published.js';
import { FIFO_DEPTHS } from './studies.js';

export const NOTHING = '–';
const LOAD_ONE_PERCENT = 10;
const GOVERNOR = 'governor-';

export interface Row {
  readonly label: string;
  readonly policy: string;
}

/**
 * Every policy that was run; of the bounded queues the best one only, and what made no difference beside what it did not differ from.
 * @param family other scenarios that stand in the same table.
 */
export function rowsOf(figures: Figures, family: readonly Figures[] = []): Row[] {
  const areAlike = (one: string, other: string) => [figures, ...family].every((each) => each.areAlike(one, other));
  const fifo = figures.bestFifo(FIFO_DEPTHS, family);
  const groups: string[][] = [];
  for (const policy of figures.policies) {
    if (policy !== fifo && FIFO_DEPTHS.includes(policy)) continue;
    const group = groups.find(([first = '']) => first.startsWith(GOVERNOR) && policy.startsWith(GOVERNOR) && areAlike(first, policy));
    if (group === undefined) groups.push([policy]);
    else group.push(policy);
  }
  return groups.map(([policy = '', ...alike]) => {
    const name = policy === fifo ? `fifo, depth ${policy.slice('fifo-'.length)}` : policy;
    return { policy, label: [name, ...alike.map((other) => other.slice(GOVERNOR.length))].join(' = ') };
  });
}

export function loadText(load: Load): string {
  return load === null ? 'as written' : `${load / LOAD_ONE_PERCENT} %`;
}

function cell(spread: Spread | undefined, digits = 0): string {
  return spread === undefined ? NOTHING : shown(spread, digits);
}

/** The median alone. */
export function middle(spread: Spread | undefined, digits = 0): string {
  return spread === undefined ? NOTHING : spread.median.toFixed(digits);
}

/** Medians beside each other. */
export function pair(figures: Figures, policy: string, load: Load, ...of: readonly Figure[]): string {
  return of.map((figure) => middle(figures.spread(policy, load, figure))).join('/');
}

/** Both views of one stream. */
export function viewsOf(figures: Figures, policy: string, load: Load, stream: string): string {
  return pair(figures, policy, load, ofStream(stream, windowUncovered), ofStream(stream, consumerUncovered));
}

export function coverageTable(figures: Figures, view: 'window' | 'consumer', published?: PublishedCoverage): FigureTable {
  const figure = view === 'window' ? worstWindow : worstConsumer;
  const publishedRow = (label: string, by: Readonly<Record<number, number>>) => [
    `*${label}, published*`,
    ...figures.loads.map((load) => String(by[load ?? 0] ?? NOTHING)),
  ];
  return {
    columns: [`${view} view, ‰`, ...figures.loads.map(loadText)],
    rows: [
      ...rowsOf(figures).map(({ label, policy }) => [label, ...figures.loads.map((load) => cell(figures.spread(policy, load, figure)))]),
      ...(published === undefined
        ? []
        : [publishedRow('earlier, governor', published.governor), publishedRow('earlier, fifo', published.fifo)]),
    ],
  };
}

/** What the guarded streams gain, and what every stream pays for it: window/consumer (fresh results). */
export function priceTable(figures: Figures, load: Load): FigureTable {
  const streams = figures.scenario.streams.map(({ name }) => name);
  const received = (name: string) =>
    middle(
      figures.spread(
        figures.policies[0] ?? '',
        load,
        ofStream(name, (stream) => stream.received),
      ),
    );
  const worst = (figure: (stream: StreamReport) => number) => worstOf(figures.guarded, figure);
  const total = (policy: string, figure: Figure) => middle(figures.spread(policy, load, figure));
  return {
    columns: [
      `at ${loadText(load)}`,
      'worst W/C/F',
      'gap, ms',
      'valid',
      'stale, ‰',
      'busy, ‰',
      ...streams.map((name) => `${name} (of ${received(name)})`),
    ],
    rows: rowsOf(figures).map(({ label, policy }) => [
      label,
      pair(
        figures,
        policy,
        load,
        worstWindow,
        worstConsumer,
        worst((stream) => stream.phase_free_uncovered_permille),
      ),
      total(
        policy,
        worst((stream) => stream.longest_gap_ms),
      ),
      total(policy, valid),
      total(policy, (run) => run.stale_compute_permille),
      total(policy, (run) => run.slot_busy_permille),
      ...streams.map(
        (name) =>
          `${viewsOf(figures, policy, load, name)} (${total(
            policy,
            ofStream(name, (stream) => stream.delivered),
          )})`,
      ),
    ]),
  };
}

/** Everything else that is measured, stream by stream. */
export function detailTable(figures: Figures, load: Load): FigureTable {
  const rows = rowsOf(figures).flatMap(({ label, policy }) =>
    figures.scenario.streams.map(({ name, variants }, index) => {
      const of = (figure: (stream: StreamReport) => number | null, digits = 0) =>
        middle(figures.spread(policy, load, ofStream(name, figure)), digits);
      const best = variants.length > 1 ? of((stream) => bestShare(stream)) : NOTHING;
      return [
        index === 0 ? `${label}: ${name}` : `· ${name}`,
        of((stream) => stream.delivered),
        of((stream) => stream.obsolete),
        of(({ outcomes }) => Object.values(outcomes).reduce((sum, count) => sum + count, 0)),
        of(windowUncovered),
        of(consumerUncovered),
        of((stream) => stream.phase_free_uncovered_permille),
        of((stream) => stream.longest_gap_ms),
        `${of((stream) => stream.age_mean_ms, 1)}/${of((stream) => stream.age_peak_ms)}`,
        (['p50', 'p95', 'p99'] as const).map((at) => of(({ response_age_ms }) => response_age_ms[at])).join('/'),
        of((stream) => stream.deadline_misses),
        best,
      ];
    }),
  );
  return {
    columns: [
      `at ${loadText(load)}`,
      'fresh',
      'obsolete',
      'lost',
      'W',
      'C',
      'F',
      'gap',
      'age mean/peak',
      'response p50/95/99',
      'late',
      'best variant, ‰',
    ],
    rows,
  };
}

/** The fresh results of the variant that stands first, the best one in all scenarios here; null without any. */
function bestShare({ delivered, delivered_by_variant }: StreamReport): number | null {
  const [best] = Object.values(delivered_by_variant);
  return delivered === 0 || best === undefined ? null : Math.round((1000 * best) / delivered);
}

export function bestVariantShare(name: string): (run: RunReport) => number | null {
  return ofStream(name, bestShare);
}
