/** What reaches the core when: the lines of a script, the ends of calls by runtime, and the wake-ups that were asked for. */
import type { Action, Dispatch } from '../core/actions.js';
import type { CoreConfiguration } from '../core/configuration.js';
import type { Completion, CoreEvent } from '../core/events.js';
import { CLOCK_ORIGIN_US, type Micros, micros, NEVER, plus, type RequestId, requestId } from '../core/units.js';
import type { Script, ScriptLine, ServedName } from './script.js';

/** Where a step comes from; of equal instants, `runtime` goes before `line`, and `wake` last. */
export interface Step extends TimedEvent {
  readonly origin: 'start' | 'runtime' | 'line' | 'wake';
}

interface TimedEvent {
  readonly at: Micros;
  readonly event: CoreEvent;
}

interface OpenCall {
  readonly dispatch: Dispatch;
  /** When it ends by its runtime; NEVER while it waits at the server, and when only the script ends it. */
  endUs: Micros;
  executing: boolean;
  /** It returned without telling whether the execution ended. */
  returned: boolean;
}

/** With nothing else left to come, so many wake-ups without a decision are the end. */
const MAX_LAST_WAKES = 10_000;
/** So many between two events are more than anybody means; and a core that spins must not hang the command. */
const MAX_IDLE_WAKES = 1_000_000;

/** Every model of the servers, by backend. */
export function servedModels({ models }: CoreConfiguration): ServedName[] {
  const served = models.flatMap(({ backend, variants }) => variants.map(({ backendModel }) => ({ backend, backendModel })));
  return [...new Map(served.map((one) => [`${one.backend}|${one.backendModel}`, one])).values()];
}

/** Zero of the script on the core's clock. */
function coreTime(scriptUs: Micros): Micros {
  return plus(CLOCK_ORIGIN_US, scriptUs);
}

/** Take a step, let the core handle it, and hand in what it decided; then take the next one. */
export class Timeline {
  readonly #lines: readonly TimedEvent[];
  readonly #runtimes = new Map<RequestId, Micros>();
  readonly #names = new Map<RequestId, string>();
  /** In order of dispatch. */
  readonly #calls = new Map<RequestId, OpenCall>();
  readonly #waiting = new Set<RequestId>();
  /** The node is active and every model is ready from the first line on. */
  readonly #start: TimedEvent[];
  #nextLine = 0;
  #wakeUs = NEVER;
  #idleWakes = 0;
  #last: Step | undefined;

