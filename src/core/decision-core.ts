/** The governor's decisions: pure, without clock or I/O (rules.md 1). */
import type { Action } from './actions.js';
import type { BackendState } from './backend-state.js';
import { abandon, endCall } from './call-end.js';
import type { CoreConfiguration } from './configuration.js';
import { CoreError } from './core-error.js';
import { decide, endHopeless, entryRefusal } from './dispatcher.js';
import type { Arrival, Completion, CoreEvent, Readiness, Reconfigure } from './events.js';
import { admit, createRequest } from './ingress.js';
import { type LearnedVariant, learnedOf, restore } from './learned.js';
import type { ModelState } from './model-state.js';
import { Outcomes } from './outcomes.js';
import { settle, takeCounter, takeWarmUp, takeWitness } from './proof/reconciliation.js';
import { readmit } from './quanta/readmission.js';
import { reconfigure } from './reconfigure.js';
import { Requests } from './requests.js';
import { type CoreSnapshot, describeBackend, describeStream } from './snapshot.js';
import type { StreamState } from './stream-state.js';
import { resolve, tellMargins } from './topology.js';
import { earlier, later, type Micros, micros, NEVER, plus, type RequestId } from './units.js';

const ONE = micros(1);

/** Events update state, then one step decides. The same events at the same instants give the same actions, to the byte. */
export class DecisionCore {
  readonly #streams: ReadonlyMap<string, StreamState>;
  readonly #backends: ReadonlyMap<string, BackendState>;
  readonly #backendList: readonly BackendState[];
  /** Streams whose cycles are judged. */
  #watched: readonly StreamState[];
  readonly #requests = new Requests();
  readonly #outcomes = new Outcomes(this.#requests);
  #now: Micros | undefined;
  #draining = false;
  /** The wake-up that was asked for last, while it lies ahead. */
  #armedUs = NEVER;

  /** @throws {CoreError} when names are not unique, references do not resolve, or a limit is out of range. */
  constructor(configuration: CoreConfiguration) {
    const { streams, backends } = resolve(configuration);
    this.#streams = streams;
    this.#backends = backends;
    this.#backendList = [...backends.values()];
    this.#watched = this.#findWatched();
  }

  /**
   * @param now never earlier than in the call before.
   * @returns what follows from the event; one shared empty array when nothing does.
   * @throws {CoreError} on a caller's mistake (time going backwards, an unknown name, an id used twice); nothing has changed then.
   */
  handle(event: CoreEvent, now: Micros): readonly Action[] {
    if (this.#now !== undefined && now < this.#now) {
      throw new CoreError(
        'time_backwards',
        `${event.type} at ${now} us comes after an event at ${this.#now} us; time must not go backwards`,
      );
    }
    const isNews = this.#isNews(event);
    this.#apply(event, now);
    this.#now = now;
    this.#decide(event.type === 'tick', isNews, now);
    return this.#outcomes.take();
  }

