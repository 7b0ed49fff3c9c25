/** Who goes first (rules.md 7): one candidate a stream, the head of its queue. */
import type { StreamState } from './stream-state.js';
import type { Micros } from './units.js';

/**
 * Class, then a cycle that must not be missed, then absolute deadline, then capture, then stream name. Names are unique and a stream has one candidate, so two candidates
 * never come down to the request id. Streams without one come last, in any order.
 */
function precedes(a: StreamState, b: StreamState): boolean {
  const first = a.waiting.head;
  const second = b.waiting.head;
  if (first === undefined || second === undefined) return first !== undefined && second === undefined;
  if (a.rank !== b.rank) return a.rank > b.rank;
  if (a.consumer.mustDeliver !== b.consumer.mustDeliver) return a.consumer.mustDeliver;
  if (first.deadlineUs !== second.deadlineUs) return first.deadlineUs < second.deadlineUs;
  if (first.capture !== second.capture) return first.capture < second.capture;
  return a.name < b.name;
}

/** The streams of one backend, most urgent first. */
export class CandidateOrder {
  readonly #streams: StreamState[];

  constructor(streams: readonly StreamState[]) {
    this.#streams = [...streams];
  }

  /** As it was settled last. */
  get streams(): readonly StreamState[] {
    return this.#streams;
  }

  /** An insertion sort of what was in order before the last event moved one or two: one comparison a stream, no allocation. */
  settle(now: Micros): readonly StreamState[] {
    const streams = this.#streams;
    for (const stream of streams) stream.refreshFloor(now);
    for (let i = 1; i < streams.length; i += 1) {
      const stream = streams[i] as StreamState;
      let at = i;
      for (; at > 0 && precedes(stream, streams[at - 1] as StreamState); at -= 1) streams[at] = streams[at - 1] as StreamState;
      streams[at] = stream;
    }
    return streams;
  }
}