  /** @param served every backend model; all are ready from the start on. */
  constructor(lines: Script['lines'], served: readonly ServedName[]) {
    const expanded = expand(lines);
    const ids = new Map<string, RequestId>();
    for (const { id } of expanded) if (id !== undefined) ids.set(id, requestId(ids.size + 1));
    for (const [name, id] of ids) this.#names.set(id, name);
    this.#lines = expanded.flatMap(({ line, atUs, id, index }) =>
      this.#eventsOf(line, index, (name) => ids.get(name) as RequestId, id).map((event) => ({ at: coreTime(atUs), event })),
    );
    const startUs = this.#lines[0]?.at ?? CLOCK_ORIGIN_US;
    const ready = served.map((one): CoreEvent => ({ type: 'readiness', ...one, ready: true }));
    this.#start = [...ready, { type: 'resume' } as const].map((event) => ({ at: startUs, event }));
  }

  /** The script's name of a request. */
  nameOf(id: RequestId): string {
    return this.#names.get(id) ?? String(id);
  }

  /** Undefined at the end: no line and no end of a call is left, and nothing that waits is going to be decided. */
  next(): Step | undefined {
    const step = this.#choose();
    this.#last = step;
    if (step === undefined) return undefined;
    if (step.event.type === 'arrival') this.#waiting.add(step.event.request);
    if (step.event.type === 'completion') this.#end(step.event, step.at);
    return step;
  }

  /** What the core decided at the step that was taken last. */
  observe(actions: readonly Action[]): void {
    const { at, origin } = this.#last as Step;
    let decided = false;
    for (const action of actions) {
      if (action.type === 'wake') {
        if (action.at <= at) throw new Error(`the core asks at ${at} us to be woken at ${action.at} us, which does not lie ahead`);
        this.#wakeUs = action.at;
      }
      decided ||= action.type !== 'wake';
      if (action.type === 'dispatch') this.#begin(action, at);
      if (action.type === 'terminate') this.#waiting.delete(action.request);
    }
    this.#idleWakes = origin === 'wake' && !decided ? this.#idleWakes + 1 : 0;
    if (this.#idleWakes > MAX_IDLE_WAKES)
      throw new Error(`${this.#idleWakes} wake-ups without a decision between two events, until ${at} us`);
  }

  #choose(): Step | undefined {
    const start = this.#start.shift();
    if (start !== undefined) return { ...start, origin: 'start' };
    const line = this.#lines[this.#nextLine];
    const [ending, call] = this.#firstToEnd();
    const endUs = call?.endUs ?? NEVER;
    const lineUs = line?.at ?? NEVER;
    if (ending !== undefined && endUs <= lineUs && endUs <= this.#wakeUs)
      return { at: endUs, origin: 'runtime', event: { type: 'completion', request: ending, end: { result: 'ok' } } };
    if (line !== undefined && lineUs <= this.#wakeUs) {
      this.#nextLine += 1;
      return { ...line, origin: 'line' };
    }
    const moreToCome = line !== undefined || ending !== undefined;
    if (this.#wakeUs === NEVER || (!moreToCome && (this.#waiting.size === 0 || this.#idleWakes >= MAX_LAST_WAKES))) return undefined;
    const at = this.#wakeUs;
    this.#wakeUs = NEVER;
    return { at, origin: 'wake', event: { type: 'tick' } };
  }

  /** Of equal ends the call that was sent first. */
  #firstToEnd(): readonly [RequestId | undefined, OpenCall | undefined] {
    let id: RequestId | undefined;
    let first: OpenCall | undefined;
    for (const [request, call] of this.#calls) {
      if (call.endUs >= (first?.endUs ?? NEVER)) continue;
      id = request;
      first = call;
    }
    return [id, first];
  }

  #begin(dispatch: Dispatch, now: Micros): void {
    this.#waiting.delete(dispatch.request);
    const executing = dispatch.why.follows === undefined;
    const runtimeUs = executing ? (this.#runtimes.get(dispatch.request) ?? NEVER) : NEVER;
    this.#calls.set(dispatch.request, { dispatch, endUs: plus(now, runtimeUs), executing, returned: false });
  }

  /** A call that waits at the server begins when one before it, to the same model, has ended. */
  #end({ request: id, quantum, end }: Completion, now: Micros): void {
    const call = this.#calls.get(id);
    if (call === undefined || call.returned || (quantum !== undefined && quantum !== call.dispatch.quantum?.number)) return;
    call.endUs = NEVER;
    call.returned = true;
    if (end.result === 'unknown') return;
    this.#calls.delete(id);
    if (call.dispatch.quantum !== undefined) this.#waiting.add(id); // for another call, unless it ends now
    if (!call.executing) return;
    for (const [next, queued] of this.#calls) {
      if (queued.executing || queued.returned || !sameModel(queued.dispatch, call.dispatch)) continue;
      queued.executing = true;
      queued.endUs = plus(now, this.#runtimes.get(next) ?? NEVER);
      return;
    }
  }

  #eventsOf(line: ScriptLine, index: number, known: (name: string) => RequestId, id: string | undefined): CoreEvent[] {
    switch (line.kind) {
      case 'arrive': {
        const request = known(id ?? '');
        if (line.runtimeUs !== undefined) this.#runtimes.set(request, line.runtimeUs);
        const shiftUs = micros(index * line.everyUs);
        const capture = coreTime(plus(line.captureUs, shiftUs));
        const stampNs = BigInt(coreTime(plus(line.stampUs, shiftUs))) * 1000n;
        return [{ type: 'arrival', request, stream: line.stream, capture, stampNs, prompt: line.prompt }];
      }
      case 'complete':
        return [
          { type: 'completion', request: known(line.id), ...(line.quantum === undefined ? {} : { quantum: line.quantum }), end: line.end },
        ];
      case 'timeout':
      case 'cancel':
        return [{ type: line.kind, request: known(line.id) }];
      case 'ready':
        return line.models.map(({ backend, backendModel }) => ({ type: 'readiness', backend, backendModel, ready: line.value }));
      case 'reconfigure':
        return [{ type: 'reconfigure', contracts: line.contracts }];
      case 'refused': // nobody tells the core
        return [];
      case 'counter':
        return [{ type: 'counter', ...line.model, completed: line.completed, polledUs: coreTime(line.polledUs) }];
      case 'witness':
        return [{ type: 'witness', backend: line.backend, present: line.present, polledUs: coreTime(line.polledUs) }];
      case 'round_trip':
        return [{ type: 'round_trip', backend: line.backend, p90: line.p90Us }];
      default:
        return [{ type: line.kind }];
    }
  }
}

interface Expanded {
  readonly line: ScriptLine;
  readonly atUs: Micros;
  /** Of an arrival. */
  readonly id: string | undefined;
  readonly index: number;
}

/** Repetitions take their place among the lines by time; of equal instants the line that stands first in the file. */
function expand(lines: Script['lines']): Expanded[] {
  const expanded = lines.flatMap((line): Expanded[] =>
    line.kind === 'arrive'
      ? line.ids.map((id, index) => ({ line, atUs: micros(line.atUs + index * line.everyUs), id, index }))
      : [{ line, atUs: line.atUs, id: undefined, index: 0 }],
  );
  return expanded.sort((a, b) => a.atUs - b.atUs); // stable
}

function sameModel(one: Dispatch, other: Dispatch): boolean {
  return one.backend === other.backend && one.backendModel === other.backendModel;
}
