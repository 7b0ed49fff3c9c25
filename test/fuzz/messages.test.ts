/** What a publisher sends, from serialised bytes to the tensor: the declared error or exactly the bytes promised, and nothing else. */
import { parse } from '@foxglove/rosmsg';
import { MessageReader, MessageWriter } from '@foxglove/rosmsg2-serialization';
import { expect, test } from 'vitest';
import type { InputParameters, StreamParameters } from '../../src/config/schema.js';
import { headerOf } from '../../src/ros/message-header.js';
import type { Codec } from '../../src/tensor/codec.js';
import { InvalidMessage } from '../../src/tensor/invalid-message.js';
import { codecOf, sourceOf } from '../tensor/fixtures.js';
import { fuzz, fuzzTimeoutMs } from './fuzz.js';
import type { Random } from './random.js';

const LONGEST_DETAIL = 2000;
const MAX_MESSAGE_BYTES = 4096;
const GUARD = 0xa5;
const GUARD_BYTES = 16;

/** The public definitions, in one text as bags have them. */
const SEPARATOR = '='.repeat(80);
const HEADER_TEXT = `${SEPARATOR}\nMSG: std_msgs/Header\nbuiltin_interfaces/Time stamp\nstring frame_id
${SEPARATOR}\nMSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n`;
const DEFINITIONS = {
  'sensor_msgs/msg/Image': `std_msgs/Header header\nuint32 height\nuint32 width\nstring encoding\nuint8 is_bigendian\nuint32 step\nuint8[] data
${HEADER_TEXT}`,
  'sensor_msgs/msg/Imu': `std_msgs/Header header\ngeometry_msgs/Quaternion orientation\nfloat64[9] orientation_covariance
geometry_msgs/Vector3 angular_velocity\nfloat64[9] angular_velocity_covariance
geometry_msgs/Vector3 linear_acceleration\nfloat64[9] linear_acceleration_covariance
${HEADER_TEXT}${SEPARATOR}\nMSG: geometry_msgs/Quaternion\nfloat64 x\nfloat64 y\nfloat64 z\nfloat64 w
${SEPARATOR}\nMSG: geometry_msgs/Vector3\nfloat64 x\nfloat64 y\nfloat64 z\n`,
  'std_msgs/msg/Float32MultiArray': `std_msgs/MultiArrayLayout layout\nfloat32[] data
${SEPARATOR}\nMSG: std_msgs/MultiArrayLayout\nstd_msgs/MultiArrayDimension[] dim\nuint32 data_offset
${SEPARATOR}\nMSG: std_msgs/MultiArrayDimension\nstring label\nuint32 size\nuint32 stride\n`,
} satisfies Record<StreamParameters['type'], string>;

const CHANNELS = { rgb8: 3, bgr8: 3, rgba8: 4, bgra8: 4, mono8: 1 };
type Encoding = keyof typeof CHANNELS;

const INPUTS: readonly Partial<InputParameters>[] = [
  {},
  { layout: 'nchw', datatype: 'FP32', color_order: 'gray' },
  {
    layout: 'nchw',
    datatype: 'FP32',
    width: 13,
    height: 7,
    resize: 'letterbox',
    scale: 1 / 255,
    mean: [0.5, 0.5, 0.5],
    std: [0.2, 0.2, 0.2],
  },
  { width: 5, height: 9, resize: 'crop', color_order: 'bgr' },
  { width: 8, height: 8, resize: 'stretch', color_order: 'gray', batch_dimension: false },
];
const IMAGES = INPUTS.map((input) => codecOf({ input: { name: 'x', ...input }, maxMessageBytes: MAX_MESSAGE_BYTES }));

const CODECS: Readonly<Record<StreamParameters['type'], readonly Codec[]>> = {
  'sensor_msgs/msg/Image': IMAGES,
  'sensor_msgs/msg/Imu': [codecOf({ type: 'sensor_msgs/msg/Imu', input: { name: 'x' } })],
  'std_msgs/msg/Float32MultiArray': [
    codecOf({ type: 'std_msgs/msg/Float32MultiArray', input: { name: 'x' }, maxMessageBytes: MAX_MESSAGE_BYTES }),
  ],
};

const DRAWS: Readonly<Record<StreamParameters['type'], (random: Random) => object>> = {
  'sensor_msgs/msg/Image': drawImage,
  'sensor_msgs/msg/Imu': drawImu,
  'std_msgs/msg/Float32MultiArray': drawArray,
};

