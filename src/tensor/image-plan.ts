/** Everything about turning images of one size and encoding into the tensor of one model that does not depend on their pixels. */
import type { InputParameters } from '../config/schema.js';
import type { Encoding, SourceImage } from './image-message.js';
import { isUnscaled, type ResizeGeometry, resizeGeometry, type Size } from './resize-geometry.js';
import {
  type BlendRows,
  blendOne,
  blendThree,
  type ChannelTransfer,
  copyOne,
  copyThree,
  type Elements,
  type RowTarget,
  sumThree,
  type Taps,
  type ThreeTransfers,
  tapsAlong,
} from './sampling.js';

/** Value of a letterbox bar in every channel, before normalisation: the mid grey detectors are commonly trained with. */
const BAR_VALUE = 114;

/** ITU-R BT.601, the weights behind "mono8" elsewhere in ROS. */
const LUMA = { red: 0.299, green: 0.587, blue: 0.114 };

/** one: a channel of its own · three: colours · sum: grey out of three colours. */
type Channels =
  | { readonly kind: 'one'; readonly transfers: readonly [ChannelTransfer] }
  | { readonly kind: 'three' | 'sum'; readonly transfers: ThreeTransfers };

export function channelCount(input: InputParameters): number {
  return input.color_order === 'gray' ? 1 : 3;
}

export function targetSize(source: Size, input: InputParameters): Size {
  return { width: input.width ?? source.width, height: input.height ?? source.height };
}

export class ImagePlan {
  readonly geometry: ResizeGeometry;
  readonly #encoding: Encoding;
  readonly #input: InputParameters;
  readonly #channels: Channels;
  readonly #bars: readonly number[];
  readonly #unscaled: boolean;
  readonly #verbatim: boolean;
  /** Bytes of a row of an image that is the tensor as it is, unless its rows are padded. */
  readonly #wholeStep: number | undefined;
  readonly #columns: Taps;
  readonly #rows: Taps;
  /** Room for three channels of one row, where they are summed. */
  readonly #line: Float32Array;

  constructor(encoding: Encoding, source: Size, input: InputParameters) {
    const geometry = resizeGeometry(source, targetSize(source, input), input.resize);
    this.geometry = geometry;
    this.#encoding = encoding;
    this.#input = input;
    this.#channels = channelsOf(encoding, input);
    this.#bars = barsOf(input);
    this.#unscaled = isUnscaled(geometry);
    this.#verbatim = this.#unscaled && isVerbatim(encoding, input);
    const sameSize = geometry.target.width === source.width && geometry.target.height === source.height;
    this.#wholeStep = this.#verbatim && sameSize ? source.width * encoding.channels : undefined;
    this.#columns = tapsAlong(geometry.content.width, geometry.scaleX, geometry.originX, source.width);
    for (let x = 0; x < geometry.content.width; x++) this.#columns.first[x] = (this.#columns.first[x] as number) * encoding.channels;
    this.#rows = tapsAlong(geometry.content.height, geometry.scaleY, geometry.originY, source.height);
    this.#line = new Float32Array(this.#channels.kind === 'sum' ? 3 * geometry.content.width : 0);
  }

  /** @param image of the encoding and size the plan was made for. @param target of any alignment. */
  write(image: SourceImage, target: Uint8Array): void {
    if (image.step === this.#wholeStep) {
      target.set(image.data.subarray(0, target.length));
    } else if (this.#input.datatype === 'UINT8') {
      this.#render(image, target);
    } else if (target.byteOffset % Float32Array.BYTES_PER_ELEMENT === 0) {
      this.#render(image, new Float32Array(target.buffer, target.byteOffset, target.byteLength / Float32Array.BYTES_PER_ELEMENT));
    } else {
      const aligned = new Float32Array(target.byteLength / Float32Array.BYTES_PER_ELEMENT);
      this.#render(image, aligned);
      target.set(new Uint8Array(aligned.buffer));
    }
  }

