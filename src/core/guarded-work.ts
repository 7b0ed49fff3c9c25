/** What the guarded streams of a backend will need next: frames that wait and frames that are expected (rules.md 8). */
import type { Request } from './requests.js';
import type { StreamState } from './stream-state.js';
import { later, type Micros, NEVER, plus } from './units.js';

/** Entries at most; what lies further ahead is guarded when it comes nearer. */
const MAX_ENTRIES = 1024;

export interface GuardedWork {
  stream: StreamState;
  /** Undefined for an expected frame. */
  request: Request | undefined;
  /** Now for a waiting frame and for an overdue one. */
  arrivalUs: Micros;
  /** It is the next of its stream to be served. */
  first: boolean;
}

/** In order of arrival; of equal arrivals the higher class first. The entries are reused, so that a pass allocates nothing. */
export class GuardedWorkList {
  #streams: readonly StreamState[] = [];
  readonly #entries: GuardedWork[] = [];
  #count = 0;
  #untilUs = -1 as Micros;

  /** @param streams the guarded ones of one backend, by name. */
  watch(streams: readonly StreamState[]): void {
    this.#streams = streams;
    this.clear();
  }

  get count(): number {
    return this.#count;
  }

  at(index: number): GuardedWork {
    return this.#entries[index] as GuardedWork;
  }

  /** What it says is out of date: time has passed, or a frame came or went. */
  clear(): void {
    this.#untilUs = -1 as Micros;
  }

  /** Lists everything that waits, and what is expected before `untilUs`. */
  reachTo(untilUs: Micros, now: Micros): void {
    if (untilUs <= this.#untilUs) return;
    this.#untilUs = untilUs;
    this.#count = 0;
    for (const stream of this.#streams) this.#list(stream, untilUs, now);
  }

  #list(stream: StreamState, untilUs: Micros, now: Micros): void {
    const { waiting, forecast } = stream;
    for (let i = 0; i < waiting.length; i += 1) this.#insert(stream, waiting.at(i), now, i === 0);
    const { periodUs } = stream.configuration.contract;
    let expectedUs = forecast.expectedUs(now);
    if (periodUs === undefined || expectedUs === NEVER) return;
    for (let first = waiting.length === 0; expectedUs < untilUs; first = false) {
      if (!this.#insert(stream, undefined, later(expectedUs, now), first)) return;
      expectedUs = plus(expectedUs, periodUs);
    }
  }

  #insert(stream: StreamState, request: Request | undefined, arrivalUs: Micros, first: boolean): boolean {
    if (this.#count >= MAX_ENTRIES) return false;
    const entries = this.#entries;
    const entry = entries[this.#count] ?? { stream, request, arrivalUs, first };
    entry.stream = stream;
    entry.request = request;
    entry.arrivalUs = arrivalUs;
    entry.first = first;
    let at = this.#count;
    for (; at > 0 && precedes(entry, entries[at - 1] as GuardedWork); at -= 1) entries[at] = entries[at - 1] as GuardedWork;
    entries[at] = entry;
    this.#count += 1;
    return true;
  }
}

/** Streams come by name, so what is equal here keeps that order. */
function precedes(a: GuardedWork, b: GuardedWork): boolean {
  return a.arrivalUs !== b.arrivalUs ? a.arrivalUs < b.arrivalUs : a.stream.classRank > b.stream.classRank;
}
