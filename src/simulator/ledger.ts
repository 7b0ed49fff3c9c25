/** What became of every frame of one run. */
import type { State } from '../core/catalogue.js';
import type { Scenario } from './scenario.js';
import type { Workload } from './workload.js';

/** A run that the simulator cannot bring to an end, or a policy that breaks the rules of the world. */
export class SimulationError extends Error {
  override readonly name = 'SimulationError';
}

/** A slot was busy with a frame. */
export interface Execution {
  readonly frame: number;
  readonly slot: number;
  readonly startNs: number;
  /** NaN while it runs. */
  endNs: number;
}

export class Ledger {
  readonly scenario: Scenario;
  readonly workload: Workload;
  /** By frame; undefined = still open. */
  readonly states: (State | undefined)[];
  /** Start of the first and end of the last execution by frame, NaN = never executed. */
  readonly startNs: Float64Array;
  readonly endNs: Float64Array;
  /** In order of their starts. A frame whose work is cut has several. */
  readonly executions: Execution[] = [];
  readonly variant: Int8Array;
  readonly slot: Int16Array;
  /** When the result was handed over, NaN = never. */
  readonly resultNs: Float64Array;
  readonly #running = new Map<number, Execution>();
  #open: number;

  constructor(scenario: Scenario, workload: Workload) {
    this.scenario = scenario;
    this.workload = workload;
    const { frames } = workload;
    this.#open = frames;
    this.states = new Array<State | undefined>(frames).fill(undefined);
    this.startNs = new Float64Array(frames).fill(Number.NaN);
    this.endNs = new Float64Array(frames).fill(Number.NaN);
    this.variant = new Int8Array(frames).fill(-1);
    this.slot = new Int16Array(frames).fill(-1);
    this.resultNs = new Float64Array(frames).fill(Number.NaN);
  }

  /** Frames without an outcome. */
  get open(): number {
    return this.#open;
  }

  started(frame: number, variant: number, slot: number, nowNs: number): void {
    if (Number.isNaN(this.startNs[frame])) this.startNs[frame] = nowNs;
    this.variant[frame] = variant;
    this.slot[frame] = slot;
    const execution: Execution = { frame, slot, startNs: nowNs, endNs: Number.NaN };
    this.executions.push(execution);
    this.#running.set(frame, execution);
  }

  executed(frame: number, nowNs: number): void {
    this.endNs[frame] = nowNs;
    const execution = this.#running.get(frame);
    if (execution !== undefined) execution.endNs = nowNs;
    this.#running.delete(frame);
  }

  /** A result reaches its consumer: fresh or obsolete, to the nanosecond, for every policy alike. */
  result(frame: number, nowNs: number): void {
    this.resultNs[frame] = nowNs;
    const { maxAgeNs } = this.contractOf(frame);
    this.#end(frame, nowNs - (this.workload.captureNs[frame] as number) <= maxAgeNs ? 'delivered' : 'obsolete');
  }

  /** Ends a frame without a result. */
  end(frame: number, state: Exclude<State, 'delivered' | 'obsolete'>): void {
    this.#end(frame, state);
  }

  contractOf(frame: number) {
    const stream = this.scenario.streams[this.workload.stream[frame] as number];
    if (stream === undefined) throw new SimulationError(`frame ${frame} belongs to no stream`);
    return stream.contract;
  }

  #end(frame: number, state: State): void {
    if (this.states[frame] !== undefined) throw new SimulationError(`frame ${frame} ended twice: ${this.states[frame]}, then ${state}`);
    this.states[frame] = state;
    this.#open -= 1;
  }
}
