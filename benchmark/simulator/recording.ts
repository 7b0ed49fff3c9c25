/** The events of a simulated run as the core was handed them, to be handed to another core again and again. */
import type { Action } from '../../src/core/actions.js';
import type { CoreConfiguration } from '../../src/core/configuration.js';
import { DecisionCore } from '../../src/core/decision-core.js';
import type { CoreEvent } from '../../src/core/events.js';
import type { Micros } from '../../src/core/units.js';
import { GovernorPolicy } from '../../src/simulator/governor-policy.js';
import { atLoad } from '../../src/simulator/load.js';
import type { Scenario } from '../../src/simulator/scenario.js';
import { readScenario } from '../../src/simulator/scenario-file.js';
import { simulate } from '../../src/simulator/simulate.js';
import { Workload } from '../../src/simulator/workload.js';

export interface Recording {
  readonly configuration: CoreConfiguration;
  readonly events: readonly CoreEvent[];
  readonly instants: readonly Micros[];
}

/** A scenario file at its first load, so long. */
export function scenarioOf(file: string, seconds: number, load?: number): Scenario {
  const scenario = readScenario(file);
  return atLoad({ ...scenario, runNs: Math.min(scenario.runNs, seconds * 1e9) }, load ?? scenario.loads[0]);
}

export function record(scenario: Scenario, configuration: CoreConfiguration): Recording {
  const core = new RecordingCore(configuration);
  simulate(scenario, new Workload(scenario, scenario.seeds[0] ?? 0), (world) => new GovernorPolicy(world, configuration, { core }));
  return { configuration, events: core.events, instants: core.instants };
}

/** The same run on a clock that starts later, as that of the live node does: V8 stores instants beyond 31 bits in another way. */
export function later(recording: Recording, byUs: number): Recording {
  const shift = (instant: Micros) => (byUs + instant) as Micros;
  return {
    ...recording,
    events: recording.events.map((event) => (event.type === 'arrival' ? { ...event, capture: shift(event.capture) } : event)),
    instants: recording.instants.map(shift),
  };
}

class RecordingCore extends DecisionCore {
  readonly events: CoreEvent[] = [];
  readonly instants: Micros[] = [];

  override handle(event: CoreEvent, now: Micros): readonly Action[] {
    this.events.push(event);
    this.instants.push(now);
    return super.handle(event, now);
  }
}
