/** A topic this node publishes on, serialising by itself. */
import { DURABILITY, KEEP_LAST, type RclMessageType, type RclNode, type Rclnodejs, type RclPublisher, RELIABILITY } from './binding.js';
import { type RosTypeName, readDefinitions, splitTypeName } from './interface-definitions.js';
import { RosMessageWriter } from './message-writer.js';

export interface TopicDescription {
  /** package/msg/Name. */
  readonly type: string;
  /** `~/…` stands below the node. */
  readonly name: string;
  /** History kept for slow subscribers. */
  readonly depth: number;
}

export class SerialisedTopic<Message extends object> {
  readonly #publisher: RclPublisher;
  readonly #writer: RosMessageWriter;

  /** @throws {RosInterfaceError} when the type is not installed. */
  constructor(rcl: Rclnodejs, node: RclNode, { type, name, depth }: TopicDescription, prefixes: readonly string[]) {
    this.#writer = new RosMessageWriter(readDefinitions(type, prefixes));
    // Reliable: rqt_topic shows nothing of a best effort publisher.
    const qos = new rcl.QoS(KEEP_LAST, depth, RELIABILITY.reliable, DURABILITY.volatile);
    this.#publisher = node.createPublisher(messageType(splitTypeName(type)), name, { qos });
  }

  /** Whether anybody listens; what is published to nobody is kept for nobody. */
  get wanted(): boolean {
    return this.#publisher.subscriptionCount > 0;
  }

  publish(message: Message): void {
    this.#publisher.publish(this.#writer.write(message));
  }

  /** Waits, blocking, until subscribers have what was published. */
  flush(timeoutMs: number): void {
    this.#publisher.waitForAllAcked(BigInt(timeoutMs) * 1_000_000n);
  }
}

/** Names the type to the binding without generated JavaScript: serialised messages need none. */
function messageType({ packageName, name }: RosTypeName): RclMessageType {
  return Object.assign(() => {}, { type: () => ({ pkgName: packageName, subFolder: 'msg', interfaceName: name }) });
}
