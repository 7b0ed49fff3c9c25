/**
 * Messages that were read in one go, column by column: an object for each of a million messages costs more than all the rest of reading
 * them.
 */
import type { Channel, LogSpan } from './bag-file.js';

/** Where messages go that were found. */
export interface MessageSink {
  /** The message stands in the buffer from start to end. @returns false when its log time is none of the bag. */
  add(channel: Channel, logNs: bigint, buffer: Uint8Array, start: number, end: number, place: number): boolean;
}

export class MessageBlock implements MessageSink {
  readonly file: string;
  /** What a place is: "offset", "message". */
  readonly #unit: string;
  readonly #startNs: bigint;
  readonly #lengthNs: number;
  #timesNs: number[] = [];
  #channels: Channel[] = [];
  #buffers: Uint8Array[] = [];
  #starts: number[] = [];
  #ends: number[] = [];
  #places: number[] = [];

  /** @param span of the bag */
  constructor(file: string, unit: string, { startNs, endNs }: LogSpan) {
    this.file = file;
    this.#unit = unit;
    this.#startNs = startNs;
    this.#lengthNs = Number(endNs - startNs);
  }

  get count(): number {
    return this.#timesNs.length;
  }

  add(channel: Channel, logNs: bigint, buffer: Uint8Array, start: number, end: number, place: number): boolean {
    const sinceStartNs = Number(logNs - this.#startNs);
    if (sinceStartNs < 0 || sinceStartNs > this.#lengthNs) return false;
    this.#timesNs.push(sinceStartNs);
    this.#channels.push(channel);
    this.#buffers.push(buffer);
    this.#starts.push(start);
    this.#ends.push(end);
    this.#places.push(place);
    return true;
  }

  /** Log time from the start of the bag. */
  sinceStartNs(index: number): number {
    return this.#timesNs[index] as number;
  }

  logNs(index: number): bigint {
    return this.#startNs + BigInt(this.#timesNs[index] as number);
  }

  channel(index: number): Channel {
    return this.#channels[index] as Channel;
  }

  buffer(index: number): Uint8Array {
    return this.#buffers[index] as Uint8Array;
  }

  start(index: number): number {
    return this.#starts[index] as number;
  }

  end(index: number): number {
    return this.#ends[index] as number;
  }

  /** For messages to people. */
  at(index: number): string {
    return `${this.#unit} ${this.#places[index]}`;
  }

  /** Mostly there is nothing to do; messages of one log time keep their order. */
  sort(): void {
    const times = this.#timesNs;
    if (times.every((time, index) => index === 0 || time >= (times[index - 1] as number))) return;
    const order = times.map((_, index) => index).sort((a, b) => (times[a] as number) - (times[b] as number));
    const sorted = <T>(column: readonly T[]): T[] => order.map((index) => column[index] as T);
    this.#timesNs = sorted(times);
    this.#channels = sorted(this.#channels);
    this.#buffers = sorted(this.#buffers);
    this.#starts = sorted(this.#starts);
    this.#ends = sorted(this.#ends);
    this.#places = sorted(this.#places);
  }
}
