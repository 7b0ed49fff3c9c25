import { expect, test } from 'vitest';
import type { CoreConfiguration } from '../../src/core/configuration.js';
import { DecisionCore } from '../../src/core/decision-core.js';
import { micros, millis } from '../../src/core/units.js';
import { Actor } from '../../src/governor/actor.js';
import type { Call, CallEnd, Frame, OutcomeRecord, ResultRecord } from '../../src/governor/ports.js';
import { ManualClock } from './manual-clock.js';

const CONFIGURATION: CoreConfiguration = {
  backends: [{ name: 'gpu', slots: 1, pipeliningDepth: 0, noCorun: [] }],
  models: [
    {
      name: 'text',
      backend: 'gpu',
      variants: [{ name: 'only', backendModel: 'vlm', quality: 1 }],
      cooperative: {
        baseCostUs: millis(8),
        prefillPerTokenUs: 0,
        tokensPerSecond: 1000,
        minTokens: 1,
        maxTotalTokens: 64,
        fillUntil: 'arrival',
      },
    },
  ],
  streams: [
    {
      name: 'text',
      model: 'text',
      class: 'normal',
      queue: { policy: 'fifo', capacity: 4, overflow: 'reject_new' },
      contract: { deadlineUs: millis(100), maxAgeUs: millis(100) },
    },
  ],
};

const PART: CallEnd = { result: 'ok', outputs: [], modelVersion: '1', generated: { tokens: 10, finished: false } };
const LAST: CallEnd = { ...PART, generated: { tokens: 5, finished: true } };

function setUp() {
  const clock = new ManualClock();
  const calls: { readonly call: Call; readonly ended: (end: CallEnd) => void }[] = [];
  const results: ResultRecord[] = [];
  const outcomes: OutcomeRecord[] = [];
  const ends: (number | undefined)[] = [];
  const actor = new Actor(new DecisionCore(CONFIGURATION), {
    clock,
    publisher: {
      received: () => {},
      result: (record) => void results.push(record),
      outcome: (record) => void outcomes.push(record),
    },
    backends: new Map([['gpu', { startCall: (call, ended) => void calls.push({ call, ended }), timeoutUs: millis(60) }]]),
    whyNotReady: () => undefined,
    trace: { record: (event) => void (event.type === 'completion' && ends.push(event.quantum)), refused: () => {} },
  });
  actor.post({ type: 'readiness', backend: 'gpu', backendModel: 'vlm', ready: true });
  const frame: Frame = {
    stream: 'text',
    header: { stamp: { sec: 1, nanosec: 0 }, frameId: '' },
    prompt: { maxTokens: 40 },
    inputs: () => [],
    decode: () => [],
  };
  actor.accept(frame, clock.now(), 1n, micros(0));
  return { clock, calls, results, outcomes, ends };
}

test('one message has one result, however many calls it takes; each call is told how much to generate', () => {
  const { clock, calls, results, outcomes, ends } = setUp();
  clock.moveTo(18);
  calls[0]?.ended(PART);
  expect([results, outcomes]).toEqual([[], []]);
  clock.moveTo(30);
  calls[1]?.ended(LAST);
  expect(calls.map(({ call }) => call.quantum)).toEqual([
    { number: 1, tokens: 40 },
    { number: 2, tokens: 30 },
  ]);
  expect(ends).toEqual([1, 2]);
  expect(results).toMatchObject([{ request: 1, waitingUs: 0, serviceUs: 30_000 }]);
  expect(outcomes).toMatchObject([{ request: 1, cause: 'delivered' }]);
});

test('of a chain that breaks no part is published', () => {
  const { clock, calls, results, outcomes } = setUp();
  clock.moveTo(95);
  expect(outcomes).toMatchObject([{ cause: 'no_answer' }]);
  const other = setUp();
  other.clock.moveTo(50);
  other.calls[0]?.ended(PART);
  other.clock.moveTo(95);
  other.calls[1]?.ended(PART); // at 95 not even 8 + 1 ms are left
  expect(other.outcomes).toMatchObject([
    { cause: 'predicted_stale', detail: expect.stringContaining('20 tokens of it are not published') },
  ]);
  expect([...results, ...other.results, ...calls.slice(1)]).toEqual([]);
});

test('each call has its own time-out', () => {
  const { clock, calls, outcomes } = setUp();
  clock.moveTo(50);
  calls[0]?.ended(PART);
  clock.moveTo(90); // 60 ms after the first call began
  expect(outcomes).toEqual([]);
  calls[1]?.ended(LAST);
  expect(outcomes).toMatchObject([{ cause: 'delivered' }]);
  expect(clock.pending).toBeLessThanOrEqual(1); // the wake-up of the core
});
