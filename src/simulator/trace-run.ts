/** One run of a scenario, its decisions recorded. */
import { RotatingFile } from '../trace/rotating-file.js';
import { headLine, TraceWriter } from '../trace/trace-writer.js';
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
  const output = new RotatingFile({
    file,
    maxBytes: Number.POSITIVE_INFINITY,
    parts: 1,
    head: (part) => headLine(configuration, part),
    failed: (error) => {
      throw error;
    },
  });
  const trace = new TraceWriter(output);
  simulate(scaled, new Workload(scaled, seed), (world) => new GovernorPolicy(world, configuration, { trace }));
  output.close();
  return true;
}
