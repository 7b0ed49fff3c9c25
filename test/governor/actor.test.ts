import { describe, expect, it } from 'vitest';
import type { CoreConfiguration, StreamConfiguration } from '../../src/core/configuration.js';
import { DecisionCore } from '../../src/core/decision-core.js';
import { micros, millis } from '../../src/core/units.js';
import { Actor } from '../../src/governor/actor.js';
import { followCalls } from '../../src/governor/follow-call.js';
import type { Backend, Call, CallEnd, Frame, OutcomeRecord, Publisher, ResultRecord } from '../../src/governor/ports.js';
import { ManualClock } from './manual-clock.js';

const OK: CallEnd = { result: 'ok', outputs: [], modelVersion: '1' };

/** Holds calls open until the test ends them. */
class ManualBackend implements Backend {
  readonly calls: Call[] = [];
  readonly #ends: ((end: CallEnd) => void)[] = [];

  infer(call: Call): Promise<CallEnd> {
    this.calls.push(call);
    return new Promise((resolve) => this.#ends.push(resolve));
  }

  async end(index: number, end: CallEnd): Promise<void> {
    this.#ends[index]?.(end);
    await settled();
  }
}

class Recorder implements Publisher {
  readonly log: string[] = [];
  readonly outcomes: OutcomeRecord[] = [];
  readonly results: ResultRecord[] = [];

  received(stream: string): void {
    this.log.push(`received ${stream}`);
  }

  result(record: ResultRecord): void {
    this.results.push(record);
    this.log.push(`result ${record.request}`);
  }

  outcome(record: OutcomeRecord): void {
    this.outcomes.push(record);
    this.log.push(`outcome ${record.request} ${record.state}/${record.cause}`);
  }

