/** A trace as the events of the Chrome trace format, which Perfetto shows: a track for each slot, stream and backend. */
import type { Dispatch, Terminate } from '../core/actions.js';
import type { CoreConfiguration } from '../core/configuration.js';
import type { Micros, RequestId } from '../core/units.js';
import { explain } from '../governor/explanation.js';
import type { TracedEvent } from './trace-reader.js';

/** One event of the format; `ts` and `dur` in microseconds since the first event. */
export interface ChromeEvent {
  readonly ph: 'M' | 'X' | 's' | 't' | 'f' | 'i' | 'C';
  readonly name: string;
  readonly pid: number;
  readonly tid?: number;
  readonly ts?: number;
  readonly dur?: number;
  readonly id?: number;
  readonly cat?: string;
  readonly bp?: 'e';
  readonly s?: 'p' | 't';
  readonly args?: Readonly<Record<string, unknown>>;
}

const STREAMS_PID = 1;

interface OpenFrame {
  readonly stream: string;
  readonly arrivedUs: Micros;
}

interface OpenCall {
  readonly dispatch: Dispatch;
  readonly slot: number;
  startUs: Micros;
}

export class ChromeTrace {
  readonly #streams: readonly string[];
  readonly #backends: readonly string[];
  readonly #frames = new Map<RequestId, OpenFrame>();
  readonly #calls = new Map<RequestId, OpenCall>();
  #startUs: Micros | undefined;

  constructor({ streams, backends }: CoreConfiguration) {
    this.#streams = streams.map(({ name }) => name);
    this.#backends = backends.map(({ name }) => name);
  }

  /** Names of the tracks. */
  head(): ChromeEvent[] {
    const process = (pid: number, name: string): ChromeEvent => ({ ph: 'M', name: 'process_name', pid, args: { name } });
    return [
      process(STREAMS_PID, 'streams'),
      ...this.#streams.map((name, tid): ChromeEvent => ({ ph: 'M', name: 'thread_name', pid: STREAMS_PID, tid, args: { name } })),
      ...this.#backends.map((name, index) => process(backendPid(index), `backend ${name}`)),
    ];
  }

  add({ at, event, actions }: TracedEvent): ChromeEvent[] {
    this.#startUs ??= at;
    const told: ChromeEvent[] = [];
    if (event.type === 'arrival') {
      this.#frames.set(event.request, { stream: event.stream, arrivedUs: at });
      const track = { pid: STREAMS_PID, tid: this.#streams.indexOf(event.stream) };
      told.push({ ph: 'X', name: 'transport', ...track, ...this.#span(event.capture, at), args: { request: event.request } });
      told.push({ ph: 's', name: 'frame', cat: 'frame', id: event.request, ...track, ts: this.#ts(event.capture) });
    }
    if (event.type === 'completion' && event.end.result !== 'unknown') told.push(...this.#endCall(event.request, at, event.end.result));
    for (const action of actions) {
      if (action.type === 'dispatch') told.push(...this.#start(action, at));
      if (action.type === 'terminate') told.push(...this.#end(action, at));
      if (action.type === 'reconciled') told.push(...this.#endCall(action.request, at, `proven by ${action.by}`));
      if (action.type === 'level') told.push(this.#counter(action.backend, at, 'overload level', action.level));
      if (action.type === 'restart') {
        told.push({ ph: 'i', name: 'restart', pid: this.#pidOf(action.backend), tid: 0, ts: this.#ts(at), s: 'p' });
      }
    }
    return told;
  }

  #start(dispatch: Dispatch, at: Micros): ChromeEvent[] {
    const { backend, request, stream } = dispatch;
    const taken = new Set([...this.#calls.values()].filter((call) => call.dispatch.backend === backend).map(({ slot }) => slot));
    let slot = 0;
    while (taken.has(slot)) slot += 1;
    this.#calls.set(request, { dispatch, slot, startUs: dispatch.why.startUs ?? at });
    const frame = this.#frames.get(request);
    const track = { pid: STREAMS_PID, tid: this.#streams.indexOf(stream) };
    const waited: ChromeEvent[] =
      frame === undefined ? [] : [{ ph: 'X', name: 'waiting', ...track, ...this.#span(frame.arrivedUs, at), args: { request } }];
    return [...waited, this.#counter(backend, at, 'in flight', this.#inFlight(backend))];
  }

  /** A call that was sent ahead began when the one before it ended, at the earliest. */
  #endCall(request: RequestId, at: Micros, result: string): ChromeEvent[] {
    const call = this.#calls.get(request);
    if (call === undefined) return [];
    this.#calls.delete(request);
    const { dispatch, slot } = call;
    const { backend, stream, variant, why } = dispatch;
    const startUs = call.startUs < at ? call.startUs : at;
    const track = { pid: this.#pidOf(backend), tid: slot };
    return [
      { ph: 'X', name: `${stream}: ${variant}`, ...track, ...this.#span(startUs, at), args: { request, result, ...why } },
      { ph: 't', name: 'frame', cat: 'frame', id: request, ...track, ts: this.#ts(startUs) },
      this.#counter(backend, at, 'in flight', this.#inFlight(backend)),
    ];
  }

  #end(end: Terminate, at: Micros): ChromeEvent[] {
    const { request, stream, state, cause } = end;
    const frame = this.#frames.get(request);
    this.#frames.delete(request);
    const track = { pid: STREAMS_PID, tid: this.#streams.indexOf(stream) };
    const fromUs = frame === undefined || end.serviceUs !== undefined ? at : frame.arrivedUs;
    return [
      { ph: 'X', name: `${state}/${cause}`, ...track, ...this.#span(fromUs, at), args: { request, age_us: end.ageUs, why: explain(end) } },
      { ph: 'f', bp: 'e', name: 'frame', cat: 'frame', id: request, ...track, ts: this.#ts(at) },
    ];
  }

  #counter(backend: string, at: Micros, name: string, value: number): ChromeEvent {
    return { ph: 'C', name, pid: this.#pidOf(backend), ts: this.#ts(at), args: { [name]: value } };
  }

  #inFlight(backend: string): number {
    return [...this.#calls.values()].filter(({ dispatch }) => dispatch.backend === backend).length;
  }

  #ts(at: Micros): number {
    return at - (this.#startUs ?? at);
  }

  #span(from: Micros, to: Micros): { readonly ts: number; readonly dur: number } {
    return { ts: this.#ts(from), dur: to - from };
  }

  #pidOf(backend: string): number {
    return backendPid(this.#backends.indexOf(backend));
  }
}

function backendPid(index: number): number {
  return STREAMS_PID + 1 + index;
}
