/** A decision script on the live actor: the same steps, told by a fake clock, a fake server and frames instead of events. */
import { ConfigurationError } from '../../src/config/problem.js';
import type { Action } from '../../src/core/actions.js';
import { DecisionCore } from '../../src/core/decision-core.js';
import type { Arrival, CallResult, Completion } from '../../src/core/events.js';
import { CLOCK_ORIGIN_US, type Micros, micros, type RequestId } from '../../src/core/units.js';
import type { Script } from '../../src/decide/script.js';
import { type Step, servedModels, Timeline } from '../../src/decide/timeline.js';
import { Actor } from '../../src/governor/actor.js';
import type { Call, CallEnd, Clock, Frame, OutcomeRecord } from '../../src/governor/ports.js';

/** What the world saw of the node. */
export interface LiveRun {
  /** `at request stream backend/model`, and how many tokens are asked for, as calls reached the servers. */
  readonly calls: readonly string[];
  /** `at request state/cause`, as outcomes were published. */
  readonly outcomes: readonly string[];
  /** Results published, by request. */
  readonly results: readonly string[];
}

interface OpenCall {
  /** Where its request has several. */
  readonly number: number | undefined;
  readonly ended: (end: CallEnd) => void;
}

/** Longer than any script: time-outs are lines of the script. */
const NEVER_MS = 1e9;
const HEADER = { stamp: { sec: 1, nanosec: 0 }, frameId: 'camera' };

export function runLive(script: Script): LiveRun {
  const { configuration } = script;
  if (configuration instanceof ConfigurationError) throw configuration;
  const timeline = new Timeline(script.lines, servedModels(configuration));
  const clock = new SteppedClock();
  const open = new Map<RequestId, OpenCall>();
  const calls: string[] = [];
  const outcomes: string[] = [];
  const results: string[] = [];
  let decided: Action[] = [];
  const publisher = {
    received: () => {},
    result: ({ request }: { request: RequestId }) => void results.push(timeline.nameOf(request)),
    outcome: ({ request, state, cause }: OutcomeRecord) =>
      void outcomes.push(`${clock.now()} ${timeline.nameOf(request)} ${state}/${cause}`),
  };
  const server = (name: string) => ({
    startCall: ({ request, stream, backendModel, quantum }: Call, ended: (end: CallEnd) => void) => {
      const tokens = quantum === undefined ? '' : ` ${quantum.tokens} tokens`;
      calls.push(`${clock.now()} ${timeline.nameOf(request)} ${stream} ${name}/${backendModel}${tokens}`);
      open.set(request, { number: quantum?.number, ended });
    },
    timeoutUs: micros(NEVER_MS * 1000),
  });
  const actor = new Actor(new DecisionCore(configuration), {
    clock,
    publisher,
    backends: new Map(configuration.backends.map(({ name }) => [name, server(name)])),
    whyNotReady: () => undefined,
    trace: { record: (_event, _at, actions) => void decided.push(...actions), refused: () => {} },
  });

  const deliver = ({ event, origin }: Step): void => {
    if (origin === 'wake') clock.fire();
    else if (event.type === 'arrival') actor.accept(frameOf(event), event.capture, event.stampNs, micros(clock.now() - event.capture));
    else if (event.type === 'completion' && isOf(event, open.get(event.request))) {
      const call = open.get(event.request);
      open.delete(event.request);
      call?.ended(endOf(event.end));
    } else actor.post(event);
  };
  for (let step = timeline.next(); step !== undefined; step = timeline.next()) {
    clock.stepTo(step.at);
    decided = [];
    deliver(step);
    timeline.observe(decided);
  }
  actor.close();
  return { calls, outcomes, results };
}

function isOf({ quantum }: Completion, call: OpenCall | undefined): boolean {
  return call !== undefined && (quantum === undefined || quantum === call.number);
}

function frameOf({ stream, prompt = {} }: Arrival): Frame {
  return { stream, prompt, header: HEADER, inputs: () => [], decode: () => [] };
}

function endOf(end: CallResult): CallEnd {
  return end.result === 'ok' ? { ...end, outputs: [], modelVersion: '1' } : ({ ...end, detail: 'as the script says' } as CallEnd);
}

/** Stands still; timers run when the script says so, and none is ever left behind. */
class SteppedClock implements Clock {
  #now: number = Number.NEGATIVE_INFINITY;
  readonly #timers = new Set<{ readonly at: number; readonly task: () => void }>();

  now(): Micros {
    return micros(this.#now);
  }

  schedule(at: Micros, task: () => void): () => void {
    const timer = { at, task };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  stepTo(at: Micros): void {
    const missed = [...this.#timers].find((timer) => timer.at < at);
    if (missed !== undefined)
      throw new Error(`the actor wants to be woken at ${(missed.at - CLOCK_ORIGIN_US) / 1000} ms, the script does not`);
    this.#now = at;
  }

  fire(): void {
    const due = [...this.#timers].filter((timer) => timer.at === this.#now);
    if (due.length === 0) throw new Error(`the script wakes at ${(this.#now - CLOCK_ORIGIN_US) / 1000} ms, the actor does not`);
    for (const timer of due) {
      this.#timers.delete(timer);
      timer.task();
    }
  }
}
