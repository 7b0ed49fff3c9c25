/** The calls of one backend: a track for each slot, and beside them those that were sent ahead and wait for one. */
import type { Micros, RequestId } from '../core/units.js';
import { type ChromeEvent, processName, type Track, track, trackName } from './chrome-event.js';
import { Lanes } from './lanes.js';
import type { RunningCall } from './running.js';

/** Where a call is drawn, and since when. */
interface Place {
  readonly lane: number;
  readonly sinceUs: Micros;
}

export class SlotTracks {
  readonly #pid: number;
  readonly #backend: string;
  readonly #slotCount: number;
  readonly #originUs: Micros;
  readonly #slots = new Lanes({ apart: false });
  readonly #ahead = new Lanes({ apart: false });
  readonly #places = new Map<RequestId, Place>();
  #aheadNamed = 0;

  constructor(pid: number, { name, slots }: { readonly name: string; readonly slots: number }, originUs: Micros) {
    this.#pid = pid;
    this.#backend = name;
    this.#slotCount = slots;
    this.#originUs = originUs;
  }

  head(): ChromeEvent[] {
    const slots = Array.from({ length: this.#slotCount }, (_, slot) => trackName(track(this.#pid, slot), `slot ${slot + 1}`));
    return [processName(this.#pid, `backend ${this.#backend}`), ...slots];
  }

  sent(call: RunningCall, at: Micros): { readonly on?: Track; readonly told: readonly ChromeEvent[] } {
    return call.startedUs === undefined ? { told: this.#waits(call, at) } : { on: this.#runs(call, at), told: [this.#inFlight(at)] };
  }

  /** It waited behind another one. */
  started(call: RunningCall, at: Micros): { readonly on: Track; readonly told: readonly ChromeEvent[] } {
    const told = this.#leaveAhead(call, at);
    return { on: this.#runs(call, at), told };
  }

  ended(call: RunningCall, result: string, at: Micros): ChromeEvent[] {
    const slices = call.startedUs === undefined ? this.#leaveAhead(call, at) : this.#leaveSlot(call, result, at);
    return [...slices, this.#inFlight(at)];
  }

  counter(name: string, value: number, at: Micros): ChromeEvent {
    return { ph: 'C', name, ...track(this.#pid, 0), ts: at - this.#originUs, args: { [name]: value } };
  }

  restarted(at: Micros): ChromeEvent {
    return { ph: 'i', name: 'restart', ...track(this.#pid, 0), ts: at - this.#originUs, s: 'p' };
  }

  #runs({ dispatch: { request } }: RunningCall, at: Micros): Track {
    const lane = this.#slots.take(at);
    this.#places.set(request, { lane, sinceUs: at });
    return track(this.#pid, lane);
  }

  #waits({ dispatch: { request } }: RunningCall, at: Micros): ChromeEvent[] {
    const lane = this.#ahead.take(at);
    this.#places.set(request, { lane, sinceUs: at });
    const names: ChromeEvent[] = [];
    for (; this.#aheadNamed <= lane; this.#aheadNamed += 1) {
      const name = this.#aheadNamed === 0 ? 'sent ahead' : `sent ahead (${this.#aheadNamed + 1})`;
      names.push(trackName(this.#aheadTrack(this.#aheadNamed), name));
    }
    return [...names, this.#inFlight(at)];
  }

  #leaveSlot(call: RunningCall, result: string, at: Micros): ChromeEvent[] {
    const place = this.#leave(call);
    if (place === undefined) return [];
    this.#slots.free(place.lane, at);
    // One that took no time would be on top of the next one, and take its arrow.
    return at > place.sinceUs ? [this.#slice(call, track(this.#pid, place.lane), place, at, result)] : [];
  }

  #leaveAhead(call: RunningCall, at: Micros): ChromeEvent[] {
    const place = this.#leave(call);
    if (place === undefined) return [];
    this.#ahead.free(place.lane, at);
    return [this.#slice(call, this.#aheadTrack(place.lane), place, at)];
  }

  #leave({ dispatch: { request } }: RunningCall): Place | undefined {
    const place = this.#places.get(request);
    this.#places.delete(request);
    return place;
  }

  #slice({ dispatch }: RunningCall, on: Track, { sinceUs }: Place, at: Micros, result?: string): ChromeEvent {
    const { request, stream, variant, why } = dispatch;
    const args = { request, ...(result === undefined ? {} : { result }), ...why };
    return { ph: 'X', name: `${stream}: ${variant}`, ...on, ts: sinceUs - this.#originUs, dur: Math.max(0, at - sinceUs), args };
  }

  #inFlight(at: Micros): ChromeEvent {
    return this.counter('in flight', this.#places.size, at);
  }

  #aheadTrack(lane: number): Track {
    return track(this.#pid, this.#slotCount + lane);
  }
}
