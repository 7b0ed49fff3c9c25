/** Why a frame ended as it did, in words; nothing is decided anew, the grounds are those that were recorded (rules.md 1). */
import type { Action, Defer, Dispatch } from '../core/actions.js';
import type { CoreConfiguration } from '../core/configuration.js';
import type { Micros, RequestId } from '../core/units.js';
import { explainDecision } from '../governor/explanation.js';
import { RunningCalls } from './running.js';
import type { Decided } from './trace-reader.js';

/** Lines kept of one request: a frame that waits long is put off many times. */
const MAX_LINES = 200;

export interface Story {
  readonly request: RequestId;
  readonly stream: string;
  readonly lines: readonly string[];
  /** `state/cause`; undefined while it is open. */
  readonly end: string | undefined;
}

interface OpenStory {
  readonly request: RequestId;
  readonly stream: string;
  readonly arrivedUs: Micros;
  readonly lines: string[];
}

/** Hand it every event of a trace; it tells each story when it ends. */
export class Stories {
  readonly #backendOf: ReadonlyMap<string, string>;
  readonly #open = new Map<RequestId, OpenStory>();
  readonly #running = new RunningCalls();
  /** Instants are told from the first event on. */
  #startUs: Micros | undefined;

  constructor({ models, streams }: CoreConfiguration) {
    const backends = new Map(models.map(({ name, backend }) => [name, backend]));
    this.#backendOf = new Map(streams.map(({ name, model }) => [name, backends.get(model) ?? '']));
  }

  /** @returns the stories that end here. */
  add(traced: Decided): Story[] {
    const { at, event, actions } = traced;
    this.#startUs ??= at;
    this.#running.before(traced);
    if (event.type === 'arrival') this.#begin(event.request, event.stream, event.capture, at);
    if (event.type === 'completion') this.#tell(event.request, at, `its call returned: ${event.end.result}`);
    if (event.type === 'timeout') this.#tell(event.request, at, 'its requester stopped waiting; the call goes on');
    const ended = actions.flatMap((action) => this.#take(action, at));
    this.#running.after(traced);
    return ended;
  }

  /** Those that have not ended. */
  unfinished(): Story[] {
    return [...this.#open.values()].map(({ request, stream, lines }) => ({ request, stream, lines, end: undefined }));
  }

  #begin(request: RequestId, stream: string, capture: Micros, at: Micros): void {
    const beside = this.#beside(this.#backendOf.get(stream) ?? '', at);
    const text = `arrived, captured ${inMs(at - capture)} before; ${beside}`;
    this.#open.set(request, { request, stream, arrivedUs: at, lines: [this.#line(at, text)] });
  }

  #tell(request: RequestId, at: Micros, text: string): void {
    const story = this.#open.get(request);
    if (story !== undefined && story.lines.length < MAX_LINES) story.lines.push(this.#line(at, text));
  }

  #line(at: Micros, text: string): string {
    return `${((at - (this.#startUs ?? at)) / 1000).toFixed(3)} ms`.padStart(16).concat('  ', text);
  }

  #take(action: Action, at: Micros): Story[] {
    const words = explainDecision(action, at, nameOf) ?? '';
    if (action.type === 'defer' || action.type === 'dispatch')
      this.#tell(
        action.request,
        at,
        decision(action, words, this.#backend(action), (of) => this.#beside(of, at)),
      );
    if (action.type !== 'terminate') return [];
    const { request, state, cause } = action;
    this.#tell(request, at, `${state}/${cause}: ${words}`);
    const story = this.#open.get(request);
    this.#open.delete(request);
    return story === undefined ? [] : [{ request, stream: story.stream, lines: story.lines, end: `${state}/${cause}` }];
  }

  #backend({ stream }: Defer | Dispatch): string {
    return this.#backendOf.get(stream) ?? '';
  }

  #beside(backend: string, at: Micros): string {
    const calls = this.#running.of(backend);
    if (calls.length === 0) return `nothing ran on ${backend}`;
    const each = calls.map(({ dispatch, sentUs, held }) => {
      const of = `${nameOf(dispatch.request)} of ${dispatch.stream} on ${dispatch.variant}, sent ${inMs(at - sentUs)} before`;
      return held ? `${of} and held` : of;
    });
    return `on ${backend}: ${each.join('; ')}`;
  }
}

function decision(action: Defer | Dispatch, words: string, backend: string, beside: (backend: string) => string): string {
  if (action.type === 'dispatch') return `sent to ${action.backend} as ${action.variant}: ${words}`;
  return `put off, on ${action.variant}: ${words}; ${beside(backend)}`;
}

function nameOf(request: RequestId): string {
  return `request ${request}`;
}

function inMs(us: number): string {
  return `${(us / 1000).toFixed(1)} ms`;
}
