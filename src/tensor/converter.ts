/** How one type of message becomes one tensor. */
import type { Datatype } from '../governor/ports.js';
import type { ResizeGeometry } from './resize-geometry.js';

export interface Converter {
  readonly datatype: Datatype;
  /** What every message will be, DYNAMIC where it decides; undefined when each message has a shape of its own. */
  readonly shape: readonly number[] | undefined;
  /** @throws {InvalidMessage} when the message is not worth a request; nothing else, whatever the message is. */
  read(message: unknown): Payload;
  /** What to change in models.<name>.input so that it fits the model, "key: value, key: value"; undefined when nothing does. */
  remedy(datatype: string, shape: readonly number[]): string | undefined;
}

/** A checked message that waits to be written. */
export interface Payload {
  /** "rgb8 image 640x480", for people. */
  readonly description: string;
  readonly byteLength: number;
  /** Present for images: the way from the tensor back to source pixels. */
  readonly geometry?: ResizeGeometry;
  /**
   * @param model the shape of the model's input, undefined while the server has not told it.
   * @returns the tensor's shape, undefined when the message does not fit the model.
   */
  shapeFor(model: readonly number[] | undefined): readonly number[] | undefined;
  /** @param target exactly `byteLength` bytes, of any alignment. */
  write(target: Uint8Array): void;
}
