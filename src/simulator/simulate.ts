/** One run: the frames of a workload, one policy, one server. */
import { Ledger, SimulationError } from './ledger.js';
import type { Policy, World } from './policy.js';
import type { Scenario } from './scenario.js';
import { SimulatedServer, type Work } from './server.js';
import { VirtualTime } from './virtual-time.js';
import type { Workload } from './workload.js';

const TICK_NS = 1_000_000;
/** A policy that has not ended all frames so long after the run never will. */
const LONGEST_DRAIN_NS = 60_000_000_000;

/**
 * Runs until every frame has its outcome and every call its answer, past the end of the run.
 * @throws {SimulationError} when the policy leaves frames open.
 */
export function simulate(scenario: Scenario, workload: Workload, createPolicy: (world: World) => Policy): Ledger {
  const time = new VirtualTime();
  const ledger = new Ledger(scenario, workload);
  const server = new SimulatedServer(time, scenario.backend, workOf(ledger));
  const policy = createPolicy({ time, ledger, server });
  const tick = (): void => {
    policy.tick();
    time.schedule(time.nowNs + TICK_NS, tick);
  };
  time.schedule(0, tick);
  const { byArrival, arrivalNs } = workload;
  let next = 0;
  while (next < byArrival.length || ledger.open > 0 || server.open > 0) {
    const frame = byArrival[next];
    const atNs = frame === undefined ? Number.POSITIVE_INFINITY : (arrivalNs[frame] as number);
    // Arrivals were known from the start: they come first at equal instants.
    if (frame !== undefined && atNs <= time.nextNs) {
      time.moveTo(atNs);
      next += 1;
      policy.arrive(frame);
    } else {
      time.keepNext();
    }
    if (time.nowNs > scenario.runNs + LONGEST_DRAIN_NS)
      throw new SimulationError(`${ledger.open} frames have no outcome ${LONGEST_DRAIN_NS / 1e9} s after the end of the run`);
  }
  return ledger;
}

function workOf(ledger: Ledger): Work {
  const { workload } = ledger;
  return {
    runtimeNs: (frame, variant) => workload.runtimeNs(frame, variant),
    fails: (frame) => workload.fails(frame),
    started: (frame, variant, slot, nowNs) => ledger.started(frame, variant, slot, nowNs),
    executed: (frame, nowNs) => ledger.executed(frame, nowNs),
  };
}
