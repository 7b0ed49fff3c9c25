/** The report as text. */

import { aligned } from '../simulator/aligned.js';
import { LOSSES } from '../simulator/report.js';
import { type ContractReport, contractName, type ReplayReport, type StreamReport } from './report.js';

const LEGEND =
  'W window, C consumer view: ‰ uncovered. gap, age (of the newest result, mean and peak), p50/p95/p99 (age of results) in ms.';
const HEAD = ['contract', 'stream', 'received', 'fresh', 'obsolete', 'lost', 'W', 'C', 'gap', 'age', 'peak', 'p50', 'p95', 'p99', 'late'];

export function textReport(report: ReplayReport): string {
  const contracts = [report, ...(report.compare ?? [])];
  const seconds = (report.duration_ms / 1000).toFixed(1);
  return [
    `${report.bag}: ${seconds} s, ${answered(report)}`,
    LEGEND,
    aligned([HEAD, ...contracts.flatMap((contract) => streamRows(contract))], 2),
    'why frames ended as they did',
    aligned(causeRows(contracts), 3),
    ...(report.findings.length === 0 ? [] : ['to look into', report.findings.join('\n')]),
    'slots',
    aligned([['contract', 'backend', 'slots', 'executions', 'busy ‰', 'stale ‰'], ...contracts.flatMap(backendRows)], 2),
  ].join('\n\n');
}

function answered({ seed, compare }: ReplayReport): string {
  if (seed !== null) return `seed ${seed}`;
  if (compare === undefined) return 'real servers';
  return 'real servers, one contract after the other: what calls take differs from pass to pass';
}

function streamRows(contract: ContractReport): string[][] {
  return Object.entries(contract.streams).map(([name, stream], index) => [
    index === 0 ? contractName(contract.params) : '',
    name,
    ...cells(stream),
  ]);
}

function cells(stream: StreamReport): string[] {
  const lost = [...LOSSES, 'invalid' as const].reduce((sum, state) => sum + stream.outcomes[state], 0);
  const { p50, p95, p99 } = stream.response_age_ms;
  return [
    ...[stream.received, stream.outcomes.delivered, stream.outcomes.obsolete, lost].map(String),
    ...[stream.window_uncovered_permille, stream.consumer_uncovered_permille].map(whole),
    ...[stream.longest_gap_ms, stream.age_mean_ms, stream.age_peak_ms, p50, p95, p99].map(tenths),
    String(stream.deadline_misses),
  ];
}

function causeRows(contracts: readonly ContractReport[]): string[][] {
  const rows = contracts.flatMap((contract) =>
    Object.entries(contract.streams).flatMap(([name, { causes }]) =>
      Object.entries(causes).map(([cause, count]) => [contractName(contract.params), name, cause, String(count)]),
    ),
  );
  return [['contract', 'stream', 'cause', 'messages'], ...rows];
}

function backendRows(contract: ContractReport): string[][] {
  return Object.entries(contract.backends).map(([name, { slots, executions, slot_busy_permille: busy, stale_compute_permille: stale }]) => [
    contractName(contract.params),
    name,
    ...[slots, executions, busy, stale].map(whole),
  ]);
}

function whole(value: number | null): string {
  return value === null ? '–' : String(value);
}

function tenths(value: number | null): string {
  return value === null ? '–' : value.toFixed(1);
}
