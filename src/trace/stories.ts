/** Why a frame ended as it did, in words; nothing is decided anew, the grounds are those that were recorded (rules.md 1). */
import type { Action, Defer, Dispatch, Terminate } from '../core/actions.js';
import type { CoreConfiguration } from '../core/configuration.js';
import type { Micros, RequestId } from '../core/units.js';
import { explainDecision, explainStart, inMs } from '../governor/explanation.js';
import type { CallChange } from './running.js';
import { type Considered, nameOf, Scene } from './scene.js';
import type { SceneState } from './scene-state.js';
import type { Decided, Entry, Refused } from './trace-reader.js';

/** Lines kept of one request, the first and the newest: around one that waits long much happens. */
const KEPT_FIRST = 30;
const KEPT_NEWEST = 30;

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
  readonly arrivedUs: Micros | undefined;
  readonly lines: string[];
  leftOut: number;
  /** It has no call under way. */
  waits: boolean;
  wasSent: boolean;
  /** What it was put off for, and when, each time. */
  readonly putOffs: { readonly at: Micros; readonly blockedBy: string | undefined }[];
}

/** Hand it every entry of a trace; it tells each story that is wanted when it ends. */
export class Stories {
  readonly #scene: Scene;
  readonly #isWanted: (request: RequestId, stream: string) => boolean;
  readonly #open = new Map<RequestId, OpenStory>();
  /** Instants are told from the first event on. */
  #startUs: Micros | undefined;
  #first: RequestId | undefined;
  #last: RequestId | undefined;

  /** @param scene what stood already before the first entry. */
  constructor(configuration: CoreConfiguration, isWanted: (request: RequestId, stream: string) => boolean, scene?: SceneState) {
    this.#scene = new Scene(configuration, scene);
    this.#isWanted = isWanted;
  }

  /** The requests that arrived; undefined when none did. */
  get arrived(): { readonly first: RequestId; readonly last: RequestId } | undefined {
    return this.#first === undefined || this.#last === undefined ? undefined : { first: this.#first, last: this.#last };
  }

  /** @returns the stories that end here. */
  add(entry: Entry): Story[] {
    this.#startUs ??= entry.at;
    return 'refused' in entry ? this.#refuse(entry) : this.#follow(entry);
  }

  #follow(decided: Decided): Story[] {
    const { at, event, actions } = decided;
    if (event.type === 'arrival') this.#begin(event.request, event.stream, event.capture, at);
    if (event.type === 'completion') this.#tell(event.request, at, `its call returned: ${event.end.result}`);
    if (event.type === 'timeout') this.#tell(event.request, at, 'its requester stopped waiting; the call goes on');
    this.#tellChanges(this.#scene.takeEvent(decided), at);
    const returned = event.type === 'completion' ? this.#open.get(event.request) : undefined;
    if (returned !== undefined) returned.waits = true;
    return actions.flatMap((action) => this.#take(action, at));
  }

  /** It has ended as it came; the core never heard of it. */
  #refuse({ at, refused: { request, stream, state, cause, ageUs, detail } }: Refused): Story[] {
    this.#count(request);
    if (!this.#isWanted(request, stream)) return [];
    const end = `${state}/${cause}`;
    const stamped = ageUs === undefined ? '' : ` ${inMs(Math.abs(ageUs))} ${ageUs < 0 ? 'before' : 'after'} its stamp`;
    const lines = [this.#line(at, `arrived${stamped}; refused before it could wait`), this.#line(at, `${end}: ${detail}`)];
    return [{ request, stream, lines, end }];
  }

  /** Those that have not ended. */
  unfinished(): Story[] {
    return [...this.#open.values()].map((story) => told(story, undefined));
  }

  #begin(request: RequestId, stream: string, capture: Micros, at: Micros): void {
    this.#count(request);
    if (!this.#isWanted(request, stream)) return;
    this.#openStory(request, stream, at);
    const backend = this.#scene.backendOf(stream);
    const others = this.#scene.others(request, backend, at);
    this.#tell(request, at, `arrived, captured ${inMs(at - capture)} before; ${this.#scene.beside(backend, at)}`);
    this.#tell(request, at, `its stream is ${this.#scene.terms(stream)}${others === '' ? '' : `; waiting already: ${others}`}`);
  }

  #count(request: RequestId): void {
    this.#first ??= request;
    this.#last = request;
  }

  #openStory(request: RequestId, stream: string, arrivedUs: Micros | undefined): OpenStory {
    const story: OpenStory = { request, stream, arrivedUs, lines: [], leftOut: 0, waits: true, wasSent: false, putOffs: [] };
    this.#open.set(request, story);
    return story;
  }

  /** Of one that arrived before the trace begins only the rest is told. */
  #storyOf({ request, stream }: Defer | Dispatch | Terminate, at: Micros): OpenStory | undefined {
    const known = this.#open.get(request);
    if (known !== undefined || !this.#isWanted(request, stream)) return known;
    const story = this.#openStory(request, stream, undefined);
    this.#tell(request, at, 'it arrived before what is recorded here');
    return story;
  }

