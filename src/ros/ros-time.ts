/** ROS time and core time: the machine's, or those of /clock when use_sim_time is on. */
import type { Logger } from 'pino';
import { type Micros, micros } from '../core/units.js';
import type { Clock } from '../governor/ports.js';
import { SimulatedClock } from '../governor/simulated-clock.js';
import type { ClockFacts } from '../telemetry/ros-clock.js';
import { DURABILITY, KEEP_LAST, type RclNode, type Rclnodejs, RELIABILITY } from './binding.js';
import { fieldOf } from './untyped.js';

const NS_PER_S = 1_000_000_000n;
const NS_PER_MS = 1_000_000n;
const TOPIC = '/clock';

export interface RosTimeOptions {
  readonly useSimTime: boolean;
  /** The machine's time. */
  readonly machine: Clock;
  /** Where ROS time lies on the core clock is known now, or has changed. */
  readonly placed: (rosEpochUs: Micros) => void;
  /** Simulated time jumped; `placed` follows. */
  readonly jumped: () => void;
  readonly log: Logger;
}

export class RosTime {
  readonly #node: RclNode;
  readonly #options: RosTimeOptions;
  readonly #simulated: SimulatedClock | undefined;
  #messages = 0;
  #jumps = 0;

  constructor(rcl: Rclnodejs, node: RclNode, options: RosTimeOptions) {
    this.#node = node;
    this.#options = options;
    if (!options.useSimTime) return;
    this.#simulated = new SimulatedClock(options.machine);
    // The binding's own subscription asks for reliable; players and simulators offer /clock best effort, and the two never match.
    const qos = new rcl.QoS(KEEP_LAST, 1, RELIABILITY.best_effort, DURABILITY.volatile);
    node.createSubscription('rosgraph_msgs/msg/Clock', TOPIC, { qos }, (message: unknown) => this.#hear(message));
  }

  /** Core time. */
  get clock(): Clock {
    return this.#simulated ?? this.#options.machine;
  }

  /** undefined while use_sim_time is on and no /clock message has come. */
  nowNs(): bigint | undefined {
    if (this.#simulated !== undefined) return this.#simulated.rosNowNs();
    const { nanoseconds } = this.#node.getClock().now();
    return nanoseconds === 0n ? undefined : nanoseconds; // a ROS clock without a time says 0
  }

  /** Core time of the instant zero of ROS time; undefined while that is not known. */
  epochUs(): Micros | undefined {
    if (this.#simulated !== undefined) return this.#simulated.rosEpochUs;
    const nowNs = this.nowNs();
    return nowNs === undefined ? undefined : micros(this.clock.now() - Number(nowNs / 1000n));
  }

  /** undefined without use_sim_time. */
  facts(): ClockFacts | undefined {
    const simulated = this.#simulated;
    if (simulated === undefined) return undefined;
    return {
      rosNowNs: simulated.rosNowNs(),
      machineNs: BigInt(Date.now()) * NS_PER_MS,
      publishers: this.#node.getPublishersInfoByTopic(TOPIC, false).length,
      standsForUs: simulated.standsForUs(),
      pace: simulated.machine.pace,
      messages: this.#messages,
      jumps: this.#jumps,
    };
  }

  /** Never throws: an exception in a callback of the binding ends the process. */
  #hear(message: unknown): void {
    try {
      this.#tick(message);
    } catch (err) {
      this.#options.log.error({ err }, 'a message of /clock could not be handled');
    }
  }

  #tick(message: unknown): void {
    const clock = fieldOf(message, 'clock');
    const sec = fieldOf(clock, 'sec');
    const nanosec = fieldOf(clock, 'nanosec');
    if (typeof sec !== 'number' || typeof nanosec !== 'number') return;
    const ns = BigInt(sec) * NS_PER_S + BigInt(nanosec);
    if (ns <= 0n || this.#simulated === undefined) return;
    this.#messages += 1;
    const step = this.#simulated.tick(ns);
    if (step === 'went_on') return;
    if (step === 'jumped') {
      this.#jumps += 1;
      this.#options.jumped();
    }
    this.#options.placed(this.#simulated.rosEpochUs as Micros);
  }
}
