import { describe, expect, it } from 'vitest';
import { STATES, type State } from '../../src/core/catalogue.js';
import { ArmStatistics, agesOf, isDrained, type SeenOutcome, type SeenStatus, type SeenStream } from '../../src/demo/arm-statistics.js';

function counts(some: Partial<Record<State, number>>): Record<State, number> {
  return { ...(Object.fromEntries(Object.keys(STATES).map((state) => [state, 0])) as Record<State, number>), ...some };
}

function stream(some: Partial<SeenStream> = {}): SeenStream {
  return { stream: 'front', received: 0, waiting: 0, inFlight: 0, lostBeforeNode: 0, outcomes: counts({}), ...some };
}

function status(some: Partial<SeenStatus> = {}): SeenStatus {
  return { ready: true, inFlight: 0, streams: [stream()], ...some };
}

/** A call that ran from start to end, known exactly unless said otherwise. */
function call(startUs: number, endUs: number, some: Partial<SeenOutcome> = {}): SeenOutcome {
  const serviceUs = endUs - startUs;
  return { stream: 'front', state: 'delivered', cause: 'delivered', endUs, publishedUs: endUs, ageUs: serviceUs, serviceUs, ...some };
}

function statistics(): ArmStatistics {
  return new ArmStatistics(new Map([['front', 100]]));
}

describe('ArmStatistics', () => {
  it('takes the counts from the status and ages and causes from the outcomes', () => {
    const arm = statistics();
    arm.outcome(call(0, 30_000));
    arm.outcome(call(30_000, 80_000, { state: 'obsolete', cause: 'obsolete', ageUs: 120_000 }));
    arm.outcome(call(0, 90_000, { state: 'superseded', cause: 'newer_capture', ageUs: 5000, serviceUs: -1 }));
    arm.seen(
      status({ streams: [stream({ received: 4, lostBeforeNode: 2, outcomes: counts({ delivered: 1, obsolete: 1, superseded: 2 }) })] }),
    );
    expect(arm.streams()).toEqual({
      front: {
        received: 4,
        outcomes: counts({ delivered: 1, obsolete: 1, superseded: 2 }),
        causes: { delivered: 1, obsolete: 1, newer_capture: 1 },
        age_ms: { p50: 30, p95: 120, max: 120 },
        contract: { max_age_ms: 100 },
        lost_before_node: 2,
      },
    });
  });

  it('shows zeros and no ages before anything has come', () => {
    const { front } = statistics().streams();
    expect(front).toMatchObject({ received: 0, causes: {}, age_ms: { p50: null, p95: null, max: null } });
  });

  it('shows what the outcomes tell at once, with what is open', () => {
    const arm = statistics();
    arm.seen(status({ streams: [stream({ received: 1, waiting: 1, inFlight: 1 })] }));
    arm.outcome(call(0, 30_000));
    expect(arm.now('front')).toMatchObject({ received: 3, open: 2, causes: { delivered: 1 }, maxAgeMs: 100 });
  });

  it('counts no call twice that follows another at once', () => {
    const arm = statistics();
    arm.outcome(call(0, 100));
    arm.outcome(call(100, 200));
    expect(arm.inFlightMax()).toBe(1);
  });

  it('counts calls that overlap, whatever the order of their starts', () => {
    const arm = statistics();
    arm.outcome(call(50, 100));
    arm.outcome(call(0, 150));
    arm.outcome(call(60, 160));
    expect(arm.inFlightMax()).toBe(3);
  });

  it('counts only what surely overlapped when the node was held up', () => {
    const arm = statistics();
    arm.outcome(call(0, 100));
    arm.outcome(call(100, 200, { endUs: 150 })); // its age was read 50 µs late: by the end alone it began at 50
    expect(arm.inFlightMax()).toBe(1);
  });

  it('believes the status where it saw more calls', () => {
    const arm = statistics();
    arm.outcome(call(0, 100));
    arm.seen(status({ inFlight: 7 }));
    arm.seen(status({ inFlight: 0 }));
    expect(arm.inFlightMax()).toBe(7);
  });
});

describe('isDrained', () => {
  const ended = stream({ received: 2, outcomes: counts({ delivered: 2 }) });

  it('is true when every frame has its outcome and nothing runs', () => {
    expect(isDrained(status({ streams: [ended] }))).toBe(true);
  });

  it.each([
    ['a frame waits', status({ streams: [{ ...ended, waiting: 1 }] })],
    ['a frame runs', status({ streams: [{ ...ended, inFlight: 1 }] })],
    ['a call has no proven end', status({ streams: [ended], inFlight: 1 })],
    ['a frame has no outcome', status({ streams: [{ ...ended, received: 3 }] })],
  ])('is false while %s', (_what, open) => {
    expect(isDrained(open)).toBe(false);
  });
});

describe('agesOf', () => {
  it('gives the nearest ranks', () => {
    const ages = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect(agesOf(ages)).toEqual({ p50: 50, p95: 95, max: 100 });
    expect(agesOf([7.04])).toEqual({ p50: 7, p95: 7, max: 7 });
  });
});
