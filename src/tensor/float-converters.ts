import { elementCount } from '../governor/datatype.js';
import type { Converter, Payload } from './converter.js';
import { IMU_LENGTH, readFloatArray, readImu } from './float-message.js';
import { DYNAMIC, fits } from './shapes.js';

function writeFloats(values: Float32Array, target: Uint8Array): void {
  target.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
}

/** sensor_msgs/msg/Imu to ten floats: orientation x y z w, angular velocity x y z, linear acceleration x y z. NaN passes unchanged. */
export class ImuConverter implements Converter {
  readonly datatype = 'FP32';
  readonly shape: readonly number[];

  constructor(batchDimension: boolean) {
    this.shape = batchDimension ? [1, IMU_LENGTH] : [IMU_LENGTH];
  }

  read(message: unknown): Payload {
    const values = readImu(message);
    return {
      description: `Imu of ${IMU_LENGTH} values`,
      byteLength: values.byteLength,
      shapeFor: (model) => (model === undefined || fits(this.shape, model) ? this.shape : undefined),
      write: (target) => writeFloats(values, target),
    };
  }

  remedy(datatype: string, shape: readonly number[]): string | undefined {
    const other = this.shape.length === 1 ? [1, IMU_LENGTH] : [IMU_LENGTH];
    return datatype === 'FP32' && fits(other, shape) ? `batch_dimension: ${other.length === 2}` : undefined;
  }
}

/** std_msgs/msg/Float32MultiArray to floats in the shape of the model's input, else in that of its layout. NaN passes unchanged. */
export class FloatArrayConverter implements Converter {
  readonly datatype = 'FP32';
  readonly shape = undefined;
  readonly #batchDimension: boolean;
  readonly #maxMessageBytes: number;

  constructor(batchDimension: boolean, maxMessageBytes: number) {
    this.#batchDimension = batchDimension;
    this.#maxMessageBytes = maxMessageBytes;
  }

  read(message: unknown): Payload {
    const { values, dimensions } = readFloatArray(message, this.#maxMessageBytes);
    const layout = dimensions.length === 0 ? [values.length] : dimensions;
    const own = this.#batchDimension ? [1, ...layout] : layout;
    return {
      description: `array of sizes [${layout.join(',')}]`,
      byteLength: values.byteLength,
      shapeFor: (model) => (model === undefined ? own : this.#shapeIn(model, values.length, own)),
      write: (target) => writeFloats(values, target),
    };
  }

  remedy(): undefined {
    return undefined; // nothing but the datatype can differ, and that is given
  }

  #shapeIn(model: readonly number[], count: number, own: readonly number[]): readonly number[] | undefined {
    const open = this.#batchDimension && model[0] === DYNAMIC ? [1, ...model.slice(1)] : model;
    const dynamic = open.filter((size) => size === DYNAMIC).length;
    if (dynamic > 1) return fits(own, open) ? own : undefined;
    const fixed = elementCount(open.filter((size) => size !== DYNAMIC));
    if (fixed === undefined) return undefined;
    const shape = open.map((size) => (size === DYNAMIC ? count / fixed : size));
    return shape.every(Number.isInteger) && elementCount(shape) === count ? shape : undefined;
  }
}