  #take(action: Action, at: Micros): Story[] {
    let ended: Story[] = [];
    if (action.type === 'dispatch') this.#sent(action, at);
    if (action.type === 'defer') this.#putOff(action, at);
    if (action.type === 'terminate') ended = this.#end(action, at);
    if (action.type === 'level' || action.type === 'restart') this.#tellWaiting(action.backend, at, () => happened(action, at));
    this.#tellChanges(this.#scene.takeAction(action, at), at);
    return ended;
  }

  #sent(action: Dispatch, at: Micros): void {
    const { request, stream, backend, variant } = action;
    const words = explainStart(action, at, nameOf);
    const story = this.#storyOf(action, at);
    if (story !== undefined) {
      this.#tell(
        request,
        at,
        `sent to ${backend} as ${variant}: ${words}${story.arrivedUs === at ? '' : `; ${this.#scene.beside(backend, at)}`}`,
      );
      const others = this.#scene.others(request, backend, at);
      if (others !== '' && story.arrivedUs !== at) this.#tell(request, at, `it went before ${others}`);
      story.waits = false;
      story.wasSent = true;
    }
    this.#tellWaiting(backend, at, () => `meanwhile ${this.#scene.who(request, stream)} was sent as ${variant}: ${words}`);
    if (story !== undefined) this.#tellVariants(story, { variant, verdict: 'taken', why: action.why }, at);
  }

  #putOff(action: Defer, at: Micros): void {
    const story = this.#storyOf(action, at);
    if (story === undefined) return;
    const { request, variant, why } = action;
    const slack = why.slackUs === undefined ? '' : `; ${slackInWords(why.slackUs)}`;
    const beside = this.#scene.beside(this.#scene.backendOf(story.stream), at);
    this.#tell(request, at, `put off, on ${variant}: ${explainDecision(action, at, nameOf) ?? ''}${slack}; ${beside}`);
    if (story.putOffs.length === 0) this.#tellVariants(story, { variant, verdict: 'put off', why }, at);
    story.putOffs.push({ at, blockedBy: why.blockedBy });
  }

  #end(action: Terminate, at: Micros): Story[] {
    const { request, state, cause, why } = action;
    const story = this.#storyOf(action, at);
    if (story === undefined) return [];
    this.#open.delete(request);
    if (!story.wasSent && action.waitingUs > 0) story.lines.push(this.#line(at, this.#neverSent(story, at)));
    const words = explainDecision(action, at, nameOf) ?? '';
    const inItsWay = why.blockedBy === undefined || words.includes(why.blockedBy) ? '' : `; in its way: ${why.blockedBy}`;
    story.lines.push(this.#line(at, `${state}/${cause}: ${words}${inItsWay}`));
    return [told(story, `${state}/${cause}`)];
  }

  #neverSent({ stream, putOffs }: OpenStory, at: Micros): string {
    const last = putOffs.at(-1);
    const times = putOffs.length === 1 ? 'put off once' : `put off ${putOffs.length} times, last`;
    const whose = last?.blockedBy === undefined ? 'for a better moment' : `for the sake of ${last.blockedBy}`;
    const putOff = last === undefined ? 'never put off' : `${times} ${inMs(at - last.at)} before, ${whose}`;
    return `never sent, ${putOff}; ${this.#scene.beside(this.#scene.backendOf(stream), at)}`;
  }

  #tellVariants({ request, stream }: OpenStory, considered: Considered, at: Micros): void {
    for (const line of this.#scene.variants(stream, considered, at)) this.#tell(request, at, `  ${line}`);
  }

  #tellChanges(changes: readonly CallChange[], at: Micros): void {
    for (const { what, call } of changes) {
      const { request, stream, backend } = call.dispatch;
      if (what === 'sent') continue;
      if (what === 'started') this.#tell(request, at, 'the call before it ended: it runs');
      const change = what === 'ended' ? `ended, ${inMs(at - call.sentUs)} after it was sent` : 'runs now, sent ahead before';
      this.#tellWaiting(backend, at, (of) => (of === request ? undefined : `meanwhile ${this.#scene.who(request, stream)} ${change}`));
    }
  }

  #tellWaiting(backend: string, at: Micros, text: (request: RequestId) => string | undefined): void {
    for (const { request, stream, waits } of this.#open.values()) {
      const line = waits && this.#scene.backendOf(stream) === backend ? text(request) : undefined;
      if (line !== undefined) this.#tell(request, at, line);
    }
  }

  #tell(request: RequestId, at: Micros, text: string): void {
    const story = this.#open.get(request);
    if (story === undefined) return;
    story.lines.push(this.#line(at, text));
    if (story.lines.length <= KEPT_FIRST + KEPT_NEWEST) return;
    story.lines.splice(KEPT_FIRST, 1);
    story.leftOut += 1;
  }

  #line(at: Micros, text: string): string {
    return `${((at - (this.#startUs ?? at)) / 1000).toFixed(3)} ms`.padStart(16).concat('  ', text);
  }
}

function slackInWords(slackUs: number): string {
  return slackUs < 0 ? `${inMs(-slackUs)} over max_age` : `${inMs(slackUs)} before max_age`;
}

function happened(action: Action, at: Micros): string {
  const what = action.type === 'level' ? `overload level ${action.previous} → ${action.level}` : 'a restart was noticed';
  return `${what}: ${explainDecision(action, at, nameOf) ?? ''}`;
}

function told({ request, stream, lines, leftOut }: OpenStory, end: string | undefined): Story {
  const gap = leftOut === 0 ? [] : [`${'…'.padStart(16)}  ${leftOut} lines are left out`];
  return { request, stream, lines: [...lines.slice(0, KEPT_FIRST), ...gap, ...lines.slice(KEPT_FIRST)], end };
}