  causes(): string[] {
    return this.outcomes.map((outcome) => `${outcome.request} ${outcome.cause}`);
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const HEADER = { stamp: { sec: 12, nanosec: 34 }, frameId: 'camera' };

function frame(change: Partial<Frame> = {}): Frame {
  return { stream: 'front', header: HEADER, inputs: () => [], decode: () => [], ...change };
}

function setUp(change: Partial<StreamConfiguration> = {}, timeoutMs = 1000) {
  const stream: StreamConfiguration = {
    name: 'front',
    model: 'detector',
    class: 'normal',
    queue: { policy: 'latest', capacity: 1, overflow: 'reject_new' },
    contract: { deadlineUs: millis(100), maxAgeUs: millis(100) },
    ...change,
  };
  const configuration: CoreConfiguration = {
    backends: [{ name: 'gpu', slots: 1, pipeliningDepth: 0, noCorun: [] }],
    models: [{ name: 'detector', backend: 'gpu', variants: [{ name: 'large', backendModel: 'detector_large', quality: 1 }] }],
    streams: [stream],
  };
  const clock = new ManualClock();
  const start = clock.now();
  const backend = new ManualBackend();
  const publisher = new Recorder();
  const trace: string[] = [];
  const core = new DecisionCore(configuration);
  const actor = new Actor(core, {
    clock,
    publisher,
    backends: new Map([['gpu', { startCall: followCalls(backend), timeoutUs: millis(timeoutMs) }]]),
    whyNotReady: () => 'the server is not there',
    trace: {
      record: (event, _at, actions) => trace.push(`${event.type} ${actions.map((action) => action.type).join(' ')}`.trim()),
      refused: ({ request, state, cause, detail }, at) => trace.push(`${at - start}: ${request} ${state}/${cause}: ${detail}`),
    },
  });
  let stamp = 0n;
  const accept = (of: Frame = frame(), ageMs = 0) => {
    stamp += 1n;
    return actor.accept(of, micros(clock.now() - ageMs * 1000), stamp, millis(ageMs));
  };
  const ready = () => actor.post({ type: 'readiness', backend: 'gpu', backendModel: 'detector_large', ready: true });
  return { actor, core, clock, backend, publisher, trace, accept, ready };
}

describe('the actor', () => {
  it('publishes result, then outcome, with the header of the input and the times of the frame', async () => {
    const { clock, backend, publisher, accept, ready } = setUp();
    ready();
    accept(frame(), 7);
    clock.moveTo(20);
    await backend.end(0, OK);
    expect(publisher.log).toEqual(['received front', 'result 1', 'outcome 1 delivered/delivered']);
    expect(publisher.results[0]).toMatchObject({ header: HEADER, ageUs: 27_000, waitingUs: 0, serviceUs: 20_000, obsolete: false });
    expect(publisher.outcomes[0]).toMatchObject({ header: HEADER, ageUs: 27_000, slackUs: 73_000, variant: 'large' });
  });

  it('publishes an obsolete result with its flag', async () => {
    const { clock, backend, publisher, accept, ready } = setUp();
    ready();
    accept();
    clock.moveTo(150);
    await backend.end(0, OK);
    expect(publisher.results[0]?.obsolete).toBe(true);
    expect(publisher.outcomes[0]?.cause).toBe('obsolete');
  });

  it('answers the requester at the time-out and keeps the slot until the call ends', async () => {
    const { clock, backend, publisher, accept, ready, core } = setUp({}, 50);
    ready();
    accept();
    clock.moveTo(60);
    expect(publisher.causes()).toEqual(['1 no_answer']);
    accept();
    expect(publisher.causes().at(-1)).toBe('2 slots_quarantined');
    await backend.end(0, OK);
    expect(publisher.results).toEqual([]);
    expect(core.snapshot().backends[0]).toMatchObject({ inFlight: 0, held: 0, lateAnswers: 1 });
    accept();
    expect(backend.calls.map((call) => call.request)).toEqual([1, 3]);
  });

  it('turns an answer that cannot be decoded into bad_output with its reason', async () => {
    const { backend, publisher, accept, ready } = setUp();
    ready();
    accept(
      frame({
        decode: () => {
          throw new Error("output 'boxes' holds NaN");
        },
      }),
    );
    await backend.end(0, OK);
    expect(publisher.outcomes[0]).toMatchObject({ cause: 'bad_output', detail: "output 'boxes' holds NaN" });
    expect(publisher.results).toEqual([]);
  });

  it('gives the credit back for a frame whose inputs cannot be named', async () => {
    const { backend, publisher, accept, ready, core } = setUp();
    ready();
    accept(
      frame({
        inputs: () => {
          throw new Error('no metadata');
        },
      }),
    );
    await settled();
    expect(backend.calls).toEqual([]);
    expect(publisher.outcomes[0]).toMatchObject({ cause: 'unavailable', detail: 'no metadata' });
    expect(core.snapshot().backends[0]?.inFlight).toBe(0);
  });

  it('carries the words of the server into the outcome', async () => {
    const { backend, publisher, accept, ready } = setUp();
    ready();
    accept();
    await backend.end(0, { result: 'failed', cause: 'model_error', detail: 'CUDA out of memory' });
    expect(publisher.outcomes[0]).toMatchObject({ state: 'backend_failed', detail: 'CUDA out of memory' });
  });

  it('says why no variant is ready', () => {
    const { publisher, accept } = setUp();
    accept();
    expect(publisher.outcomes[0]?.cause).toBe('no_variant_ready');
    expect(publisher.outcomes[0]?.detail).toContain('the server is not there');
  });

  it('gives a refused message an id and one outcome of its own', () => {
    const { actor, clock, publisher, trace } = setUp();
    actor.refuse('front', HEADER, 'stamp_zero', 'the header stamp is zero');
    clock.moveTo(5);
    actor.refuse('front', HEADER, 'inactive', 'the node is not active', 3000);
    expect(publisher.log).toEqual(['received front', 'outcome 1 invalid/stamp_zero', 'received front', 'outcome 2 cancelled/inactive']);
    expect(trace).toEqual(['0: 1 invalid/stamp_zero: the header stamp is zero', '5000: 2 cancelled/inactive: the node is not active']);
  });

  it('wakes the core so that a waiting frame ends the moment nothing can save it', () => {
    const { clock, publisher, accept, ready, trace } = setUp({ queue: { policy: 'fifo', capacity: 4, overflow: 'reject_new' } });
    ready();
    accept();
    accept();
    clock.moveTo(100);
    expect(publisher.causes()).toEqual([]);
    clock.moveTo(101);
    expect(publisher.causes()).toEqual(['2 expired_waiting']);
    expect(trace.filter((line) => line.startsWith('tick'))).toHaveLength(1);
  });

  it('tells the trace every event with what followed', async () => {
    const { backend, accept, ready, trace } = setUp();
    ready();
    accept();
    await backend.end(0, OK);
    expect(trace).toEqual(['readiness', 'arrival dispatch', 'completion terminate']);
  });
});

describe('draining', () => {
  it('ends what waits at once and lets what runs finish', async () => {
    const { actor, clock, backend, publisher, accept, ready } = setUp();
    ready();
    accept();
    clock.moveTo(33);
    accept();
    const drained = actor.drain(millis(500));
    expect(publisher.causes()).toEqual(['2 shutdown']);
    await backend.end(0, OK);
    expect(await drained).toBe(true);
    expect(publisher.causes()).toEqual(['2 shutdown', '1 delivered']);
  });

  it('gives a hanging call its outcome at the limit, and says it did not drain', async () => {
    const { actor, clock, publisher, accept, ready, core } = setUp();
    ready();
    accept();
    const drained = actor.drain(millis(500));
    clock.moveTo(500);
    expect(await drained).toBe(false);
    expect(publisher.causes()).toEqual(['1 drain_limit']);
    expect(core.snapshot().backends[0]).toMatchObject({ inFlight: 1, held: 1 });
  });

  const counter = (actor: Actor, clock: ManualClock, completed: number) =>
    actor.post({ type: 'counter', backend: 'gpu', backendModel: 'detector_large', completed, polledUs: clock.now() });

  it('waits for the proof that a call without an answer has ended', async () => {
    const { actor, clock, backend, publisher, accept, ready } = setUp();
    ready();
    counter(actor, clock, 10);
    clock.moveTo(1);
    accept();
    const drained = actor.drain(millis(500));
    await backend.end(0, { result: 'unknown', detail: 'the connection broke' });
    expect(publisher.causes()).toEqual(['1 execution_unknown']);
    expect(await Promise.race([drained, 'waits'])).toBe('waits');
    clock.moveTo(2);
    counter(actor, clock, 11);
    expect(await drained).toBe(true);
  });

  it('does not wait for a call whose end nothing can prove any more, and says so', async () => {
    const { actor, clock, backend, accept, ready, core } = setUp();
    ready();
    counter(actor, clock, 10);
    clock.moveTo(1);
    accept();
    await backend.end(0, { result: 'unknown', detail: 'the connection broke' });
    clock.moveTo(2);
    counter(actor, clock, 0); // a restart, and nobody knows on which side of it the call was
    expect(core.snapshot().backends[0]).toMatchObject({ inFlight: 1, quarantined: 1 });
    expect(await actor.drain(millis(500))).toBe(false);
  });

  it('gives what runs its outcome at once when it is hurried, in a drain to come too', async () => {
    const { actor, publisher, accept, ready } = setUp();
    ready();
    accept();
    const drained = actor.drain(millis(500));
    actor.hurry();
    expect(await drained).toBe(false);
    expect(publisher.causes()).toEqual(['1 drain_limit']);
    actor.resume();
    expect(await actor.drain(millis(500))).toBe(false);
  });

  it('serves again after resume', async () => {
    const { actor, backend, publisher, accept, ready } = setUp();
    ready();
    await actor.drain(millis(10));
    accept();
    expect(publisher.causes()).toEqual(['1 shutdown']);
    actor.resume();
    accept();
    expect(backend.calls.map((call) => call.request)).toEqual([2]);
  });

  it('leaves no timer behind', async () => {
    const { actor, clock, accept, ready } = setUp();
    ready();
    accept();
    accept();
    const drained = actor.drain(millis(1));
    clock.moveTo(1);
    await drained;
    actor.close();
    expect(clock.pending).toBe(0);
  });
});
