/** Virtual time in whole nanoseconds. Equal instants keep the order in which they were asked for. */

export interface Appointment {
  readonly atNs: number;
  readonly order: number;
  /** undefined once it is cancelled. */
  task: (() => void) | undefined;
}

export class VirtualTime {
  #nowNs = 0;
  #orders = 0;
  /** A binary heap, earliest first. */
  readonly #heap: Appointment[] = [];

  get nowNs(): number {
    return this.#nowNs;
  }

  /** When the next appointment is due; Infinity when there is none. */
  get nextNs(): number {
    return this.#heap[0]?.atNs ?? Number.POSITIVE_INFINITY;
  }

  /** What lies in the past is due now. */
  schedule(atNs: number, task: () => void): Appointment {
    const appointment = { atNs: Math.max(atNs, this.#nowNs), order: this.#orders, task };
    this.#orders += 1;
    this.#rise(appointment);
    return appointment;
  }

  /** Moves to an instant at which something from outside happens: not beyond `nextNs`. */
  moveTo(atNs: number): void {
    this.#nowNs = atNs;
  }

  /** Moves to the next appointment and keeps it. */
  keepNext(): void {
    const first = this.#heap[0];
    if (first === undefined) return;
    const last = this.#heap.pop() as Appointment;
    if (last !== first) this.#sink(last);
    this.#nowNs = first.atNs;
    first.task?.();
  }

  #rise(appointment: Appointment): void {
    const heap = this.#heap;
    let place = heap.length;
    heap.push(appointment);
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = heap[parent] as Appointment;
      if (!isBefore(appointment, above)) break;
      heap[place] = above;
      place = parent;
    }
    heap[place] = appointment;
  }

  /** Puts an appointment in at the top, where a place is free. */
  #sink(appointment: Appointment): void {
    const heap = this.#heap;
    const { length } = heap;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= length) break;
      if (child + 1 < length && isBefore(heap[child + 1] as Appointment, heap[child] as Appointment)) child += 1;
      const below = heap[child] as Appointment;
      if (!isBefore(below, appointment)) break;
      heap[place] = below;
      place = child;
    }
    heap[place] = appointment;
  }
}

function isBefore(a: Appointment, b: Appointment): boolean {
  return a.atNs < b.atNs || (a.atNs === b.atNs && a.order < b.order);
}
