/** A process that measures what decisions cost.   usage: node decision-cost-main.js SCENARIO.yaml SECONDS POLICY REPEATS */
import { DecisionCore } from '../../src/core/decision-core.js';
import { CLOCK_ORIGIN_US } from '../../src/core/units.js';
import { configurationOf } from '../../src/simulator/policies.js';
import { percentile } from '../statistics.js';
import type { DecisionCost } from './measured-speed.js';
import { later, type Recording, record, scenarioOf } from './recording.js';

const NS_PER_MS = 1_000_000;

const [file = '', seconds = '', policy = '', repeats = ''] = process.argv.slice(2);
const scenario = scenarioOf(file, Number(seconds));
const recording = later(record(scenario, configurationOf(policy, scenario)), CLOCK_ORIGIN_US);
replay(recording); // warm-up
const cost: DecisionCost = {
  streams: scenario.streams.length,
  events: recording.events.length,
  repeats: Array.from({ length: Number(repeats) }, () => replay(recording)),
};
process.stdout.write(JSON.stringify(cost));

/** Every event of the run, to a core of its own. */
function replay({ configuration, events, instants }: Recording): DecisionCost['repeats'][number] {
  const core = new DecisionCore(configuration);
  const tookNs = new Float64Array(events.length);
  const acted = new Uint8Array(events.length);
  for (let i = 0; i < events.length; i += 1) {
    const event = events[i];
    const now = instants[i];
    if (event === undefined || now === undefined) continue;
    const before = performance.now();
    const actions = core.handle(event, now);
    tookNs[i] = (performance.now() - before) * NS_PER_MS;
    acted[i] = actions.some(({ type }) => type !== 'wake') ? 1 : 0;
  }
  const acting = [...tookNs.filter((_, i) => acted[i] === 1)];
  const all = [...tookNs];
  const us = (values: readonly number[], share: number) => percentile(values, share) / 1000;
  return { p50Us: us(all, 0.5), p99Us: us(all, 0.99), acting: acting.length, actingP50Us: us(acting, 0.5), actingP99Us: us(acting, 0.99) };
}
