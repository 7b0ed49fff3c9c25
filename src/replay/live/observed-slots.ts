/**
 * Which slot of a server a call was on, as far as its client can tell: calls are taken to run in the order in which they were sent, as many
 * at once as there are slots. One that was sent ahead of a free slot begins as a call before it ends.
 */
import type { CallEnd } from '../../governor/ports.js';
import type { Job, RunRecord } from '../run-record.js';

export interface ObservedSlotsOptions {
  readonly backend: string;
  readonly slots: number;
  readonly record: RunRecord;
  /** Now, from the start of the bag. */
  readonly nowNs: () => number;
}

interface ObservedCall {
  readonly job: Job;
  /** When it was sent, or moved up to a slot. */
  startNs: number;
}

export class ObservedSlots {
  readonly #options: ObservedSlotsOptions;
  readonly #running: (ObservedCall | undefined)[];
  #waiting: ObservedCall[] = [];

  constructor(options: ObservedSlotsOptions) {
    this.#options = options;
    this.#running = Array.from({ length: options.slots }, () => undefined);
  }

  /** A call is sent now. @returns what is to be told of its end. */
  sent(request: number): (end: CallEnd) => void {
    const { record, nowNs } = this.#options;
    const call = { job: record.jobOf(request), startNs: nowNs() };
    const free = this.#running.indexOf(undefined);
    if (free === -1) this.#waiting.push(call);
    else this.#running[free] = call;
    return ({ result }) => this.#end(call, result !== 'not_started');
  }

  /** A call that is still open keeps its slot busy until now; its end does not count any more. */
  close(): void {
    for (const [slot, call] of this.#running.entries()) if (call !== undefined) this.#executed(call, slot);
    this.#running.fill(undefined);
    this.#waiting = [];
  }

  #end(call: ObservedCall, ran: boolean): void {
    const slot = this.#running.includes(call) ? this.#running.indexOf(call) : this.#leaveQueue(call, ran);
    if (slot === undefined) return;
    if (ran) this.#executed(call, slot);
    const next = this.#waiting.shift();
    if (next !== undefined) next.startNs = this.#options.nowNs();
    this.#running[slot] = next;
  }

  /** A call that ended before its turn has overtaken the one that seemed to run for longest. @returns the slot where it ran, if it did. */
  #leaveQueue(call: ObservedCall, ran: boolean): number | undefined {
    const place = this.#waiting.indexOf(call);
    if (place === -1) return undefined;
    this.#waiting.splice(place, 1);
    if (!ran) return undefined;
    const starts = this.#running.map((running) => running?.startNs ?? Number.POSITIVE_INFINITY);
    const slot = starts.indexOf(Math.min(...starts));
    const overtaken = this.#running[slot];
    if (overtaken === undefined) return undefined;
    call.startNs = Math.max(call.startNs, overtaken.startNs);
    this.#waiting.unshift(overtaken);
    return slot;
  }

  #executed({ job, startNs }: ObservedCall, slot: number): void {
    const { backend, record, nowNs } = this.#options;
    record.executed({ job, backend, slot, startNs, endNs: nowNs() });
  }
}
