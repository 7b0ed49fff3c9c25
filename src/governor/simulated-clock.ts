import { type Micros, micros } from '../core/units.js';
import type { Clock, MachineTime } from './ports.js';
import { type ClockStep, SimulatedTime } from './simulated-time.js';

interface Appointment {
  readonly at: Micros;
  readonly task: () => void;
  cancel: () => void;
}

/** Core time under use_sim_time: that of /clock, between its messages as `SimulatedTime` says. */
export class SimulatedClock implements Clock {
  readonly machine: MachineTime;
  readonly #steady: Clock;
  readonly #time = new SimulatedTime();
  readonly #appointments = new Set<Appointment>();

  /** @param steady the machine's time */
  constructor(steady: Clock) {
    const time = this.#time;
    this.#steady = steady;
    this.machine = {
      now: () => steady.now(),
      schedule: (at, task) => steady.schedule(at, task),
      orderedNow: () => time.orderedNow(steady.now()),
      workNow: () => time.work(steady.now()),
      get pace() {
        return time.pace;
      },
    };
  }

  now(): Micros {
    return this.#time.now(this.#steady.now());
  }

  /** What lies beyond the next message of /clock waits for it. */
  schedule(at: Micros, task: () => void): () => void {
    const appointment: Appointment = { at, task, cancel: () => {} };
    this.#appointments.add(appointment);
    this.#arm(appointment);
    return () => {
      appointment.cancel();
      this.#appointments.delete(appointment);
    };
  }

  /** A message of /clock. */
  tick(rosNs: bigint): ClockStep {
    const step = this.#time.tick(rosNs, this.#steady.now());
    for (const appointment of this.#appointments) {
      appointment.cancel();
      this.#arm(appointment);
    }
    return step;
  }

  /** undefined before the first message. */
  rosNowNs(): bigint | undefined {
    return this.#time.rosNowNs(this.#steady.now());
  }

  /** Core time of the instant zero of ROS time; undefined before the first message. */
  get rosEpochUs(): Micros | undefined {
    return this.#time.rosEpochUs;
  }

  /** For how long /clock has been standing; undefined while it runs, or has not started. */
  standsForUs(): number | undefined {
    return this.#time.standsForUs(this.#steady.now());
  }

  #arm(appointment: Appointment): void {
    const whenUs = this.#time.whenUs(appointment.at, this.#steady.now());
    if (whenUs === undefined) return;
    appointment.cancel = this.#steady.schedule(micros(whenUs), () => this.#due(appointment));
  }

  /** The clock may have been slower than it was expected to be. */
  #due(appointment: Appointment): void {
    if (this.now() < appointment.at) {
      this.#arm(appointment);
      return;
    }
    this.#appointments.delete(appointment);
    appointment.task();
  }
}
