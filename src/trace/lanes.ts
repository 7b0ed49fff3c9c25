/** Tracks side by side, so that what overlaps in time is not drawn on one: Perfetto drops a slice that begins in another and ends after it. */
import type { Micros } from '../core/units.js';

const OPEN = Number.POSITIVE_INFINITY;

export class Lanes {
  /** Of each lane, when what is on it ends; OPEN while it has not. */
  readonly #endsUs: number[] = [];
  readonly #apart: boolean;

  /** @param apart nothing begins at the very instant at which something on the same lane ends. */
  constructor({ apart }: { readonly apart: boolean }) {
    this.#apart = apart;
  }

  get count(): number {
    return this.#endsUs.length;
  }

  /** @returns the lowest lane that is free from this instant on; it is taken until `free` is told. */
  take(fromUs: Micros): number {
    const found = this.#endsUs.findIndex((endUs) => (this.#apart ? endUs < fromUs : endUs <= fromUs));
    const lane = found < 0 ? this.#endsUs.length : found;
    this.#endsUs[lane] = OPEN;
    return lane;
  }

  free(lane: number, atUs: Micros): void {
    this.#endsUs[lane] = atUs;
  }
}
