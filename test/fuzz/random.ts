/** Draws for fuzzing: values at the edges of what a field can hold, and bytes that are nearly right. */
import { Pcg32 } from '../../src/random/pcg32.js';

const EDGE_BYTES = [0x00, 0x01, 0x7f, 0x80, 0xff];
const EDGE_NUMBERS = [0, 1, 2, 3, 4, 255, 256, 65_535, 65_536, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 53 - 1, 2 ** 53];
const ODD_VALUES = [undefined, null, true, '', 'x', NaN, Infinity, -Infinity, -1, -0, 0.5, 1e308, 5n, [], {}, [[]], new Uint8Array(3)];
/** Splices copy no longer ranges. */
const LONGEST_RANGE = 64;

export class Random {
  readonly #generator: Pcg32;

  /** The same draws for the same seed and case. */
  constructor(seed: number, number: number) {
    this.#generator = new Pcg32(BigInt(seed), BigInt(number));
  }

  below(bound: number): number {
    return this.#generator.below(bound);
  }

  chance(share: number): boolean {
    return this.#generator.uniform() < share;
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)] as T;
  }

  list<T>(most: number, draw: (index: number) => T): T[] {
    return Array.from({ length: this.below(most + 1) }, (_, index) => draw(index));
  }

  /** Mostly small. */
  count(): number {
    return this.chance(0.8) ? this.below(9) : this.pick(EDGE_NUMBERS);
  }

  float(): number {
    return this.pick([
      () => this.#generator.normal(),
      () => this.#generator.normal() * 1e38,
      () => this.pick([0, 1, NaN, Infinity, -Infinity]),
    ])();
  }

  bytes(length: number): Uint8Array<ArrayBuffer> {
    return Uint8Array.from({ length }, () => this.below(256));
  }

  /** A text of any characters, lone surrogates and NUL included; sometimes long. */
  text(): string {
    if (this.chance(0.02)) return 'long '.repeat(20_000);
    return String.fromCharCode(...this.list(8, () => this.pick([this.below(128), this.below(0x1_0000), 0, 0xd800, 0xdfff, 0xfffd])));
  }

  /** A value that the type of no field promises. */
  odd(): unknown {
    return this.pick(ODD_VALUES);
  }

  /** The bytes with a few changes: flips, edges, cuts, ranges put elsewhere. */
  mutate(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
    let changed = Uint8Array.from(bytes);
    for (let left = 1 + this.below(6); left > 0 && changed.length > 0; left -= 1) changed = this.#change(changed);
    return changed;
  }

  #change(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    const at = this.below(bytes.length);
    const range = bytes.slice(at, at + 1 + this.below(LONGEST_RANGE));
    switch (this.below(6)) {
      case 0:
        bytes[at] = (bytes[at] as number) ^ (1 << this.below(8));
        return bytes;
      case 1:
        bytes[at] = this.pick(EDGE_BYTES);
        return bytes;
      case 2: // a length or size, little endian
        bytes.set(
          this.pick([
            [0xff, 0xff, 0xff, 0xff],
            [0, 0, 0, 0x80],
            [0, 0, 0, 0],
            [0xff, 0xff, 0xff, 0x7f],
          ]).slice(0, bytes.length - at),
          at,
        );
        return bytes;
      case 3:
        return bytes.slice(0, at);
      case 4:
        return joined(bytes.slice(0, at), bytes.slice(at + range.length));
      default:
        return joined(bytes.slice(0, at), range, bytes.slice(at));
    }
  }
}

function joined(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.concat(parts));
}
