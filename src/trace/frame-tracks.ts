/** The frames of one stream from capture to end, side by side where they overlap; arrows go from the capture over the slots to the end. */
import type { Terminate } from '../core/actions.js';
import type { Arrival } from '../core/events.js';
import type { Micros, RequestId } from '../core/units.js';
import { explain } from '../governor/explanation.js';
import type { Refusal } from '../governor/ports.js';
import { type ChromeEvent, processName, type Track, track, trackName } from './chrome-event.js';
import { Lanes } from './lanes.js';

/** A transport is drawn no longer than that: with the clock of another machine it would be hours, and as many frames side by side. */
export const LONGEST_TRANSPORT_US = 1_000_000;

interface Part {
  readonly name: string;
  readonly fromUs: Micros;
  readonly toUs: Micros;
}

interface Frame {
  readonly lane: number;
  readonly fromUs: Micros;
  readonly parts: Part[];
  /** Where it ran, and from when on. */
  runs: { readonly on: Track; readonly fromUs: Micros }[];
  doing: string;
  sinceUs: Micros;
}

/** When what is drawn of a frame begins. */
export function drawnFromUs({ capture }: Arrival, at: Micros): Micros {
  return Math.min(at, Math.max(capture, at - LONGEST_TRANSPORT_US)) as Micros;
}

export class FrameTracks {
  readonly #pid: number;
  readonly #stream: string;
  readonly #originUs: Micros;
  readonly #frames = new Map<RequestId, Frame>();
  /** Apart, since an arrow ends at the slice that began last. */
  readonly #lanes = new Lanes({ apart: true });
  #named = 1;

  constructor(pid: number, stream: string, originUs: Micros) {
    this.#pid = pid;
    this.#stream = stream;
    this.#originUs = originUs;
  }

  head(): ChromeEvent[] {
    return [processName(this.#pid, `stream ${this.#stream}`), trackName(track(this.#pid, 0), this.#stream)];
  }

  arrived(arrival: Arrival, at: Micros): void {
    const fromUs = drawnFromUs(arrival, at);
    const frame: Frame = { lane: this.#lanes.take(fromUs), fromUs, parts: [], runs: [], doing: 'transport', sinceUs: fromUs };
    if (fromUs > arrival.capture) frame.doing = `transport (the end of ${(at - arrival.capture) / 1000} ms)`;
    goOn(frame, 'waiting', at);
    this.#frames.set(arrival.request, frame);
  }

  /** It ended as it came: a point. */
  refused({ request, state, cause, ageUs, detail }: Refusal, at: Micros): ChromeEvent[] {
    const lane = this.#lanes.take(at);
    this.#lanes.free(lane, at);
    const args = { request, ...(ageUs === undefined ? {} : { age_us: ageUs }), why: detail };
    return [...this.#nameOf(lane), { ph: 'X', name: `${state}/${cause}`, ...this.#track(lane), ts: this.#ts(at), dur: 0, args }];
  }

  sent(request: RequestId, variant: string, at: Micros): void {
    const frame = this.#frames.get(request);
    if (frame !== undefined) goOn(frame, `sent as ${variant}`, at);
  }

  /** Its call runs on a slot from now on. */
  runs(request: RequestId, on: Track, fromUs: Micros): void {
    this.#frames.get(request)?.runs.push({ on, fromUs });
  }

  /** A call ended; unless the frame ends with it, it needs another one. */
  returned(request: RequestId, at: Micros): void {
    const frame = this.#frames.get(request);
    if (frame === undefined) return;
    goOn(frame, 'waiting', at);
    frame.runs = frame.runs.filter(({ fromUs }) => fromUs < at); // no time, no slice
  }

  /** A frame that arrived before the trace begins is left out. */
  ended(end: Terminate, at: Micros): ChromeEvent[] {
    const { request, state, cause, ageUs } = end;
    const frame = this.#frames.get(request);
    if (frame === undefined) return [];
    this.#frames.delete(request);
    const name = `${state}/${cause}`;
    const slices = this.#slices(frame, name, at, { request, age_us: ageUs, why: explain(end) });
    const on = this.#track(frame.lane);
    const ran = frame.runs.filter(({ fromUs }) => fromUs < at);
    const flow = { name: 'frame', cat: 'frame', id: request };
    return [
      ...slices,
      { ph: 'X', name, ...on, ts: this.#ts(at), dur: 0, args: { request } },
      { ph: 's', ...flow, ...on, ts: this.#ts(frame.fromUs) },
      ...ran.map((run): ChromeEvent => ({ ph: 't', ...flow, ...run.on, ts: this.#ts(run.fromUs) })),
      { ph: 'f', bp: 'e', ...flow, ...on, ts: this.#ts(at) },
    ];
  }

  /** Those that have not ended. */
  finish(at: Micros): ChromeEvent[] {
    return [...this.#frames].flatMap(([request, frame]) => this.#slices(frame, 'not ended', at, { request }));
  }

  #slices(frame: Frame, name: string, at: Micros, args: NonNullable<ChromeEvent['args']>): ChromeEvent[] {
    goOn(frame, '', at);
    this.#lanes.free(frame.lane, frame.sinceUs);
    const on = this.#track(frame.lane);
    const slice = (part: Part): ChromeEvent => ({
      ph: 'X',
      name: part.name,
      ...on,
      ts: this.#ts(part.fromUs),
      dur: part.toUs - part.fromUs,
      args,
    });
    const whole = slice({ name, fromUs: frame.fromUs, toUs: frame.sinceUs });
    return [...this.#nameOf(frame.lane), whole, ...frame.parts.map(slice)];
  }

  #nameOf(lane: number): ChromeEvent[] {
    const names: ChromeEvent[] = [];
    for (; this.#named <= lane; this.#named += 1) names.push(trackName(this.#track(this.#named), `${this.#stream} (${this.#named + 1})`));
    return names;
  }

  #track(lane: number): Track {
    return track(this.#pid, lane);
  }

  #ts(at: Micros): number {
    return at - this.#originUs;
  }
}

/** Ends what it does, which is left out when it took no time, and begins something else. */
function goOn(frame: Frame, doing: string, at: Micros): void {
  if (at > frame.sinceUs) {
    frame.parts.push({ name: frame.doing, fromUs: frame.sinceUs, toUs: at });
    frame.sinceUs = at;
  }
  frame.doing = doing;
}
