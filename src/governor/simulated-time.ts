/** Simulated time, as /clock tells it, as a function of the machine's time (design.md 4, adr/0018). Pure. */
import { CLOCK_ORIGIN_US, later, type Micros, micros } from '../core/units.js';
import { PaceEstimate } from './pace-estimate.js';

/** Backwards by more than this is another time, as when a bag starts over; by less, a message that overtook another. */
const JUMP_NS = 100_000_000n;
/** Ahead by more than this is another time, too: no capture from before can be represented after it. */
const LEAP_US = CLOCK_ORIGIN_US;
/** 140 years: so far that no clock gets there, and so near that whole microseconds stay exact. */
const FARTHEST_US = 2 ** 52;
/** A clock that has not moved for so long stands: the longest that a slow one takes from message to message. */
const STANDS_AFTER_US = 1_000_000;
const STANDS_AFTER_STEPS = 3;
const NS_PER_US = 1000n;

/** started: the first message · jumped: what came before cannot be compared with what comes · went_on: all others. */
export type ClockStep = 'started' | 'jumped' | 'went_on';

/**
 * Core time under use_sim_time. Between two messages it goes on at the pace of the clock, never past the next expected one; it never goes
 * back. ROS time lies at a fixed distance from it, but for jumps. All methods take the machine's time, which must not go back either.
 */
export class SimulatedTime {
  readonly #pace = new PaceEstimate();
  /** ROS time at core time zero; undefined before the first message. */
  #originNs: bigint | undefined;
  #newestNs = 0n;
  /** Of the last message, in core time. */
  #toldUs: number = CLOCK_ORIGIN_US;
  /** Its reception. */
  #toldAtUs = 0;
  /** When a message last moved the clock. */
  #movedAtUs = 0;
  #stands = true;
  /** The latest core time that was read. */
  #readUs = CLOCK_ORIGIN_US;
  #workUs = 0;
  #workAtUs: number | undefined;

  /** Core time of the instant zero of ROS time; undefined before the first message. */
  get rosEpochUs(): Micros | undefined {
    return this.#originNs === undefined ? undefined : micros(-Number(this.#originNs / NS_PER_US));
  }

  /** Time of the clock that goes with one of the machine, while the clock runs; 1 before it is known. */
  get pace(): number {
    return this.#pace.pace ?? 1;
  }

  /** A message of /clock. */
  tick(rosNs: bigint, steadyUs: number): ClockStep {
    this.#work(steadyUs); // at the pace until now
    const nowUs = this.now(steadyUs);
    const step = this.#stepTo(rosNs, nowUs);
    this.#newestNs = step === 'went_on' && rosNs < this.#newestNs ? this.#newestNs : rosNs;
    if (step !== 'went_on') {
      this.#originNs = rosNs - BigInt(nowUs) * NS_PER_US;
      this.#pace.restart();
    }
    const toldUs = this.#toCore(rosNs);
    this.#stands = step === 'went_on' && toldUs <= this.#toldUs;
    if (this.#stands) this.#pace.restart();
    else {
      this.#pace.note(toldUs, steadyUs);
      this.#movedAtUs = steadyUs;
    }
    this.#toldUs = toldUs;
    this.#toldAtUs = steadyUs;
    return step;
  }

  now(steadyUs: number): Micros {
    this.#readUs = later(this.#readUs, this.#runTo(steadyUs));
    return this.#readUs;
  }

  /** Core time later than all that was read before. */
  orderedNow(steadyUs: number): Micros {
    const readUs = this.#readUs;
    this.#readUs = later(this.now(steadyUs), micros(readUs + 1));
    return this.#readUs;
  }

  /** ROS time; undefined before the first message. */
  rosNowNs(steadyUs: number): bigint | undefined {
    return this.#originNs === undefined ? undefined : this.#originNs + BigInt(this.now(steadyUs)) * NS_PER_US;
  }

  /** A reading of time that goes on at the pace of the clock while the clock stands or leaps. */
  work(steadyUs: number): Micros {
    this.#work(steadyUs);
    return micros(Math.floor(this.#workUs));
  }

  /** When the machine's time will be so that core time has come to `at`; undefined when that takes another message. */
  whenUs(at: Micros, steadyUs: number): number | undefined {
    if (this.now(steadyUs) >= at) return steadyUs;
    const aheadUs = at - this.#toldUs;
    // One more microsecond, so that rounding never asks for an instant before its time.
    return aheadUs <= this.#limitUs() ? Math.max(steadyUs, Math.floor(this.#toldAtUs + aheadUs / this.pace) + 1) : undefined;
  }

  /** For how long the clock has been standing; undefined while it runs, or has not started. */
  standsForUs(steadyUs: number): number | undefined {
    if (this.#originNs === undefined) return undefined;
    const forUs = steadyUs - this.#movedAtUs;
    return forUs > Math.max(STANDS_AFTER_US, (STANDS_AFTER_STEPS * this.#pace.stepUs) / this.pace) ? forUs : undefined;
  }

  #stepTo(rosNs: bigint, nowUs: Micros): ClockStep {
    if (this.#originNs === undefined) return 'started';
    if (rosNs < this.#newestNs - JUMP_NS) return 'jumped';
    const toldUs = this.#toCore(rosNs);
    return toldUs - nowUs > LEAP_US || toldUs > FARTHEST_US ? 'jumped' : 'went_on';
  }

  #toCore(rosNs: bigint): number {
    return Number((rosNs - (this.#originNs ?? 0n)) / NS_PER_US);
  }

  /** How far core time may run beyond the last message. */
  #limitUs(): number {
    return this.#stands || this.#pace.pace === undefined ? 0 : this.#pace.stepUs;
  }

  #runTo(steadyUs: number): Micros {
    const ranUs = Math.min(this.pace * Math.max(0, steadyUs - this.#toldAtUs), this.#limitUs());
    return micros(Math.floor(this.#toldUs + ranUs));
  }

  #work(steadyUs: number): void {
    if (this.#workAtUs !== undefined) this.#workUs += this.pace * Math.max(0, steadyUs - this.#workAtUs);
    this.#workAtUs = steadyUs;
  }
}
