/** What the slots of one backend did. */
import type { BackendReport } from './report.js';

export class SlotsRecord {
  readonly slots: number;
  #executions = 0;
  #busyNs = 0;
  #computeNs = 0;
  #uselessNs = 0;

  constructor(slots: number) {
    this.slots = slots;
  }

  /** @param endNs of the bag: what runs later keeps no slot from it. */
  executed(startNs: number, nowNs: number, endNs: number): void {
    this.#executions += 1;
    this.#computeNs += nowNs - startNs;
    this.#busyNs += Math.max(0, Math.min(nowNs, endNs) - startNs);
  }

  /** So much of it brought nothing fresh. */
  wasted(ns: number): void {
    this.#uselessNs += ns;
  }

  report(endNs: number): BackendReport {
    return {
      slots: this.slots,
      executions: this.#executions,
      slot_busy_permille: share(this.#busyNs, endNs * this.slots),
      stale_compute_permille: share(this.#uselessNs, this.#computeNs),
    };
  }
}

/** null of nothing. */
function share(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((1000 * part) / whole);
}
