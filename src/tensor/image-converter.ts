import type { InputParameters } from '../config/schema.js';
import { ELEMENT_BYTES } from '../governor/datatype.js';
import type { Converter, Payload } from './converter.js';
import { type Encoding, readImage, type SourceImage } from './image-message.js';
import { channelCount, ImagePlan, targetSize } from './image-plan.js';
import { InvalidMessage } from './invalid-message.js';
import type { Size } from './resize-geometry.js';
import { DYNAMIC, fits } from './shapes.js';

/** The most one tensor may take: an RGB image of 4096x4096 in FP32 stays below. */
const MAX_TENSOR_BYTES = 268_435_456;

/** Height, width, channels. */
const IMAGE_DIMENSIONS = 3;

const LAYOUTS = ['nhwc', 'nchw'] as const;
const DATATYPES = ['UINT8', 'FP32'] as const;
const COLOR_ORDERS = ['rgb', 'gray'] as const;
const BATCH_DIMENSIONS = [true, false] as const;

function shapeOf({ width, height }: Size, input: InputParameters): readonly number[] {
  const channels = channelCount(input);
  const image = input.layout === 'nhwc' ? [height, width, channels] : [channels, height, width];
  return input.batch_dimension ? [1, ...image] : image;
}

/** sensor_msgs/msg/Image to one tensor, by way of a plan that is kept as long as images have the same size and encoding. */
export class ImageConverter implements Converter {
  readonly datatype: 'UINT8' | 'FP32';
  readonly shape: readonly number[];
  readonly #input: InputParameters;
  readonly #maxMessageBytes: number;
  #plan: { readonly encoding: Encoding; readonly plan: ImagePlan } | undefined;

  constructor(input: InputParameters, maxMessageBytes: number) {
    this.#input = input;
    this.#maxMessageBytes = maxMessageBytes;
    this.datatype = input.datatype;
    this.shape = shapeOf({ width: input.width ?? DYNAMIC, height: input.height ?? DYNAMIC }, input);
  }

  read(message: unknown): Payload {
    const image = readImage(message, this.#maxMessageBytes);
    const target = targetSize(image, this.#input);
    const shape = shapeOf(target, this.#input);
    const byteLength = target.width * target.height * channelCount(this.#input) * ELEMENT_BYTES[this.datatype];
    const description = `${image.encoding.name} image ${image.width}x${image.height}`;
    if (byteLength > MAX_TENSOR_BYTES) {
      const sizes = `${target.width}x${target.height} takes ${byteLength} bytes, allowed are ${MAX_TENSOR_BYTES}`;
      throw new InvalidMessage('too_large', `The ${description} as a tensor of ${sizes}: set a smaller input.width and input.height.`);
    }
    const plan = this.#planFor(image);
    return {
      description,
      byteLength,
      geometry: plan.geometry,
      shapeFor: (model) => (model === undefined || fits(shape, model) ? shape : undefined),
      write: (bytes) => plan.write(image, bytes),
    };
  }

  remedy(datatype: string, shape: readonly number[]): string | undefined {
    const candidates = LAYOUTS.flatMap((layout) =>
      COLOR_ORDERS.flatMap((color_order) =>
        BATCH_DIMENSIONS.map((batch_dimension) => ({ ...this.#input, ...sizeIn(shape, layout), layout, color_order, batch_dimension })),
      ),
    )
      .filter((input) => isPlausible(shape, input.layout))
      .filter((input) => fits(shapeOf({ width: input.width ?? DYNAMIC, height: input.height ?? DYNAMIC }, input), shape))
      .flatMap((input) => DATATYPES.filter((known) => known === datatype).map((known) => this.#changesTo({ ...input, datatype: known })))
      .toSorted((one, other) => one.length - other.length);
    return candidates[0]?.join(', ');
  }

  #changesTo(input: InputParameters): readonly string[] {
    const was = this.#input;
    const changes: string[] = [];
    if (input.datatype !== was.datatype) changes.push(`datatype: ${input.datatype}`);
    if (input.layout !== was.layout) changes.push(`layout: ${input.layout}`);
    if (channelCount(input) !== channelCount(was)) changes.push(`color_order: ${input.color_order}`);
    if (input.batch_dimension !== was.batch_dimension) changes.push(`batch_dimension: ${input.batch_dimension}`);
    if (input.width !== was.width) changes.push(`width: ${input.width}`);
    if (input.height !== was.height) changes.push(`height: ${input.height}`);
    return changes;
  }

  #planFor(image: SourceImage): ImagePlan {
    const known = this.#plan;
    const source = known?.plan.geometry.source;
    if (known !== undefined && known.encoding === image.encoding && source?.width === image.width && source.height === image.height) {
      return known.plan;
    }
    const plan = new ImagePlan(image.encoding, { width: image.width, height: image.height }, this.#input);
    this.#plan = { encoding: image.encoding, plan };
    return plan;
  }
}

/** A model that fixes any side of an image fixes its channels: a dimension of 3 is then not taken for a height. */
function isPlausible(shape: readonly number[], layout: InputParameters['layout']): boolean {
  const channels = shape.at(layout === 'nhwc' ? -1 : -IMAGE_DIMENSIONS);
  return channels !== DYNAMIC || shape.slice(-IMAGE_DIMENSIONS).every((size) => size === DYNAMIC);
}

/** The fixed sides of a model's input. */
function sizeIn(shape: readonly number[], layout: InputParameters['layout']): { width?: number; height?: number } {
  const [height, width] = layout === 'nhwc' ? shape.slice(-IMAGE_DIMENSIONS, -1) : shape.slice(-2);
  return {
    ...(width !== undefined && width !== DYNAMIC ? { width } : {}),
    ...(height !== undefined && height !== DYNAMIC ? { height } : {}),
  };
}
