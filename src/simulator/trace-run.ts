/** One run of a scenario, its decisions recorded. */
import { Pauses } from '../files/pauses.js';
import { WholeTrace } from '../trace/whole-trace.js';
import { GovernorPolicy } from './governor-policy.js';
import { atLoad } from './load.js';
import { configurationOf, isGovernor } from './policies.js';
import type { Scenario } from './scenario.js';
import { Simulation } from './simulate.js';
import { Workload } from './workload.js';

/** A few milliseconds' worth. */
const STEPS_AT_ONCE = 100;

/**
 * The first governor of the scenario, at its first load and seed. @returns false when no policy is a governor.
 * @throws {TraceError} unreadable, when the file cannot be written.
 */
export async function traceRun(scenario: Scenario, file: string): Promise<boolean> {
  const policy = scenario.policies.find(isGovernor);
  const [seed = 0] = scenario.seeds;
  if (policy === undefined) return false;
  const scaled = atLoad(scenario, scenario.loads[0]);
  const configuration = configurationOf(policy, scaled);
  const trace = new WholeTrace(file, configuration);
  try {
    const simulation = new Simulation(scaled, new Workload(scaled, seed), (world) => new GovernorPolicy(world, configuration, { trace }));
    const pauses = new Pauses();
    while (!simulation.isOver) {
      for (let steps = 0; steps < STEPS_AT_ONCE && !simulation.isOver; steps += 1) simulation.step();
      await pauses.take();
    }
    trace.close();
  } finally {
    trace.discard();
  }
  return true;
}
