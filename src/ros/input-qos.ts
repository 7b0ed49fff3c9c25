/** Quality of service of an input, and whether a publisher's fits. Pure. */
import type { StreamParameters } from '../config/schema.js';

export interface InputQos {
  readonly reliability: 'reliable' | 'best_effort';
  readonly depth: number;
}

/** By the queue policy unless a preset is named (design.md 3): keep last 1 lets the middleware drop before anything is deserialised. */
export function inputQos(stream: Pick<StreamParameters, 'queue' | 'qos'>): InputQos {
  return { reliability: reliability(stream), depth: stream.qos.depth ?? stream.queue.capacity };
}

function reliability({ queue, qos }: Pick<StreamParameters, 'queue' | 'qos'>): InputQos['reliability'] {
  switch (qos.preset) {
    case 'auto':
      return queue.policy === 'never_drop' ? 'reliable' : 'best_effort';
    case 'sensor_data':
      return 'best_effort';
    case 'reliable':
      return 'reliable';
  }
}

/** One publisher as the ROS graph knows it. */
export interface PublisherEndpoint {
  readonly node: string;
  readonly type: string;
  readonly reliability: 'reliable' | 'best_effort' | 'unknown';
}

export interface ExpectedInput {
  readonly topic: string;
  readonly type: string;
  readonly qos: InputQos;
}

/**
 * Why nothing comes although somebody publishes; undefined when a message has come lately or nobody publishes.
 * @param silent no message has come for longer than the stream may be silent
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
