/** The binding's lifecycle node, its requests led to our own lifecycle. */
import type { RclChangeStateRequest, RclChangeStateResponse, RclContext, RclLifecycleNode, RclNodeOptions, Rclnodejs } from './binding.js';
import { type StateMachine, TRANSITIONS, type Transition } from './lifecycle.js';

/** Answers a request of the change_state service; never rejects. */
export type RequestHandler = (transition: Transition) => Promise<boolean>;

export interface ManagedNode {
  readonly node: RclLifecycleNode;
  readonly machine: StateMachine;
  /** Requests that come before are refused. */
  handleRequests(handler: RequestHandler): void;
}

export function createManagedNode(
  rcl: Rclnodejs,
  name: string,
  context: RclContext,
  options: RclNodeOptions,
  whenUnanswered: (error: unknown) => void,
): ManagedNode {
  let handler: RequestHandler = () => Promise.resolve(false);
  class GovernorNode extends rcl.lifecycle.LifecycleNode {
    /** Called by the binding, which would run the transition within the call. */
    _onChangeState({ transition }: RclChangeStateRequest, response: RclChangeStateResponse): void {
      const wanted = transitionOf(transition.id, transition.label);
      const answer = wanted === undefined ? Promise.resolve(false) : handler(wanted);
      answer.then((success) => response.send({ success })).catch(whenUnanswered);
    }
  }
  const node = new GovernorNode(name, '', context, options);
  return {
    node,
    machine: stateMachine(rcl, node),
    handleRequests: (next) => {
      handler = next;
    },
  };
}

/** lifecycle_msgs/msg/Transition: the ids a client may ask for. A label, where there is one, counts (as in rclcpp). */
const IDS: Readonly<Record<number, Transition>> = {
  1: 'configure',
  2: 'cleanup',
  3: 'activate',
  4: 'deactivate',
  5: 'shutdown',
  6: 'shutdown',
  7: 'shutdown',
};

function transitionOf(id: number, label: string): Transition | undefined {
  return label === '' ? IDS[id] : TRANSITIONS.find((transition) => label === transition || label.endsWith(`_${transition}`));
}

function stateMachine(rcl: Rclnodejs, node: RclLifecycleNode): StateMachine {
  const { SUCCESS, FAILURE } = rcl.lifecycle.CallbackReturnCode;
  let verdict = SUCCESS;
  const answer = (): number => verdict;
  node.registerOnConfigure(answer);
  node.registerOnActivate(answer);
  node.registerOnDeactivate(answer);
  node.registerOnCleanup(answer);
  node.registerOnShutdown(answer);
  return {
    state: () => node.currentState.label,
    apply: (transition, succeeded) => {
      verdict = succeeded ? SUCCESS : FAILURE;
      node[transition]();
    },
  };
}
