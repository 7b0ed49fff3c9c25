/** A node without a lifecycle, for a process of the demo that is one. */
import type { RclNode, Rclnodejs } from './binding.js';
import { loadRclnodejs } from './load-rclnodejs.js';

export interface PlainNode {
  readonly rcl: Rclnodejs;
  readonly node: RclNode;
  /** Call it before the process exits, which would crash otherwise. */
  close(): void;
}

/**
 * The only node of this process; signals are left to the caller.
 * @throws {RosUnavailableError}
 */
export async function openPlainNode(name: string, namespace: string): Promise<PlainNode> {
  const rcl = await loadRclnodejs();
  rcl.removeSignalHandlers();
  const context = rcl.Context.defaultContext();
  await rcl.init(context, []);
  const close = (): void => {
    if (!rcl.isShutdown()) rcl.shutdown(); // destroys the node
  };
  try {
    const node = new rcl.Node(name, namespace, context, new rcl.NodeOptions());
    node.spin();
    return { rcl, node, close };
  } catch (error) {
    close();
    throw error;
  }
}
