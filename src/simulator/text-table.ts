/** The report as text: every stream of every run, and at the end, where it is seen, the guarded streams over the loads. */
import { aligned } from './aligned.js';
import type { RunReport, SimulationReport, StreamReport } from './report.js';

/** What the cells mean. */
const LEGEND = `W window, C consumer, F phase-free view: ‰ uncovered. gap, age, response p50/p95/p99 in ms.`;

export function textTable({ scenario, runs }: SimulationReport): string {
  const loads = [...new Set(runs.map((run) => run.load_permille))];
  const parts = loads.map((load) => {
    const own = runs.filter((run) => run.load_permille === load);
    return `${loadName(load)}, median of ${own[0]?.seeds ?? 0} seed${own[0]?.seeds === 1 ? '' : 's'}\n${aligned(detailRows(own), 2)}`;
  });
  const title = `${scenario}: worst guarded stream, ‰ of its periods uncovered, window/consumer`;
  return [LEGEND, ...parts, `${title}\n${aligned(summaryRows(runs, loads), 1)}`].join('\n\n');
}

function loadName(load: number | null): string {
  return load === null ? 'as written' : `load ${load} ‰`;
}

function detailRows(runs: readonly RunReport[]): string[][] {
  const head = [
    'policy',
    'stream',
    'received',
    'fresh',
    'obsolete',
    'lost',
    'W',
    'C',
    'F',
    'gap',
    'age',
    'peak',
    'p50',
    'p95',
    'p99',
    'late',
    'compute',
  ];
  const rows = runs.flatMap((run) => {
    const streams = Object.entries(run.streams).map(([name, stream], index) => [
      index === 0 ? nameOf(run) : '',
      name,
      ...streamCells(stream),
    ]);
    const total = `valid ${count(run.valid)}, stale compute ${count(run.stale_compute_permille)} ‰, slots busy ${count(run.slot_busy_permille)} ‰`;
    return [...streams, ['', total]];
  });
  return [head, ...rows];
}

function streamCells(stream: StreamReport): string[] {
  const lost = Object.values(stream.outcomes).reduce((sum, value) => sum + value, 0);
  const { p50, p95, p99 } = stream.response_age_ms;
  return [
    ...[stream.received, stream.delivered, stream.obsolete, lost].map(count),
    ...[stream.window_uncovered_permille, stream.consumer_uncovered_permille, stream.phase_free_uncovered_permille].map(count),
    ...[stream.longest_gap_ms, stream.age_mean_ms, stream.age_peak_ms, p50, p95, p99].map(tenths),
    count(stream.deadline_misses),
    String(Math.round(stream.compute_ms)),
  ];
}

function summaryRows(runs: readonly RunReport[], loads: readonly (number | null)[]): string[][] {
  const names = [...new Set(runs.map(nameOf))];
  const cell = (name: string, load: number | null) => {
    const worst = runs.find((run) => nameOf(run) === name && run.load_permille === load)?.worst_guarded;
    return worst === null || worst === undefined
      ? '–'
      : `${count(worst.window_uncovered_permille)}/${count(worst.consumer_uncovered_permille)}`;
  };
  return [['policy', ...loads.map(loadName)], ...names.map((name) => [name, ...loads.map((load) => cell(name, load))])];
}

function nameOf({ policy, seed }: RunReport): string {
  return seed === undefined ? policy : `${policy} seed ${seed}`;
}

/** Medians of an even number of seeds lie between two counts. */
function count(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(1);
}

function tenths(value: number | null): string {
  return value === null ? '–' : value.toFixed(1);
}
