/** One run of a scenario, its decisions recorded. */
import { WholeTrace } from '../trace/whole-trace.js';
import { GovernorPolicy } from './governor-policy.js';
import { atLoad } from './load.js';
import { configurationOf, isGovernor } from './policies.js';
import type { Scenario } from './scenario.js';
import { simulate } from './simulate.js';
import { Workload } from './workload.js';

/**
 * The first governor of the scenario, at its first load and seed. @returns false when no policy is a governor.
 * @throws {TraceError} unreadable, when the file cannot be written.
 */
export function traceRun(scenario: Scenario, file: string): boolean {
  const policy = scenario.policies.find(isGovernor);
  const [seed = 0] = scenario.seeds;
  if (policy === undefined) return false;
  const scaled = atLoad(scenario, scenario.loads[0]);
  const configuration = configurationOf(policy, scaled);
  const trace = new WholeTrace(file, configuration);
  try {
    simulate(scaled, new Workload(scaled, seed), (world) => new GovernorPolicy(world, configuration, { trace }));
    trace.close();
  } finally {
    trace.discard();
  }
  return true;
}
