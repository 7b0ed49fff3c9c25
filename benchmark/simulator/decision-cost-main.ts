/** A process that measures what decisions cost.   usage: node decision-cost-main.js SCENARIO.yaml SECONDS POLICY REPEATS */
import { DecisionCore } from '../../src/core/decision-core.js';
import type { CoreEvent } from '../../src/core/events.js';
import { CLOCK_ORIGIN_US, type Micros } from '../../src/core/units.js';
import { configurationOf } from '../../src/simulator/policies.js';
import { percentile } from '../statistics.js';
import type { Cost, DecisionCost } from './measured-speed.js';
import { later, type Recording, record, scenarioOf } from './recording.js';

const US_PER_MS = 1000;

const [file = '', seconds = '', policy = '', repeats = ''] = process.argv.slice(2);
const scenario = scenarioOf(file, Number(seconds));
const recording = later(record(scenario, configurationOf(policy, scenario)), CLOCK_ORIGIN_US);
const acting = actingEvents(recording); // and warm-up
const took = Array.from({ length: Number(repeats) }, () => replay(recording));
const quickest = Float64Array.from(recording.events, (_, event) => Math.min(...took.map((tookUs) => tookUs[event] as number)));
const cost: DecisionCost = {
  streams: scenario.streams.length,
  events: recording.events.length,
  acting: acting.length,
  repeats: took.map(costOf),
  quickest: costOf(quickest),
};
process.stdout.write(JSON.stringify(cost));

/** Those that end in an action other than a wake-up. */
function actingEvents({ configuration, events, instants }: Recording): number[] {
  const core = new DecisionCore(configuration);
  return events.flatMap((event, index) => {
    const actions = core.handle(event, instants[index] as Micros);
    return actions.some(({ type }) => type !== 'wake') ? [index] : [];
  });
}

/** Every event of the run, to a core of its own. @returns microseconds, by event. */
function replay({ configuration, events, instants }: Recording): Float64Array {
  const core = new DecisionCore(configuration);
  const tookUs = new Float64Array(events.length);
  for (let i = 0; i < events.length; i += 1) {
    const before = performance.now();
    core.handle(events[i] as CoreEvent, instants[i] as Micros);
    tookUs[i] = (performance.now() - before) * US_PER_MS;
  }
  return tookUs;
}

function costOf(tookUs: Float64Array): Cost {
  const all = [...tookUs];
  const ofActing = acting.map((event) => tookUs[event] as number);
  return {
    p50Us: percentile(all, 0.5),
    p99Us: percentile(all, 0.99),
    actingP50Us: percentile(ofActing, 0.5),
    actingP99Us: percentile(ofActing, 0.99),
  };
}
