/**
 * A process that measures what passes without an action allocate. Its young generation must be so large that nothing is collected.
 * usage: node --expose-gc --min-semi-space-size=256 --max-semi-space-size=256 idle-passes-main.js SCENARIO.yaml POLICY PASSES
 */
import { DecisionCore } from '../../src/core/decision-core.js';
import type { CoreEvent } from '../../src/core/events.js';
import { CLOCK_ORIGIN_US, type Micros } from '../../src/core/units.js';
import { configurationOf } from '../../src/simulator/policies.js';
import type { IdlePasses } from './measured-speed.js';
import { later, type Recording, record, scenarioOf } from './recording.js';

const TICK: CoreEvent = { type: 'tick' };
const SECONDS = 5;
/** States of the run in which passes are made: idle ones, busy ones, frames that wait, vetoes that stand. */
const STATES = 50;
const ROUNDS = 3;

const [file = '', policy = '', passes = ''] = process.argv.slice(2);
const scenario = scenarioOf(file, SECONDS);
const recording = record(scenario, configurationOf(policy, scenario));
const result: IdlePasses = {
  passes: Number(passes),
  fromZeroBytes: bytesPerPass(recording, Number(passes)),
  liveBytes: bytesPerPass(later(recording, CLOCK_ORIGIN_US), Number(passes)),
};
process.stdout.write(JSON.stringify(result));

/** The same instant again and again: nothing follows, but every check is made. @returns by state. */
function bytesPerPass({ configuration, events, instants }: Recording, of: number): number[] {
  const core = new DecisionCore(configuration);
  const found: number[] = [];
  events.forEach((event, index) => {
    const now = instants[index] as Micros;
    core.handle(event, now);
    if ((index + 1) % Math.floor(events.length / STATES) === 0) found.push(measure(core, now, Math.round(of / STATES)));
  });
  return found;
}

/** The least of some rounds: now and then V8 itself puts some hundred kilobytes on the heap. */
function measure(core: DecisionCore, now: Micros, passes: number): number {
  pass(core, now, passes); // what the first ones tell, and compile
  return Math.min(...Array.from({ length: ROUNDS }, () => measureOnce(core, now, passes)));
}

function measureOnce(core: DecisionCore, now: Micros, passes: number): number {
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  pass(core, now, passes);
  return (process.memoryUsage().heapUsed - before) / passes;
}

function pass(core: DecisionCore, now: Micros, times: number): void {
  for (let i = 0; i < times; i += 1) core.handle(TICK, now);
}
