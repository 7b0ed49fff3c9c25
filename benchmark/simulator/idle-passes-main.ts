/**
 * A process that measures what passes without an action allocate. Its young generation must be so large that nothing is collected.
 * usage: node --expose-gc --min-semi-space-size=256 --max-semi-space-size=256 idle-passes-main.js SCENARIO.yaml POLICY PASSES
 */
import { DecisionCore } from '../../src/core/decision-core.js';
import type { CoreEvent } from '../../src/core/events.js';
import type { Micros } from '../../src/core/units.js';
import { configurationOf } from '../../src/simulator/policies.js';
import type { IdlePasses } from './measured-speed.js';
import { type Recording, record, scenarioOf } from './recording.js';

const TICK: CoreEvent = { type: 'tick' };
const SECONDS = 5;
/** States of the run in which passes are made: idle ones, busy ones, frames that wait, vetoes that stand. */
const STATES = 50;
/** A node that has run for an hour: V8 stores such instants in another way than small ones. */
const HOUR_US = 3_600_000_000;

const [file = '', policy = '', passes = ''] = process.argv.slice(2);
const scenario = scenarioOf(file, SECONDS);
const recording = record(scenario, configurationOf(policy, scenario));
const result: IdlePasses = {
  passes: Number(passes),
  atOnceBytes: bytesPerPass(recording, 0, Number(passes)),
  afterAnHourBytes: bytesPerPass(recording, HOUR_US, Number(passes)),
};
process.stdout.write(JSON.stringify(result));

/** The same instant again and again: nothing follows, but every check is made. @returns by state. */
function bytesPerPass({ configuration, events, instants }: Recording, fromUs: number, of: number): number[] {
  const core = new DecisionCore(configuration);
  const found: number[] = [];
  events.forEach((event, index) => {
    const now = (fromUs + (instants[index] ?? 0)) as Micros;
    core.handle(event.type === 'arrival' ? { ...event, capture: (fromUs + event.capture) as Micros } : event, now);
    if ((index + 1) % Math.floor(events.length / STATES) === 0) found.push(measure(core, now, Math.round(of / STATES)));
  });
  return found;
}

function measure(core: DecisionCore, now: Micros, passes: number): number {
  pass(core, now, passes); // what the first ones tell, and compile
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  pass(core, now, passes);
  return (process.memoryUsage().heapUsed - before) / passes;
}

function pass(core: DecisionCore, now: Micros, times: number): void {
  for (let i = 0; i < times; i += 1) core.handle(TICK, now);
}