  #render(image: SourceImage, out: Elements): void {
    const { target, content } = this.geometry;
    const channels = channelCount(this.#input);
    const planar = this.#input.layout === 'nchw';
    const to: RowTarget = planar ? { out, stride: 1, plane: target.width * target.height } : { out, stride: channels, plane: 1 };
    for (let y = 0; y < target.height; y++) {
      const base = y * target.width * to.stride;
      if (y < content.top || y >= content.top + content.height) {
        this.#fillBar(to, base, target.width);
        continue;
      }
      const left = base + content.left * to.stride;
      const right = left + content.width * to.stride;
      this.#fillBar(to, base, content.left);
      this.#fillBar(to, right, target.width - content.left - content.width);
      if (this.#unscaled) this.#copyRow(image, y - content.top, to, left);
      else this.#blendRow(image, y - content.top, to, left);
    }
  }

  #fillBar(to: RowTarget, base: number, count: number): void {
    for (let channel = 0; channel < this.#bars.length; channel++) {
      const value = this.#bars[channel] as number;
      const from = base + channel * to.plane;
      for (let x = 0; x < count; x++) to.out[from + x * to.stride] = value;
    }
  }

  #copyRow({ data, step }: SourceImage, y: number, to: RowTarget, base: number): void {
    const { content, originX, originY } = this.geometry;
    const pixel = this.#encoding.channels;
    const from = (y + originY) * step + originX * pixel;
    if (this.#verbatim) {
      to.out.set(data.subarray(from, from + content.width * pixel), base);
      return;
    }
    const { kind, transfers } = this.#channels;
    if (kind === 'one') copyOne(data, from, pixel, content.width, transfers[0], to, base);
    else if (kind === 'three') copyThree(data, from, pixel, content.width, transfers, to, base);
    else {
      copyThree(data, from, pixel, content.width, transfers, { out: this.#line, stride: 1, plane: content.width }, 0);
      sumThree(this.#line, content.width, to, base);
    }
  }

  #blendRow({ data, step }: SourceImage, y: number, to: RowTarget, base: number): void {
    const { content, source } = this.geometry;
    const upper = (this.#rows.first[y] as number) * step;
    const rows: BlendRows = {
      data,
      upper,
      lower: source.height > 1 ? upper + step : upper,
      weight: this.#rows.weight[y] as number,
      columns: this.#columns,
      next: source.width > 1 ? this.#encoding.channels : 0,
    };
    const { kind, transfers } = this.#channels;
    if (kind === 'one') blendOne(rows, transfers[0], to, base);
    else if (kind === 'three') blendThree(rows, transfers, to, base);
    else {
      blendThree(rows, transfers, { out: this.#line, stride: 1, plane: content.width }, 0);
      sumThree(this.#line, content.width, to, base);
    }
  }
}

/** The source row is the target row, byte for byte. */
function isVerbatim(encoding: Encoding, input: InputParameters): boolean {
  if (input.datatype !== 'UINT8' || encoding.channels !== channelCount(input)) return false;
  if (encoding.channels === 1) return true;
  return input.layout === 'nhwc' && encoding.red === (input.color_order === 'rgb' ? 0 : 2);
}

/** (pixel * scale - mean) / std as one gain and bias; for bytes the half that makes truncation rounding. */
function normalisation(input: InputParameters, channel: number): { gain: number; bias: number } {
  if (input.datatype === 'UINT8') return { gain: 1, bias: 0.5 };
  const mean = input.mean[channel] ?? 0;
  const std = input.std[channel] ?? 1;
  return { gain: input.scale / std, bias: -mean / std };
}

function barsOf(input: InputParameters): readonly number[] {
  return Array.from({ length: channelCount(input) }, (_, channel) => {
    const { gain, bias } = normalisation(input, channel);
    return BAR_VALUE * gain + bias;
  });
}

function channelsOf(encoding: Encoding, input: InputParameters): Channels {
  const { red, green, blue } = encoding;
  if (input.color_order !== 'gray') {
    const [first, third] = input.color_order === 'rgb' ? [red, blue] : [blue, red];
    return { kind: 'three', transfers: [transferOf(input, 0, first), transferOf(input, 1, green), transferOf(input, 2, third)] };
  }
  if (encoding.channels === 1) return { kind: 'one', transfers: [transferOf(input, 0, red)] };
  const { gain, bias } = normalisation(input, 0);
  return {
    kind: 'sum',
    transfers: [
      { offset: red, gain: gain * LUMA.red, bias },
      { offset: green, gain: gain * LUMA.green, bias: 0 },
      { offset: blue, gain: gain * LUMA.blue, bias: 0 },
    ],
  };
}

function transferOf(input: InputParameters, channel: number, offset: number): ChannelTransfer {
  return { offset, ...normalisation(input, channel) };
}
