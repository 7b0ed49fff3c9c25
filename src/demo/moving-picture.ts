/** What a camera sees: a window that wanders over a still picture. */
import { readFileSync } from 'node:fs';
import { decode } from 'fast-png';
import { DemoError } from './demo-error.js';

const CHANNELS = 3;

export interface Picture {
  readonly width: number;
  readonly height: number;
  /** rgb8 without padding. */
  readonly data: Uint8Array;
}

/** @throws {DemoError} `missing` unless the file is a PNG with 8 bits for each of red, green and blue. */
export function readPicture(file: string): Picture {
  try {
    const { width, height, data, depth, channels } = decode(readFileSync(file));
    if (depth !== 8 || channels !== CHANNELS || data.BYTES_PER_ELEMENT !== 1)
      throw new Error(`it has ${channels} channels of ${depth} bits`);
    return { width, height, data: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) };
  } catch (cause) {
    throw new DemoError('missing', `the picture ${file} cannot be used (${String(cause)}): type npm run setup in the checkout`, { cause });
  }
}

/** The same picture at a whole multiple of its size. */
export function enlarged(picture: Picture, factor: number): Picture {
  const width = picture.width * factor;
  const height = picture.height * factor;
  const data = new Uint8Array(width * height * CHANNELS);
  let to = 0;
  for (let y = 0; y < height; y += 1) {
    const row = Math.floor(y / factor) * picture.width;
    for (let x = 0; x < width; x += 1) {
      const from = (row + Math.floor(x / factor)) * CHANNELS;
      for (let channel = 0; channel < CHANNELS; channel += 1) data[to++] = picture.data[from + channel] ?? 0;
    }
  }
  return { width, height, data };
}

export interface Path {
  /** Distances that the left and the upper edge of the window wander, from 0. */
  readonly rangeX: number;
  readonly rangeY: number;
  readonly turnMs: number;
}

/** The window's upper left corner at a time: once to and fro in x in each turn, twice in y. */
export function windowAt(path: Path, timeMs: number): { readonly x: number; readonly y: number } {
  const angle = (2 * Math.PI * timeMs) / path.turnMs;
  return {
    x: Math.round((path.rangeX * (1 - Math.cos(angle))) / 2),
    y: Math.round((path.rangeY * (1 - Math.cos(2 * angle))) / 2),
  };
}

/** A copy of the window, rgb8 without padding. */
export function crop(picture: Picture, x: number, y: number, width: number, height: number): Uint8Array {
  if (x < 0 || y < 0 || x + width > picture.width || y + height > picture.height) {
    throw new RangeError(`the window ${width}x${height} at ${x}, ${y} leaves the picture of ${picture.width}x${picture.height}`);
  }
  const rowBytes = width * CHANNELS;
  const target = new Uint8Array(rowBytes * height);
  for (let row = 0; row < height; row += 1) {
    const from = ((y + row) * picture.width + x) * CHANNELS;
    target.set(picture.data.subarray(from, from + rowBytes), row * rowBytes);
  }
  return target;
}
