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
  const simulation = new Simulation(scenario, workload, createPolicy);
  while (!simulation.isOver) simulation.step();
  return simulation.ledger;
}

/** The same, step by step: for who has to look up in between. */
export class Simulation {
  readonly ledger: Ledger;
  readonly #time = new VirtualTime();
  readonly #server: SimulatedServer;
  readonly #policy: Policy;
  readonly #workload: Workload;
  readonly #lastNs: number;
  /** The place of the next frame in order of arrival. */
  #next = 0;

  constructor(scenario: Scenario, workload: Workload, createPolicy: (world: World) => Policy) {
    const time = this.#time;
    this.ledger = new Ledger(scenario, workload);
    this.#workload = workload;
    this.#lastNs = scenario.runNs + LONGEST_DRAIN_NS;
    this.#server = new SimulatedServer(time, scenario.backend, workOf(this.ledger));
    this.#policy = createPolicy({ time, ledger: this.ledger, server: this.#server });
    const tick = (): void => {
      this.#policy.tick();
      time.schedule(time.nowNs + TICK_NS, tick);
    };
    time.schedule(0, tick);
  }

  get isOver(): boolean {
    return this.#next >= this.#workload.byArrival.length && this.ledger.open === 0 && this.#server.open === 0;
  }

  /** Whatever is due next. @throws {SimulationError} when the policy leaves frames open. */
  step(): void {
    const { byArrival, arrivalNs } = this.#workload;
    const frame = byArrival[this.#next];
    const atNs = frame === undefined ? Number.POSITIVE_INFINITY : (arrivalNs[frame] as number);
    // Arrivals were known from the start: they come first at equal instants.
    if (frame !== undefined && atNs <= this.#time.nextNs) {
      this.#time.moveTo(atNs);
      this.#next += 1;
      this.#policy.arrive(frame);
    } else {
      this.#time.keepNext();
    }
    if (this.#time.nowNs > this.#lastNs)
      throw new SimulationError(`${this.ledger.open} frames have no outcome ${LONGEST_DRAIN_NS / 1e9} s after the end of the run`);
  }
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
