/** A process that measures how fast the simulator is.   usage: node events-per-second-main.js SCENARIO.yaml SECONDS POLICY REPEATS */
import { DecisionCore } from '../../src/core/decision-core.js';
import { GovernorPolicy } from '../../src/simulator/governor-policy.js';
import { configurationOf } from '../../src/simulator/policies.js';
import { simulate } from '../../src/simulator/simulate.js';
import { Workload } from '../../src/simulator/workload.js';
import type { SimulatorSpeed } from './measured-speed.js';
import { record, scenarioOf } from './recording.js';

const [file = '', seconds = '', policy = '', repeats = ''] = process.argv.slice(2);
const scenario = scenarioOf(file, Number(seconds));
const configuration = configurationOf(policy, scenario);
const { events } = record(scenario, configuration); // warm-up
const perSecond = Array.from({ length: Number(repeats) }, () => {
  const workload = new Workload(scenario, scenario.seeds[0] ?? 0);
  const before = performance.now();
  simulate(scenario, workload, (world) => new GovernorPolicy(world, configuration, new DecisionCore(configuration)));
  return (1000 * events.length) / (performance.now() - before);
});
const speed: SimulatorSpeed = { streams: scenario.streams.length, perSecond };
process.stdout.write(JSON.stringify(speed));
