/** A stand-in for the binding that remembers what is published, declared and subscribed to. */
import type { RclMessageCallback, RclMessageType, RclNode, Rclnodejs } from '../../src/ros/binding.js';

export interface FakeTopic {
  readonly type: string;
  readonly qos: unknown;
  readonly sent: Buffer[];
  subscriptionCount: number;
  fails: boolean;
}

export interface FakeParameter {
  readonly name: string;
  readonly type: number;
  readonly value: unknown;
}

export interface FakeBinding {
  readonly rcl: Rclnodejs;
  readonly node: RclNode;
  readonly topics: Map<string, FakeTopic>;
  readonly subscriptions: Map<string, { readonly qos: unknown; readonly callback: RclMessageCallback }>;
  readonly parameters: FakeParameter[];
  readonly descriptors: { name: string; toMessage(): object }[];
  /** As a client of the parameter services does, all in one. */
  set(...parameters: readonly FakeParameter[]): { readonly successful: boolean; readonly reason: string };
}

class Qos {
  constructor(
    readonly history: number,
    readonly depth: number,
    readonly reliability: number,
    readonly durability: number,
  ) {}
}

class Parameter implements FakeParameter {
  constructor(
    readonly name: string,
    readonly type: number,
    readonly value: unknown,
  ) {}
}

class Descriptor {
  additionalConstraints = '';
  constructor(
    readonly name: string,
    readonly type: number,
    readonly description: string,
    readonly readOnly: boolean,
  ) {}

  validateParameter(parameter: { readonly type: number }): void {
    if (parameter.type !== this.type) throw new Error('another type');
  }

  toMessage(): object {
    return { name: this.name, description: this.description, read_only: this.readOnly, additional_constraints: this.additionalConstraints };
  }
}

/** @param missing message types the node cannot subscribe to. */
export function fakeBinding(missing: readonly string[] = [], middleware = 'rmw_fastrtps_cpp'): FakeBinding {
  const topics: FakeBinding['topics'] = new Map();
  const subscriptions: FakeBinding['subscriptions'] = new Map();
  const parameters: FakeParameter[] = [];
  const descriptors: FakeBinding['descriptors'] = [];
  const pre: Parameters<RclNode['addPreSetParametersCallback']>[0][] = [];
  const on: Parameters<RclNode['addOnSetParametersCallback']>[0][] = [];
  const node: Partial<RclNode> = {
    addPreSetParametersCallback: (callback) => pre.push(callback),
    addOnSetParametersCallback: (callback) => on.push(callback),
    createPublisher: (type, name, { qos }) => fakePublisher(topics, type, name, qos),
    createSubscription: (type, topic, { qos }, callback) => {
      if (missing.includes(type)) throw new Error(`The message required does not exist: ${type}`);
      subscriptions.set(topic, { qos, callback });
      return { topic: `/resolved${topic}` };
    },
    destroySubscription: ({ topic }) => {
      subscriptions.delete(topic.replace('/resolved', ''));
    },
    createService: () => undefined,
    getRMWImplementationIdentifier: () => middleware,
    declareParameters: (declared, described) => {
      parameters.push(...(declared as Parameter[]));
      descriptors.push(...(described as Descriptor[]));
    },
  };
  const rcl: Partial<Rclnodejs> = { QoS: Qos as never, Parameter: Parameter as never, ParameterDescriptor: Descriptor };
  const set: FakeBinding['set'] = (...given) => {
    const widened = pre.reduce<readonly FakeParameter[]>((all, callback) => callback(all), given);
    return on.map((callback) => callback(widened)).find(({ successful }) => !successful) ?? { successful: true, reason: '' };
  };
  return { rcl: rcl as Rclnodejs, node: node as RclNode, topics, subscriptions, parameters, descriptors, set };
}

function fakePublisher(
  topics: FakeBinding['topics'],
  type: RclMessageType,
  name: string,
  qos: unknown,
): ReturnType<RclNode['createPublisher']> {
  const { pkgName, subFolder, interfaceName } = type.type();
  const topic: FakeTopic = { type: `${pkgName}/${subFolder}/${interfaceName}`, qos, sent: [], subscriptionCount: 1, fails: false };
  topics.set(name, topic);
  return {
    topic: name,
    get subscriptionCount() {
      return topic.subscriptionCount;
    },
    publish: (bytes) => {
      if (topic.fails) throw new Error('the middleware refused');
      topic.sent.push(bytes);
    },
    waitForAllAcked: () => true,
  };
}
