/** ROS time: the system's, or that of /clock when use_sim_time is on. */
import { DURABILITY, KEEP_LAST, type RclNode, type Rclnodejs, RELIABILITY } from './binding.js';
import { fieldOf } from './untyped.js';

const NS_PER_S = 1_000_000_000n;

export class RosTime {
  readonly #node: RclNode;
  readonly #simulated: boolean;
  #clockNs: bigint | undefined;

  constructor(rcl: Rclnodejs, node: RclNode, useSimTime: boolean) {
    this.#node = node;
    this.#simulated = useSimTime;
    if (!useSimTime) return;
    // The binding's own subscription asks for reliable; players and simulators offer /clock best effort, and the two never match.
    const qos = new rcl.QoS(KEEP_LAST, 1, RELIABILITY.best_effort, DURABILITY.volatile);
    node.createSubscription('rosgraph_msgs/msg/Clock', '/clock', { qos }, (message: unknown) => this.#tick(message));
  }

  /** undefined while use_sim_time is on and no /clock message has come. */
  nowNs(): bigint | undefined {
    if (this.#simulated) return this.#clockNs;
    const { nanoseconds } = this.#node.getClock().now();
    return nanoseconds === 0n ? undefined : nanoseconds; // a ROS clock without a time says 0
  }

  #tick(message: unknown): void {
    const clock = fieldOf(message, 'clock');
    const sec = fieldOf(clock, 'sec');
    const nanosec = fieldOf(clock, 'nanosec');
    if (typeof sec !== 'number' || typeof nanosec !== 'number') return;
    const ns = BigInt(sec) * NS_PER_S + BigInt(nanosec);
    if (ns > 0n) this.#clockNs = ns;
  }
}
