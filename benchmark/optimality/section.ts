/** The optimality gap as a section of RESULTS.md. */
import type { FigureTable, Section } from '../report.js';
import { type Gap, optimalityGap } from './gap.js';
import type { View } from './reference.js';

const COMPARED = ['fifo-1', 'latest', 'latest_priority', 'latest_edf', 'triton_policy', 'governor-ordered', 'governor-planned'];
export const KEPT_SEEDS = 200;

export function optimalitySection(seeds = KEPT_SEEDS, policies: readonly string[] = COMPARED): Section {
  const gaps = optimalityGap(policies, seeds);
  return {
    title: 'Optimality gap',
    method: [
      `Six frames on one slot, ${seeds} seeds each, against the best schedule that exists: found by dynamic programming that knows every arrival and every runtime, may wait, and may take any variant (benchmark/optimality/reference.ts). Worth is covered cycles, weighted: protected 2, high 1, best effort 0.1. Cells: worth reached of the best, in thousandths, and in brackets the share of instances in which all of it was reached.`,
      'No policy can know what the reference knows, the two views have different best schedules, and quality counts for nothing here: what is missing to 1000 is a bound on what better decisions could gain, not a loss that anybody could avoid. Each instance begins cold: nothing is forecast until each stream was seen once.',
    ],
    tables: [table('window', gaps, policies), table('consumer', gaps, policies)],
    conclusions: [],
    figures: gaps,
  };
}

function table(view: View, gaps: readonly Gap[], policies: readonly string[]): FigureTable {
  const own = gaps.filter((gap) => gap.view === view);
  const rows = [...new Set(own.map(({ instance, loadPermille }) => `${instance}, ${loadPermille / 10} %`))];
  return {
    columns: [`${view} view`, ...policies],
    rows: rows.map((row) => [
      row,
      ...policies.map((policy) => {
        const gap = own.find((one) => one.policy === policy && `${one.instance}, ${one.loadPermille / 10} %` === row);
        return gap === undefined ? '' : `${gap.reachedPermille} (${gap.optimalPermille})`;
      }),
    ]),
  };
}
