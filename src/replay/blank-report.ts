/** The report of a replay before anything came: what it has is known, what it says is not. */
import { toCoreConfiguration } from '../config/core-configuration.js';
import { CLOCK_ORIGIN_US } from '../core/units.js';
import type { ReplayContract } from './contract-file.js';
import { type ContractReport, type ReplayReport, replayReport } from './report.js';
import { RunRecord } from './run-record.js';

export interface BlankRequest {
  readonly bag: string;
  readonly contract: ReplayContract;
  readonly compare: readonly ReplayContract[];
  /** null of a real server. */
  readonly seed: number | null;
}

export function blankReport({ bag: name, contract, compare, seed }: BlankRequest): ReplayReport {
  const bag = { name, span: { startNs: 0n, endNs: 0n } };
  return replayReport({ bag, problems: [], findings: [], seed, report: blankOf(contract), compare: compare.map(blankOf) });
}

function blankOf({ parameters, files }: ReplayContract): ContractReport {
  const configuration = toCoreConfiguration(parameters, CLOCK_ORIGIN_US);
  return new RunRecord({ configuration, originUs: CLOCK_ORIGIN_US, endNs: 0, nowNs: () => 0, timeline: false }).report(files);
}
