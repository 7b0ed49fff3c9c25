/** The newest runtimes at one occupancy (rules.md 4). */
import { NewestValues } from './newest-values.js';

/** Observations kept. */
const LENGTH = 64;
/** Observations before they count. */
const USED_FROM = 16;

export class RuntimeWindow {
  readonly #runtimesUs = new NewestValues(LENGTH);
  /** Learned with these runtimes, and forgotten with them. */
  marginPercent: number;

  constructor(marginPercent: number) {
    this.marginPercent = marginPercent;
  }

  push(runtimeUs: number): void {
    this.#runtimesUs.push(runtimeUs);
  }

  /** Oldest first. */
  get runtimesUs(): number[] {
    return this.#runtimesUs.values;
  }

  get measured(): boolean {
    return this.#runtimesUs.count >= USED_FROM;
  }

  /** 0 before the first run. */
  get medianUs(): number {
    return this.#runtimesUs.percentile(50) ?? 0;
  }

  get p95Us(): number {
    return this.#runtimesUs.percentile(95) ?? 0;
  }
}
