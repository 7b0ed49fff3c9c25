import type { Action, Dispatch, Terminate } from '../core/actions.js';
import { CAUSES, type CauseOf } from '../core/catalogue.js';
import type { DecisionCore } from '../core/decision-core.js';
import type { Arrival, Completion, CoreEvent } from '../core/events.js';
import { RequestTable } from '../core/request-table.js';
import { type Micros, micros, type RequestId, requestId } from '../core/units.js';
import type { Writable } from '../core/writable.js';
import { resultOf } from './call-result.js';
import { messageOf } from './error-message.js';
import { explain } from './explanation.js';
import type {
  Call,
  CallEnd,
  Clock,
  Detection,
  Frame,
  Header,
  OutcomeRecord,
  Publisher,
  StartCall,
  TensorSource,
  TraceSink,
} from './ports.js';

export interface ActorPorts {
  readonly clock: Clock;
  readonly backends: ReadonlyMap<string, ActorBackend>;
  readonly publisher: Publisher;
  readonly trace?: TraceSink;
  /** Why no variant of a stream's model can be called, for the outcome's detail. */
  readonly whyNotReady: (stream: string) => string | undefined;
}

export interface ActorBackend {
  readonly startCall: StartCall;
  /** When the requester stops waiting for an answer. */
  readonly timeoutUs: Micros;
  /** How often to ask for the count of what a model has finished; absent where every call is followed to its end. */
  readonly poll?: (backendModel: string, everyUs: Micros) => void;
}

interface OpenRequest {
  readonly frame: Frame;
  dispatch?: Dispatch;
  cancelTimeout?: () => void;
  answer?: { readonly end: CallEnd; readonly detections: readonly Detection[] };
}

/**
 * One event queue in front of the core, and the execution of what it decides. Holds payloads, timers and open calls; decides nothing.
 * The same actor runs live, in replay and in the simulator.
 */
export class Actor {
  readonly #core: DecisionCore;
  readonly #ports: ActorPorts;
  readonly #open = new RequestTable<OpenRequest>();
  readonly #queue: CoreEvent[] = [];
  readonly #drainWaiters: (() => void)[] = [];
  #handling = false;
  #lastRequest = 0;
  #hurried = false;
  #cancelWake: () => void = () => {};

  constructor(core: DecisionCore, ports: ActorPorts) {
    this.#core = core;
    this.#ports = ports;
  }

  /** A checked message becomes a request. */
  accept(frame: Frame, capture: Micros, stampNs: bigint, ageUs: number): RequestId {
    const request = this.#nextRequest();
    this.#open.set(request, { frame });
    this.#ports.publisher.received(frame.stream, ageUs);
    const arrival: Writable<Arrival> = { type: 'arrival', request, stream: frame.stream, capture, stampNs };
    if (frame.prompt !== undefined) arrival.prompt = frame.prompt;
    this.post(arrival);
    return request;
  }

