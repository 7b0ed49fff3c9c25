/** How near policies come to the best schedule there is, over many small instances. */
import { atLoad } from '../../src/simulator/load.js';
import { runPolicy } from '../../src/simulator/run-task.js';
import { Workload } from '../../src/simulator/workload.js';
import { INSTANCES } from './instances.js';
import { optimum, VIEWS, type View, worth } from './reference.js';

export interface Gap {
  readonly instance: string;
  readonly loadPermille: number;
  readonly policy: string;
  readonly view: View;
  /** Share of the best worth that it reached, over all seeds, in thousandths. */
  readonly reachedPermille: number;
  /** Share of the seeds with which it reached all of it, in thousandths. */
  readonly optimalPermille: number;
}

/** Seeds count up from one that nothing was tuned on. */
const FIRST_SEED = 3001;

export function optimalityGap(policies: readonly string[], seeds: number): Gap[] {
  return INSTANCES.flatMap((scenario) =>
    scenario.loads.flatMap((load) => {
      const scaled = atLoad(scenario, load);
      const workloads = Array.from({ length: seeds }, (_, i) => new Workload(scaled, FIRST_SEED + i));
      const runs = policies.map((policy) => ({ policy, ledgers: workloads.map((workload) => runPolicy(scaled, workload, policy)) }));
      return VIEWS.flatMap((view) => {
        const best = workloads.map((workload) => optimum(scaled, workload, view));
        return runs.map(({ policy, ledgers }) => {
          const reached = ledgers.map((ledger) => worth(ledger, view));
          const optimal = reached.filter((value, i) => value === best[i]).length;
          return {
            instance: scenario.name,
            loadPermille: load ?? 1000,
            policy,
            view,
            reachedPermille: Math.round((1000 * sum(reached)) / sum(best)),
            optimalPermille: Math.round((1000 * optimal) / seeds),
          };
        });
      });
    }),
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