  snapshot(): CoreSnapshot {
    return { streams: [...this.#streams.values()].map(describeStream), backends: this.#backendList.map(describeBackend) };
  }

  /** What the next run may start from, by a `restore`. */
  learned(): LearnedVariant[] {
    return learnedOf(this.#models());
  }

  #models(): ModelState[] {
    return this.#backendList.flatMap((backend) => backend.models);
  }

  #apply(event: CoreEvent, now: Micros): void {
    switch (event.type) {
      case 'arrival':
        this.#arrive(event, now);
        break;
      case 'completion':
        this.#complete(event, now);
        break;
      case 'timeout':
        this.#timeOut(event.request, now);
        break;
      case 'readiness':
        this.#setReadiness(event, now);
        break;
      case 'round_trip':
        this.#backend(event.backend).credits.measureRoundTrip(event.p90);
        break;
      case 'counter':
        this.#reconcile(event.backend, now, (backend) => takeCounter(backend, event, now, this.#outcomes));
        break;
      case 'witness':
        this.#reconcile(event.backend, now, (backend) => takeWitness(backend, event, now, this.#outcomes));
        break;
      case 'warm_up':
        this.#reconcile(event.backend, now, (backend) => takeWarmUp(backend, event, now));
        break;
      case 'cancel':
        this.#withdraw(event.request, now);
        break;
      case 'drain':
        this.#draining = true;
        for (const stream of this.#watched) stream.consumer.pause(now);
        break;
      case 'drain_limit':
        this.#abandonAll(now);
        break;
      case 'resume':
        this.#draining = false;
        for (const stream of this.#watched) stream.consumer.serve(now);
        break;
      case 'reconfigure':
        this.#reconfigure(event, now);
        break;
      case 'clock_jump':
        for (const stream of this.#streams.values()) this.#startOver(stream, now);
        break;
      case 'restore':
        restore(event.learned, this.#models(), now);
        break;
      case 'tick':
        break;
    }
  }

  #arrive(event: Arrival, now: Micros): void {
    const stream = this.#streams.get(event.stream);
    if (stream === undefined)
      throw new CoreError('unknown_stream', `request ${event.request} names stream "${event.stream}", which is not configured`);
    this.#requests.refuseDuplicate(event.request);
    // What died while nobody looked must not fill the queue against the newcomer.
    endHopeless(stream, this.#draining, now, this.#outcomes);
    if (!this.#draining) stream.consumer.arrived(now);
    const request = createRequest(event, stream, now);
    this.#requests.add(request);
    admit(request, event, entryRefusal(stream, this.#draining), now, this.#outcomes);
  }

  #complete(completion: Completion, now: Micros): void {
    const { request: id, quantum, end } = completion;
    const request = this.#requests.find(id);
    if (request === undefined || (quantum !== undefined && quantum !== request.generation?.quantum.number)) return;
    if (endCall(request, completion, now, this.#requests, this.#outcomes)) {
      readmit(request, entryRefusal(request.stream, this.#draining), now, this.#outcomes);
    }
    if (end.result === 'unknown') settle(request.stream.model.backend, now, this.#requests, this.#outcomes);
  }

  /** What is said of a server may prove ends. */
  #reconcile(name: string, now: Micros, take: (backend: BackendState) => void): void {
    const backend = this.#backend(name);
    take(backend);
    settle(backend, now, this.#requests, this.#outcomes);
  }

  #timeOut(id: RequestId, now: Micros): void {
    const lease = this.#requests.find(id)?.lease;
    if (lease !== undefined) abandon(lease, 'no_answer', now, this.#outcomes);
  }

  #abandonAll(now: Micros): void {
    for (const backend of this.#backendList) {
      for (const lease of backend.credits.leases) abandon(lease, 'drain_limit', now, this.#outcomes);
    }
  }

  #setReadiness({ backend: name, backendModel, ready, instances, signature }: Readiness, now: Micros): void {
    const backend = this.#backend(name);
    const served = backend.served.get(backendModel);
    if (served === undefined) throw new CoreError('unknown_backend_model', `no variant names model "${backendModel}" of backend "${name}"`);
    if (instances !== undefined && instances < 1) {
      throw new CoreError('out_of_range', `model "${backendModel}" is told to have ${instances} instances; it must have at least 1`);
    }
    served.ready = ready;
    if (signature !== undefined) served.signature = signature;
    if (instances !== undefined) served.instances = served.configuredInstances ?? instances;
    backend.refresh();
    settle(backend, now, this.#requests, this.#outcomes);
  }

  #reconfigure({ contracts }: Reconfigure, now: Micros): void {
    reconfigure(contracts, this.#streams, !this.#draining, now);
    this.#watched = this.#findWatched();
    tellMargins(this.#streams.values());
  }

  #startOver(stream: StreamState, now: Micros): void {
    for (let next = stream.waiting.shift(); next !== undefined; next = stream.waiting.shift()) {
      this.#outcomes.refuse(next, 'clock_jump', now, {});
    }
    stream.startOver();
    if (!this.#draining) stream.consumer.serve(now);
  }

  #findWatched(): StreamState[] {
    return [...this.#streams.values()].filter((stream) => stream.consumer.watched);
  }

  /** What is in flight ends by itself; nothing more of it is sent. */
  #withdraw(id: RequestId, now: Micros): void {
    const request = this.#requests.find(id);
    if (request === undefined) return;
    if (request.lease !== undefined) {
      request.generation?.withdraw();
      return;
    }
    request.stream.waiting.remove(request);
    this.#outcomes.refuse(request, 'withdrawn', now, {});
  }

  #backend(name: string): BackendState {
    const backend = this.#backends.get(name);
    if (backend === undefined) throw new CoreError('unknown_backend', `backend "${name}" is not configured`);
    return backend;
  }

  /**
   * Whether it tells more than the time: a tick does not, nor does what names a request that is not there. What is said of a server is news
   * only where it returns a credit, which `settle` sees to.
   */
  #isNews(event: CoreEvent): boolean {
    if (event.type === 'tick' || event.type === 'counter' || event.type === 'witness' || event.type === 'warm_up') return false;
    return event.type === 'arrival' || !('request' in event) || this.#requests.find(event.request) !== undefined;
  }

  #decide(isTick: boolean, isNews: boolean, now: Micros): void {
    let wakeUs = this.#judgeCycles(isTick, now);
    for (const backend of this.#backendList) {
      // Before the instant that the last decision named, time alone changes nothing.
      if (isNews || now >= backend.nextUs) backend.nextUs = decide(backend, this.#draining, now, this.#outcomes);
      wakeUs = earlier(wakeUs, backend.nextUs);
    }
    if (this.#armedUs <= now) this.#armedUs = NEVER;
    if (wakeUs === NEVER || wakeUs === this.#armedUs) return;
    this.#armedUs = wakeUs;
    this.#outcomes.push({ type: 'wake', at: wakeUs });
  }

  /**
   * A cycle is judged at its own end, by what came until then: a result that comes at that very instant is told before the tick.
   * @returns when the next one ends.
   */
  #judgeCycles(isTick: boolean, now: Micros): Micros {
    let nextUs = NEVER;
    for (const { name, consumer } of this.#watched) {
      const violation = consumer.judge(name, now, isTick);
      if (violation !== undefined) this.#outcomes.push(violation);
      nextUs = earlier(nextUs, later(consumer.nextCycleEndUs, plus(now, ONE)));
    }
    return nextUs;
  }
}
