/** Whether a publisher's quality of service fits what a stream asks for. Pure. */
import type { SubscriptionQos } from '../config/subscription-qos.js';

/** One publisher as the ROS graph knows it. */
export interface PublisherEndpoint {
  /** Its node, as it is named in a sentence. */
  readonly node: string;
  readonly type: string;
  readonly reliability: 'reliable' | 'best_effort' | 'unknown';
}

export interface ExpectedInput {
  readonly topic: string;
  readonly type: string;
  readonly qos: SubscriptionQos;
}

/**
 * Why nothing comes although somebody publishes; undefined when a message has come lately or nobody publishes.
 * @param silent no message has come for longer than the stream may be silent, while one could have come
 */
export function inputProblem(expected: ExpectedInput, publishers: readonly PublisherEndpoint[], silent: boolean): string | undefined {
  const wrongType = publishers.find((publisher) => publisher.type !== expected.type);
  if (wrongType !== undefined) {
    return `${wrongType.node} publishes ${wrongType.type} on ${expected.topic}, this stream takes ${expected.type}: correct topic or type`;
  }
  const unreliable = publishers.find((publisher) => publisher.reliability === 'best_effort');
  if (expected.qos.reliability === 'reliable' && unreliable !== undefined) {
    return `incompatible QoS on ${expected.topic}: ${unreliable.node} offers best effort, this stream requests reliable: set qos.preset to sensor_data, or publish reliable`;
  }
  const [first] = publishers;
  if (!silent || first === undefined) return undefined;
  return `publishers but no data on ${expected.topic}: ${first.node} offers ${spoken(first.reliability)}, this stream requests ${spoken(expected.qos.reliability)}`;
}

function spoken(policy: PublisherEndpoint['reliability']): string {
  return policy.replace('_', ' ');
}
