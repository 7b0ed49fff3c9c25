/** Messages that are plain float tensors. NaN and Infinity pass unchanged: they are what the sensor said, and the model decides. */
import { InvalidMessage } from './invalid-message.js';
import { countIn, fieldsOf, kindOf, numberIn } from './message-fields.js';

/** The most elements `dim` of a layout may have. */
const MAX_DIMENSIONS = 16;

const IMU_FIELDS = [
  ['orientation', ['x', 'y', 'z', 'w']],
  ['angular_velocity', ['x', 'y', 'z']],
  ['linear_acceleration', ['x', 'y', 'z']],
] as const;

/** Orientation x y z w, angular velocity x y z, linear acceleration x y z. */
export const IMU_LENGTH = 10;

/** @throws {InvalidMessage} malformed_message. */
export function readImu(message: unknown): Float32Array {
  const fields = fieldsOf(message, 'The message');
  return Float32Array.from(
    IMU_FIELDS.flatMap(([name, axes]) => {
      const vector = fieldsOf(fields[name], name);
      return axes.map((axis) => numberIn(vector, axis));
    }),
  );
}

export interface FloatArray {
  readonly values: Float32Array;
  /** Sizes of the layout; none when the publisher left it empty. Their product is the number of values. */
  readonly dimensions: readonly number[];
}

/** std_msgs/msg/Float32MultiArray, row-major and dense. @throws {InvalidMessage} malformed_message or too_large. */
export function readFloatArray(message: unknown, maxBytes: number): FloatArray {
  const fields = fieldsOf(message, 'The message');
  const layout = fieldsOf(fields['layout'], 'layout');
  const data = fields['data'];
  if (!(data instanceof Float32Array || Array.isArray(data)))
    throw new InvalidMessage('malformed_message', `data is ${kindOf(data)}, not numbers.`);
  const bytes = data.length * Float32Array.BYTES_PER_ELEMENT;
  if (bytes > maxBytes) throw new InvalidMessage('too_large', `data takes ${bytes} bytes, allowed are ${maxBytes}.`);
  const offset = countIn(layout, 'data_offset');
  if (offset >= data.length) {
    throw new InvalidMessage('malformed_message', `data has ${data.length} values and data_offset is ${offset}: nothing is left.`);
  }
  const values = data instanceof Float32Array ? data.subarray(offset) : numbersOf(data.slice(offset));
  return { values, dimensions: dimensionsOf(layout['dim'], values.length) };
}

function numbersOf(list: readonly unknown[]): Float32Array {
  const numbers = list.filter((value) => typeof value === 'number');
  if (numbers.length < list.length) throw new InvalidMessage('malformed_message', 'data holds something that is not a number.');
  return Float32Array.from(numbers);
}

function dimensionsOf(list: unknown, count: number): readonly number[] {
  if (!Array.isArray(list)) throw new InvalidMessage('malformed_message', `layout.dim is ${kindOf(list)}, not a list.`);
  if (list.length > MAX_DIMENSIONS) {
    throw new InvalidMessage('malformed_message', `layout.dim has ${list.length} entries, allowed are ${MAX_DIMENSIONS}.`);
  }
  if (list.length === 0) return [];
  const entries = list.map((entry: unknown) => fieldsOf(entry, 'An entry of layout.dim'));
  const sizes = entries.map((entry) => countIn(entry, 'size'));
  let stride = 1;
  for (let i = sizes.length - 1; i >= 0; i--) {
    stride *= sizes[i] as number;
    const declared = countIn(entries[i] ?? {}, 'stride');
    // Publishers that do not pad leave strides at 0 or state the dense ones (std_msgs/MultiArrayLayout.msg).
    if (declared !== 0 && declared !== stride) {
      throw new InvalidMessage(
        'malformed_message',
        `layout.dim[${i}].stride is ${declared}; dense rows of sizes [${sizes}] have ${stride}.`,
      );
    }
  }
  if (stride !== count) {
    throw new InvalidMessage('malformed_message', `layout.dim has sizes [${sizes}], that is ${stride} values; data has ${count}.`);
  }
  return sizes;
}
