import { pino } from 'pino';
import { expect, it } from 'vitest';
import { parametersSchema } from '../../src/config/schema.js';
import { Inputs } from '../../src/ros/inputs.js';
import { type FakeBinding, fakeBinding } from './fake-binding.js';

const STREAM = { model: 'detector', contract: { max_age_ms: 100 } };
const PARAMETERS = parametersSchema.parse({
  backends: { gpu: { slots: 1 } },
  models: { detector: { backend: 'gpu', variants: { large: { backend_model: 'centerface' } } } },
  streams: {
    front: { ...STREAM, topic: '/front' },
    imu: { ...STREAM, topic: '/imu', type: 'sensor_msgs/msg/Imu', queue: { policy: 'never_drop', capacity: 20 } },
  },
});

function open(binding: FakeBinding): { inputs: Inputs; told: unknown[] } {
  const told: unknown[] = [];
  const inputs = new Inputs(binding.rcl, binding.node, PARAMETERS, {
    service: {
      receive: (stream) => told.push(['receive', stream]),
      refuse: () => {},
      countLost: (stream, frames) => told.push(['lost', stream, frames]),
      noteInput: (stream, problem) => told.push([stream, problem]),
    },
    rosNowNs: () => 1n,
    isActive: () => true,
    log: pino({ level: 'silent' }),
  });
  inputs.open();
  return { inputs, told };
}

it('subscribes each stream with the QoS of its queue policy', () => {
  const { subscriptions, ...binding } = fakeBinding();
  const { inputs } = open({ ...binding, subscriptions });
  expect(subscriptions.get('/front')?.qos).toMatchObject({ history: 1, depth: 1, reliability: 2 });
  expect(subscriptions.get('/imu')?.qos).toMatchObject({ history: 1, depth: 20, reliability: 1 });
  expect([...inputs.opened()].map((input) => input.topic)).toEqual(['/resolved/front', '/resolved/imu']);
});

it('starts the other streams when the type of one is not installed, and says what to do', () => {
  const binding = fakeBinding(['sensor_msgs/msg/Imu']);
  const { inputs, told } = open(binding);
  expect([...binding.subscriptions.keys()]).toEqual(['/front']);
  expect([...inputs.opened()]).toHaveLength(1);
  const remedy = 'install the package sensor_msgs, then type npx generate-ros-messages with the ROS 2 environment sourced';
  expect(told).toEqual([['imu', `cannot subscribe: message type sensor_msgs/msg/Imu is not available: ${remedy}`]]);
});

it('asks for message info only where the middleware numbers messages: the binding looks at the arity', () => {
  const numbering = fakeBinding([], 'rmw_fastrtps_cpp');
  const silent = fakeBinding([], 'rmw_cyclonedds_cpp');
  open(numbering);
  open(silent);
  expect([numbering.subscriptions.get('/front')?.callback.length, silent.subscriptions.get('/front')?.callback.length]).toEqual([2, 1]);
});

it('counts what is lost before a message it receives', () => {
  const binding = fakeBinding();
  const { told } = open(binding);
  const callback = binding.subscriptions.get('/front')?.callback;
  for (const sequence of [1n, 4n])
    callback?.({}, { sourceTimestamp: 0n, publicationSequenceNumber: sequence, publisherGid: Uint8Array.of(9) });
  expect(told).toEqual([
    ['receive', 'front'],
    ['lost', 'front', 2],
    ['receive', 'front'],
  ]);
});

it('receives nothing after close', () => {
  const binding = fakeBinding();
  const { inputs } = open(binding);
  inputs.close();
  expect([binding.subscriptions.size, [...inputs.opened()].length]).toEqual([0, 0]);
});
