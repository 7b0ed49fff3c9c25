/**
 * The inner loops from source bytes to tensor elements: one row at a time, over typed arrays, nothing allocated. Three channels are
 * sampled together, because they share the positions and weights. Element = channel value * gain + bias.
 */

/** Sampling points along one side: between neighbours `first` and `first + 1`, `weight` of the second. */
export interface Taps {
  readonly first: Int32Array;
  readonly weight: Float64Array;
}

/** @param length of the source side; points beyond its outer pixel centres repeat the outer pixel. */
export function tapsAlong(count: number, scale: number, origin: number, length: number): Taps {
  const first = new Int32Array(count);
  const weight = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const position = Math.min(Math.max(origin + (i + 0.5) * scale - 0.5, 0), length - 1);
    first[i] = Math.min(Math.floor(position), Math.max(length - 2, 0));
    weight[i] = position - (first[i] as number);
  }
  return { first, weight };
}

export type Elements = Float32Array | Uint8Array;

/** Where a row of elements goes: pixel x of channel c at base + x * stride + c * plane. */
export interface RowTarget {
  readonly out: Elements;
  readonly stride: number;
  readonly plane: number;
}

/** One source channel into one target channel. */
export interface ChannelTransfer {
  /** Bytes from the start of a pixel. */
  readonly offset: number;
  readonly gain: number;
  readonly bias: number;
}

export type ThreeTransfers = readonly [ChannelTransfer, ChannelTransfer, ChannelTransfer];

/** Two source rows, `weight` of the lower; the sampling points of all columns, in bytes. */
export interface BlendRows {
  readonly data: Uint8Array;
  readonly upper: number;
  readonly lower: number;
  readonly weight: number;
  readonly columns: Taps;
  /** Bytes from a pixel to its right neighbour; 0 in an image one pixel wide. */
  readonly next: number;
}

export function copyOne(
  data: Uint8Array,
  from: number,
  step: number,
  count: number,
  channel: ChannelTransfer,
  to: RowTarget,
  base: number,
) {
  const { out, stride } = to;
  const { gain, bias } = channel;
  let at = from + channel.offset;
  let element = base;
  for (let x = 0; x < count; x++) {
    out[element] = (data[at] as number) * gain + bias;
    at += step;
    element += stride;
  }
}

export function copyThree(
  data: Uint8Array,
  from: number,
  step: number,
  count: number,
  channels: ThreeTransfers,
  to: RowTarget,
  base: number,
) {
  const { out, stride, plane } = to;
  const [{ offset: a, gain: gainA, bias: biasA }, { offset: b, gain: gainB, bias: biasB }, { offset: c, gain: gainC, bias: biasC }] =
    channels;
  let at = from;
  let element = base;
  for (let x = 0; x < count; x++) {
    out[element] = (data[at + a] as number) * gainA + biasA;
    out[element + plane] = (data[at + b] as number) * gainB + biasB;
    out[element + 2 * plane] = (data[at + c] as number) * gainC + biasC;
    at += step;
    element += stride;
  }
}

export function blendOne(rows: BlendRows, channel: ChannelTransfer, to: RowTarget, base: number): void {
  const { data, upper, lower, weight, next } = rows;
  const { first, weight: across } = rows.columns;
  const { out, stride } = to;
  const { gain, bias, offset } = channel;
  let element = base;
  for (let x = 0; x < first.length; x++) {
    const p = upper + offset + (first[x] as number);
    const q = lower + offset + (first[x] as number);
    const lowerRight = (across[x] as number) * weight;
    const lowerLeft = weight - lowerRight;
    const upperRight = (across[x] as number) - lowerRight;
    const upperLeft = 1 - weight - upperRight;
    const value =
      (data[p] as number) * upperLeft +
      (data[p + next] as number) * upperRight +
      (data[q] as number) * lowerLeft +
      (data[q + next] as number) * lowerRight;
    out[element] = value * gain + bias;
    element += stride;
  }
}

export function blendThree(rows: BlendRows, channels: ThreeTransfers, to: RowTarget, base: number): void {
  const { data, upper, lower, weight, next } = rows;
  const { first, weight: across } = rows.columns;
  const { out, stride, plane } = to;
  const [{ offset: a, gain: gainA, bias: biasA }, { offset: b, gain: gainB, bias: biasB }, { offset: c, gain: gainC, bias: biasC }] =
    channels;
  let element = base;
  for (let x = 0; x < first.length; x++) {
    const p = upper + (first[x] as number);
    const q = lower + (first[x] as number);
    const pn = p + next;
    const qn = q + next;
    const lowerRight = (across[x] as number) * weight;
    const lowerLeft = weight - lowerRight;
    const upperRight = (across[x] as number) - lowerRight;
    const upperLeft = 1 - weight - upperRight;
    out[element] =
      ((data[p + a] as number) * upperLeft +
        (data[pn + a] as number) * upperRight +
        (data[q + a] as number) * lowerLeft +
        (data[qn + a] as number) * lowerRight) *
        gainA +
      biasA;
    out[element + plane] =
      ((data[p + b] as number) * upperLeft +
        (data[pn + b] as number) * upperRight +
        (data[q + b] as number) * lowerLeft +
        (data[qn + b] as number) * lowerRight) *
        gainB +
      biasB;
    out[element + 2 * plane] =
      ((data[p + c] as number) * upperLeft +
        (data[pn + c] as number) * upperRight +
        (data[q + c] as number) * lowerLeft +
        (data[qn + c] as number) * lowerRight) *
        gainC +
      biasC;
    element += stride;
  }
}

/** Sums three channels of `line` (planar, `count` each) into one row of elements. */
export function sumThree(line: Float32Array, count: number, to: RowTarget, base: number): void {
  const { out, stride } = to;
  let element = base;
  for (let x = 0; x < count; x++) {
    out[element] = (line[x] as number) + (line[x + count] as number) + (line[x + 2 * count] as number);
    element += stride;
  }
}