test.each(Object.keys(DEFINITIONS) as StreamParameters['type'][])(
  'any %s becomes a tensor or invalid',
  { timeout: fuzzTimeoutMs() },
  (type) => {
    const definitions = parse(DEFINITIONS[type], { ros2: true });
    const [writer, reader] = [new MessageWriter(definitions), new MessageReader<Record<string, unknown>>(definitions)];
    const reached = { message: 0, tensor: 0 };
    const arrived = (random: Random) => {
      const bytes = writer.writeMessage(DRAWS[type](random));
      const message = read(reader, random.chance(0.7) ? random.mutate(bytes) : bytes);
      if (message !== undefined && random.chance(0.2)) spoil(random, message);
      return message;
    };
    fuzz({ cases: 20_000 }, arrived, (message, random) => {
      if (message === undefined) return;
      reached.message += 1;
      const header = headerOf(message, 5n);
      expect([header.stamp.sec, header.stamp.nanosec].every(Number.isInteger)).toBe(true);
      const codec = random.pick(CODECS[type]);
      const written = attempt(() => write(codec, header, message));
      if (written === undefined) return;
      reached.tensor += 1;
      if (type === 'sensor_msgs/msg/Image' && written.datatype === 'FP32') expect(written.floats.every(Number.isFinite)).toBe(true);
    });
    if (process.env['VIG_FUZZ_CASE'] === undefined) for (const count of Object.values(reached)) expect(count).toBeGreaterThan(100);
  },
);

/** Undefined for bytes that are no message: the middleware drops those. */
function read(reader: MessageReader<Record<string, unknown>>, bytes: Uint8Array): Record<string, unknown> | undefined {
  try {
    return reader.readMessage(bytes);
  } catch (error) {
    expect(error).toBeInstanceOf(Error);
    return undefined;
  }
}

/** Undefined where it ended in the declared error. Anything else is thrown. */
function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof InvalidMessage)) throw error;
    expect(error.message.length).toBeLessThan(LONGEST_DETAIL);
    return undefined;
  }
}

/** Writes the tensor into a place of its size, at any alignment, and looks that nothing around it is touched. */
function write(codec: Codec, header: Parameters<Codec['frame']>[0], message: unknown) {
  const source = sourceOf(codec.frame(header, message));
  const place = new Uint8Array(source.byteLength + 2 * GUARD_BYTES).fill(GUARD);
  const target = place.subarray(GUARD_BYTES, GUARD_BYTES + source.byteLength);
  source.write(target);
  const around = [...place.subarray(0, GUARD_BYTES), ...place.subarray(GUARD_BYTES + source.byteLength)];
  expect(around.every((byte) => byte === GUARD)).toBe(true);
  const elements = source.shape.reduce((product, size) => product * size, 1);
  expect(source.byteLength).toBe(elements * (source.datatype === 'FP32' ? 4 : 1));
  return {
    datatype: source.datatype,
    floats: source.datatype === 'FP32' ? new Float32Array(Uint8Array.from(target).buffer) : new Float32Array(),
  };
}

/** Puts what no type promises into one field. */
function spoil(random: Random, message: Record<string, unknown>): void {
  const path = random.pick(Object.keys(message));
  const inner = message[path];
  if (typeof inner === 'object' && inner !== null && !ArrayBuffer.isView(inner) && random.chance(0.5)) {
    const fields = inner as Record<string, unknown>;
    fields[random.pick(Object.keys(fields)) ?? 'x'] = random.odd();
  } else message[path] = random.odd();
}

function drawHeader(random: Random): object {
  return {
    stamp: { sec: random.pick([0, 1, 100, -1, 2 ** 31 - 1]), nanosec: random.pick([0, 999_999_999, 2 ** 32 - 1]) },
    frame_id: random.text(),
  };
}

function drawImage(random: Random): object {
  const encoding = random.pick(Object.keys(CHANNELS) as Encoding[]);
  const [width, height] = [1 + random.below(24), 1 + random.below(12)];
  const step = width * CHANNELS[encoding] + random.below(3);
  const odd = random.chance(0.1);
  return {
    header: drawHeader(random),
    width: odd ? random.count() % 2 ** 32 : width,
    height,
    encoding: odd ? random.text() : encoding,
    is_bigendian: random.below(2),
    step,
    data: random.bytes(Math.max(0, step * height + (random.chance(0.2) ? random.below(9) - 4 : 0))),
  };
}

function drawImu(random: Random): object {
  const covariance = Array.from({ length: 9 }, () => random.float());
  const vector = (axes: readonly string[]) => Object.fromEntries(axes.map((axis) => [axis, random.float()]));
  return {
    header: drawHeader(random),
    orientation: vector(['x', 'y', 'z', 'w']),
    orientation_covariance: covariance,
    angular_velocity: vector(['x', 'y', 'z']),
    angular_velocity_covariance: covariance,
    linear_acceleration: vector(['x', 'y', 'z']),
    linear_acceleration_covariance: covariance,
  };
}

function drawArray(random: Random): object {
  const sizes = random.list(4, () => 1 + random.below(5));
  const count = sizes.reduce((product, size) => product * size, sizes.length === 0 ? random.below(30) : 1);
  const dim = sizes.map((size, index) => {
    const dense = sizes.slice(index).reduce((product, inner) => product * inner, 1);
    return { label: random.text(), size: random.chance(0.95) ? size : random.count() % 2 ** 32, stride: random.pick([0, dense, dense, 1]) };
  });
  return {
    layout: { dim, data_offset: random.chance(0.9) ? 0 : random.below(5) },
    data: Array.from({ length: count }, () => random.float()),
  };
}