  /** A message that never becomes a request still has its one outcome. */
  refuse(stream: string, header: Header, cause: CauseOf<'invalid'> | 'inactive' | 'no_clock', detail: string, ageUs?: number): void {
    const { state } = CAUSES[cause];
    const refusal = { request: this.#nextRequest(), stream, state, cause, ...(ageUs === undefined ? {} : { ageUs }), detail };
    this.#ports.trace?.refused(refusal, this.#ports.clock.now());
    this.#ports.publisher.received(stream, ageUs);
    this.#ports.publisher.outcome({ header, ...refusal, deadlineMissed: false });
  }

  /** Hands an event to the core now; an event that arises meanwhile waits for its turn. */
  post(event: CoreEvent): void {
    this.#queue.push(event);
    if (this.#handling) return;
    this.#handling = true;
    try {
      for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) this.#handle(next);
    } finally {
      this.#handling = false;
    }
  }

  /**
   * Ends what waits, lets what runs finish within the limit, then gives the rest its outcome; its credits stay held. A call that returned
   * without an answer is waited for too, as long as its end can be proven. New work is refused until `resume`.
   * @returns whether the drain is complete: the end of every call is proven.
   */
  async drain(limitUs: Micros): Promise<boolean> {
    this.post({ type: 'drain' });
    if (!this.#hurried && this.#mayEnd()) await this.#callsEnded(limitUs);
    this.post({ type: 'drain_limit' });
    return this.#core.snapshot().backends.every(({ inFlight }) => inFlight === 0);
  }

  /** The limit of a drain has come now, and of every one that follows. */
  hurry(): void {
    this.#hurried = true;
    this.#endDrain();
  }

  resume(): void {
    this.post({ type: 'resume' });
  }

  /** Ends the timers. Call it after a drain. */
  close(): void {
    this.#cancelWake();
    for (const request of this.#open.values()) request.cancelTimeout?.();
    this.#open.clear();
  }

  /** Whether there is a call whose end can still be proven. */
  #mayEnd(): boolean {
    return this.#core.snapshot().backends.some(({ inFlight, quarantined }) => inFlight > quarantined);
  }

  #endDrain(): void {
    for (const waiter of this.#drainWaiters.splice(0)) waiter();
  }

  #callsEnded(limitUs: Micros): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#after(limitUs, resolve);
      this.#drainWaiters.push(() => {
        cancel();
        resolve();
      });
    });
  }

  #nextRequest(): RequestId {
    this.#lastRequest += 1;
    return requestId(this.#lastRequest);
  }

  #handle(event: CoreEvent): void {
    const now = this.#ports.clock.now();
    const actions = this.#core.handle(event, now);
    this.#ports.trace?.record(event, now, actions);
    for (const action of actions) this.#execute(action);
    if (this.#drainWaiters.length > 0 && !this.#mayEnd()) this.#endDrain();
  }

  #execute(action: Action): void {
    switch (action.type) {
      case 'dispatch':
        this.#dispatch(action);
        break;
      case 'terminate':
        this.#terminate(action);
        break;
      case 'wake':
        this.#wake(action.at);
        break;
      case 'poll':
        this.#ports.backends.get(action.backend)?.poll?.(action.backendModel, action.everyUs);
        break;
      case 'reconciled':
      case 'restart': // shown by the status
      case 'level':
      case 'violation': // shown by the status
      case 'defer': // the core asks again by itself
      case 'late_answer': // counted by the core; the answer was dropped when the call ended
        break;
    }
  }

  #wake(at: Micros): void {
    this.#cancelWake();
    this.#cancelWake = this.#ports.clock.schedule(at, () => this.post({ type: 'tick' }));
  }

  #dispatch(dispatch: Dispatch): void {
    const { request } = dispatch;
    const open = this.#open.get(request);
    const target = this.#ports.backends.get(dispatch.backend);
    if (open === undefined || target === undefined) throw new Error(`request ${request} was dispatched without a frame or a backend`);
    open.dispatch = dispatch;
    open.cancelTimeout = this.#after(target.timeoutUs, () => this.post({ type: 'timeout', request }));
    const sentUs = this.#ports.clock.machine?.workNow();
    call(target.startCall, open.frame, dispatch, (end) => this.#ended(dispatch, end, sentUs));
  }

  /** What people wait for, and servers, follows the machine's time: it goes on while simulated time stands. */
  #after(delayUs: Micros, task: () => void): () => void {
    const { clock } = this.#ports;
    const { machine = clock } = clock;
    return machine.schedule(micros(machine.now() + delayUs), task);
  }

  #ended({ request, quantum }: Dispatch, end: CallEnd, sentUs: Micros | undefined): void {
    const open = this.#open.get(request);
    open?.cancelTimeout?.(); // a request can have another call
    // Its requester may have its outcome already: then only the credit is left to settle.
    const settled = open === undefined ? end : this.#answer(open, end);
    const endedUs = this.#ports.clock.machine?.workNow();
    const completion: Writable<Completion> = { type: 'completion', request, end: resultOf(settled) };
    if (quantum !== undefined) completion.quantum = quantum.number;
    if (sentUs !== undefined && endedUs !== undefined) completion.ran = { sentUs, endedUs };
    this.post(completion);
  }

  /** Reads the answer before the core hears of it: an answer that cannot be read is a failed call. */
  #answer(open: OpenRequest, end: CallEnd): CallEnd {
    const settled = open.dispatch === undefined ? { end, detections: [] } : readAnswer(open.frame, open.dispatch.variant, end);
    open.answer = settled;
    return settled.end;
  }

  #terminate(end: Terminate): void {
    const open = this.#open.get(end.request);
    if (open === undefined) throw new Error(`request ${end.request} ended twice`);
    open.cancelTimeout?.();
    this.#open.delete(end.request);
    const answer = open.answer;
    // The answer of a call after which another one was needed is only a part.
    const whole = end.state === 'delivered' || end.state === 'obsolete';
    if (whole && answer?.end.result === 'ok' && open.dispatch !== undefined)
      this.#publishResult(open, open.dispatch, end, answer.end, answer.detections);
    this.#publishOutcome(open.frame.header, end, detailOf(answer?.end) ?? this.#whyRefused(end));
  }

  #whyRefused(end: Terminate): string | undefined {
    return end.cause === 'no_variant_ready' ? this.#ports.whyNotReady(end.stream) : undefined;
  }

  #publishResult(
    open: OpenRequest,
    dispatch: Dispatch,
    end: Terminate,
    answer: CallEnd & { result: 'ok' },
    detections: readonly Detection[],
  ): void {
    this.#ports.publisher.result({
      header: open.frame.header,
      stream: end.stream,
      request: end.request,
      model: dispatch.model,
      variant: dispatch.variant,
      modelVersion: answer.modelVersion,
      obsolete: end.state === 'obsolete',
      deadlineMissed: end.deadlineMissed,
      ageUs: end.ageUs,
      waitingUs: end.waitingUs,
      serviceUs: end.serviceUs ?? micros(0),
      outputs: answer.outputs,
      detections,
    });
  }

  #publishOutcome(header: Header, end: Terminate, added: string | undefined): void {
    const { request, stream, state, cause, ageUs, waitingUs, deadlineMissed, why } = end;
    const record: Writable<OutcomeRecord> = {
      header,
      stream,
      request,
      state,
      cause,
      ageUs,
      waitingUs,
      deadlineMissed,
      detail: explain(end, added),
    };
    if (end.serviceUs !== undefined) record.serviceUs = end.serviceUs;
    if (why.slackUs !== undefined) record.slackUs = why.slackUs;
    if (why.supersededBy !== undefined) record.supersededBy = why.supersededBy;
    if (why.blockedBy !== undefined) record.blockedBy = why.blockedBy;
    if (end.variant !== undefined) record.variant = end.variant;
    this.#ports.publisher.outcome(record);
  }
}

/** A frame that cannot name its inputs never reaches the server. */
function call(startCall: StartCall, frame: Frame, dispatch: Dispatch, ended: (end: CallEnd) => void): void {
  const { request, stream, backendModel, variant, quantum } = dispatch;
  let inputs: readonly TensorSource[];
  try {
    inputs = frame.inputs(variant);
  } catch (error) {
    ended({ result: 'not_started', detail: messageOf(error) });
    return;
  }
  const started: Writable<Call> = { request, stream, backendModel, inputs };
  if (quantum !== undefined) started.quantum = quantum;
  startCall(started, ended);
}

function readAnswer(frame: Frame, variant: string, end: CallEnd): { end: CallEnd; detections: readonly Detection[] } {
  if (end.result !== 'ok') return { end, detections: [] };
  try {
    return { end, detections: frame.decode(variant, end.outputs) };
  } catch (error) {
    return { end: { result: 'failed', cause: 'bad_output', detail: messageOf(error) }, detections: [] };
  }
}

function detailOf(end: CallEnd | undefined): string | undefined {
  return end === undefined || end.result === 'ok' ? undefined : end.detail;
}
