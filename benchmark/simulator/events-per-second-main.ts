/** A process that measures how fast the simulator is.   usage: node events-per-second-main.js SCENARIO.yaml SECONDS POLICY REPEATS */
import { GovernorPolicy } from '../../src/simulator/governor-policy.js';
import { configurationOf } from '../../src/simulator/policies.js';
import { simulate } from '../../src/simulator/simulate.js';
import { Workload } from '../../src/simulator/workload.js';
import type { SimulatorSpeed } from './measured-speed.js';
import { record, scenarioOf } from './recording.js';

/** Of one repeat, in processor time. */
const SHORTEST_S = 1.5;

const [file = '', seconds = '', policy = '', repeats = ''] = process.argv.slice(2);
const scenario = scenarioOf(file, Number(seconds));
const configuration = configurationOf(policy, scenario);
const { events } = record(scenario, configuration); // warm-up
const perSecond = Array.from({ length: Number(repeats) }, () => {
  const before = processorSeconds();
  let runs = 0;
  let took = 0;
  for (; took < SHORTEST_S; took = processorSeconds() - before) {
    const workload = new Workload(scenario, scenario.seeds[0] ?? 0);
    simulate(scenario, workload, (world) => new GovernorPolicy(world, configuration));
    runs += 1;
  }
  return (runs * events.length) / took;
});
const speed: SimulatorSpeed = { streams: scenario.streams.length, perSecond };
process.stdout.write(JSON.stringify(speed));

/** Not of the clock: other work on the machine counts less. */
function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000_000;
}
