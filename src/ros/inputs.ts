/** The subscriptions of all streams. */
import type { Parameters } from '../config/schema.js';
import { DURABILITY, KEEP_LAST, type RclMessageInfo, type RclNode, type Rclnodejs, type RclSubscription, RELIABILITY } from './binding.js';
import { type InputSurroundings, StreamInput } from './stream-input.js';

/** Middlewares that number what a publisher sends; with the others, losses before the node cannot be seen. */
const NUMBERING: ReadonlySet<string> = new Set(['rmw_fastrtps_cpp', 'rmw_fastrtps_dynamic_cpp', 'rmw_zenoh_cpp', 'rmw_connextdds']);

/** What an input needs of the service besides; told when a stream cannot be subscribed to. */
export interface InputsSurroundings extends InputSurroundings {
  readonly service: InputSurroundings['service'] & { noteInput(stream: string, problem: string): void };
}

export class Inputs {
  readonly #rcl: Rclnodejs;
  readonly #node: RclNode;
  readonly #surroundings: InputsSurroundings;
  readonly #inputs: ReadonlyMap<string, StreamInput>;
  readonly #subscriptions = new Map<StreamInput, RclSubscription>();

  constructor(rcl: Rclnodejs, node: RclNode, parameters: Parameters, surroundings: InputsSurroundings) {
    this.#rcl = rcl;
    this.#node = node;
    this.#surroundings = surroundings;
    this.#inputs = new Map(Object.entries(parameters.streams).map(([name, stream]) => [name, new StreamInput(name, stream, surroundings)]));
  }

  /** A stream whose type is not installed is left out, with a reason in its diagnostics; the others start. */
  open(): void {
    for (const input of this.#inputs.values()) {
      try {
        this.#open(input);
      } catch (error) {
        this.#failed(input, error);
      }
    }
  }

  /** Other contracts are in force. */
  adopt(parameters: Parameters): void {
    for (const [name, stream] of Object.entries(parameters.streams)) this.#inputs.get(name)?.adopt(stream);
  }

  /** Nothing is received from here on. */
  close(): void {
    for (const subscription of this.#subscriptions.values()) this.#node.destroySubscription(subscription);
    this.#subscriptions.clear();
  }

  /** Those that could be subscribed to. */
  opened(): Iterable<StreamInput> {
    return this.#subscriptions.keys();
  }

  isSilent(stream: string): boolean {
    return this.#inputs.get(stream)?.silent() ?? false;
  }

  #open(input: StreamInput): void {
    const { reliability, depth } = input.qos;
    const qos = new this.#rcl.QoS(KEEP_LAST, depth, RELIABILITY[reliability], DURABILITY.volatile);
    // The binding looks at how many parameters the callback declares: message info costs, so it is asked for only where it tells something.
    const callback = NUMBERING.has(this.#node.getRMWImplementationIdentifier())
      ? (message: unknown, info: RclMessageInfo) => input.receive(message, info)
      : (message: unknown) => input.receive(message);
    const subscription = this.#node.createSubscription(input.type, input.topic, { qos }, callback);
    input.topic = subscription.topic;
    this.#subscriptions.set(input, subscription);
  }

  #failed({ stream, type }: StreamInput, err: unknown): void {
    const [packageName] = type.split('/');
    const remedy = `install the package ${packageName}, then type npx generate-ros-messages with the ROS 2 environment sourced`;
    this.#surroundings.log.error({ err, stream, type }, 'cannot subscribe');
    this.#surroundings.service.noteInput(stream, `cannot subscribe: message type ${type} is not available: ${remedy}`);
  }
}
