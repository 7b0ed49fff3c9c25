/** A trace as the events of the Chrome trace format, which Perfetto shows: tracks for each stream, backend and slot. */
import type { Action } from '../core/actions.js';
import type { CoreConfiguration } from '../core/configuration.js';
import type { Micros } from '../core/units.js';
import type { ChromeEvent } from './chrome-event.js';
import { FrameTracks } from './frame-tracks.js';
import { type CallChange, RunningCalls } from './running.js';
import { SlotTracks } from './slot-tracks.js';
import type { Decided, Entry } from './trace-reader.js';

const FIRST_PID = 1;

export class ChromeTrace {
  readonly #streams: ReadonlyMap<string, FrameTracks>;
  readonly #backends: ReadonlyMap<string, SlotTracks>;
  readonly #running = new RunningCalls();
  #lastUs: Micros;

  /** @param originUs is 0 in what is written; nothing that is drawn may be before it, Perfetto drops what is. */
  constructor({ streams, backends }: CoreConfiguration, originUs: Micros) {
    this.#streams = new Map(streams.map(({ name }, index) => [name, new FrameTracks(FIRST_PID + index, name, originUs)]));
    const first = FIRST_PID + streams.length;
    this.#backends = new Map(backends.map((backend, index) => [backend.name, new SlotTracks(first + index, backend, originUs)]));
    this.#lastUs = originUs;
  }

  /** Names of the tracks; those that are needed only at times are named when they are. */
  head(): ChromeEvent[] {
    return [...this.#streams.values(), ...this.#backends.values()].flatMap((tracks) => tracks.head());
  }

  add(entry: Entry): ChromeEvent[] {
    this.#lastUs = entry.at;
    if ('event' in entry) return this.#decided(entry);
    return this.#streams.get(entry.refused.stream)?.refused(entry.refused, entry.at) ?? [];
  }

  /** What was still under way when the trace ended. */
  finish(): ChromeEvent[] {
    const at = this.#lastUs;
    const calls = this.#running.all.flatMap((call) => this.#backends.get(call.dispatch.backend)?.ended(call, 'not known', at) ?? []);
    return [...calls, ...[...this.#streams.values()].flatMap((stream) => stream.finish(at))];
  }

  #decided(decided: Decided): ChromeEvent[] {
    const { at, event, actions } = decided;
    if (event.type === 'arrival') this.#streams.get(event.stream)?.arrived(event, at);
    const result = event.type === 'completion' ? event.end.result : '';
    const told = this.#take(this.#running.takeEvent(decided), result, at);
    return [...told, ...actions.flatMap((action) => this.#act(action, at))];
  }

  #act(action: Action, at: Micros): ChromeEvent[] {
    const result = action.type === 'reconciled' ? `proven by ${action.by}` : '';
    const told = this.#take(this.#running.takeAction(action, at), result, at);
    if (action.type === 'terminate') told.push(...(this.#streams.get(action.stream)?.ended(action, at) ?? []));
    const backend = 'backend' in action ? this.#backends.get(action.backend) : undefined;
    if (backend !== undefined && action.type === 'level') told.push(backend.counter('overload level', action.level, at));
    if (backend !== undefined && action.type === 'restart') told.push(backend.restarted(at));
    return told;
  }

  #take(changes: readonly CallChange[], result: string, at: Micros): ChromeEvent[] {
    return changes.flatMap(({ what, call }) => {
      const { request, stream, backend, variant } = call.dispatch;
      const slots = this.#backends.get(backend);
      const frames = this.#streams.get(stream);
      if (slots === undefined) return [];
      if (what === 'ended') {
        frames?.returned(request, at);
        return slots.ended(call, result, at);
      }
      if (what === 'sent') frames?.sent(request, variant, at);
      const { on, told } = what === 'sent' ? slots.sent(call, at) : slots.started(call, at);
      if (on !== undefined) frames?.runs(request, on, at);
      return [...told];
    });
  }
}
