/** sensor_msgs/msg/Image: what is checked before a single byte of it is believed. */
import { InvalidMessage } from './invalid-message.js';
import { countIn, type Fields, fieldsOf, kindOf } from './message-fields.js';

/** Where the colours of a pixel lie, in bytes from its start; all alike for grey. */
export interface Encoding {
  readonly name: string;
  readonly channels: number;
  readonly red: number;
  readonly green: number;
  readonly blue: number;
}

/** One byte a channel; names of sensor_msgs/image_encodings.hpp. */
const ENCODINGS: ReadonlyMap<string, Encoding> = new Map(
  [
    { name: 'rgb8', channels: 3, red: 0, green: 1, blue: 2 },
    { name: 'bgr8', channels: 3, red: 2, green: 1, blue: 0 },
    { name: 'rgba8', channels: 4, red: 0, green: 1, blue: 2 },
    { name: 'bgra8', channels: 4, red: 2, green: 1, blue: 0 },
    { name: 'mono8', channels: 1, red: 0, green: 0, blue: 0 },
  ].map((encoding) => [encoding.name, encoding]),
);

/** Tables of a number a column and a row are made for each size of image: a side that no sensor has must not take the memory. */
const MAX_IMAGE_SIDE_PX = 65_536;

/** Longest part of a text out of a message that is repeated to a person. */
const QUOTED_LENGTH = 40;

/** Its geometry is proven: `data` holds `height` rows of `step` bytes, each with `width` whole pixels. */
export interface SourceImage {
  readonly encoding: Encoding;
  readonly width: number;
  readonly height: number;
  readonly step: number;
  readonly data: Uint8Array;
}

/**
 * @param maxBytes the most the pixels with their padding may take.
 * @throws {InvalidMessage} malformed_message, unsupported_encoding or too_large.
 */
export function readImage(message: unknown, maxBytes: number): SourceImage {
  const fields = fieldsOf(message, 'The image');
  const width = countIn(fields, 'width');
  const height = countIn(fields, 'height');
  const step = countIn(fields, 'step');
  const encoding = encodingIn(fields);
  const data = fields['data'];
  if (!(data instanceof Uint8Array)) throw new InvalidMessage('malformed_message', `data is ${kindOf(data)}, not bytes.`);
  if (width === 0 || height === 0) throw new InvalidMessage('malformed_message', `The image is ${width}x${height}: it has no pixels.`);

  const declaredBytes = Math.max(step, width * encoding.channels) * height;
  const bytes = Math.max(declaredBytes, data.length);
  if (bytes > maxBytes) {
    throw new InvalidMessage('too_large', `The ${encoding.name} image ${width}x${height} takes ${bytes} bytes, allowed are ${maxBytes}.`);
  }
  if (step < width * encoding.channels) {
    throw new InvalidMessage(
      'malformed_message',
      `step is ${step}, but a row of ${width} ${encoding.name} pixels takes ${width * encoding.channels} bytes.`,
    );
  }
  if (data.length < declaredBytes) {
    throw new InvalidMessage(
      'malformed_message',
      `data has ${data.length} bytes, but ${height} rows of ${step} bytes are ${declaredBytes}.`,
    );
  }
  if (Math.max(width, height) > MAX_IMAGE_SIDE_PX) {
    throw new InvalidMessage('too_large', `The image is ${width}x${height}; allowed are ${MAX_IMAGE_SIDE_PX} pixels a side.`);
  }
  return { encoding, width, height, step, data };
}

function encodingIn(fields: Fields): Encoding {
  const name = fields['encoding'];
  if (typeof name !== 'string') throw new InvalidMessage('malformed_message', `encoding is ${kindOf(name)}, not a text.`);
  const encoding = ENCODINGS.get(name);
  if (encoding === undefined) {
    const known = [...ENCODINGS.keys()].join(', ');
    throw new InvalidMessage('unsupported_encoding', `encoding is ${JSON.stringify(name.slice(0, QUOTED_LENGTH))}; known are ${known}.`);
  }
  return encoding;
}
