/** One load and one seed: every policy on the same frames. */
import { clairvoyant } from './clairvoyant.js';
import type { Ledger } from './ledger.js';
import { atLoad } from './load.js';
import { measure } from './measure.js';
import { CLAIRVOYANT, createPolicy } from './policies.js';
import type { Measures } from './report.js';
import type { Scenario } from './scenario.js';
import { simulate } from './simulate.js';
import { Workload } from './workload.js';

export interface Task {
  readonly load: number | undefined;
  readonly seed: number;
}

/** In the order of the scenario's policies. @throws {SimulationError} when a policy leaves frames open. */
export function runTask(scenario: Scenario, { load, seed }: Task): Measures[] {
  const scaled = atLoad(scenario, load);
  const workload = new Workload(scaled, seed);
  return scaled.policies.map((policy) => measure(runPolicy(scaled, workload, policy)));
}

/** @param scaled the scenario at its load. */
export function runPolicy(scaled: Scenario, workload: Workload, policy: string): Ledger {
  if (policy === CLAIRVOYANT) return clairvoyant(scaled, workload);
  return simulate(scaled, workload, (world) => createPolicy(policy, world));
}
