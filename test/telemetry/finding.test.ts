import { describe, expect, it } from 'vitest';
import { CAUSES, type Cause } from '../../src/core/catalogue.js';
import { Diagnostics } from '../../src/telemetry/diagnostics.js';
import { judgeBackend, judgeStream, type StreamFacts } from '../../src/telemetry/finding.js';
import { HELD_HINTS, HELD_STATES, heldCalls } from '../../src/telemetry/held-calls.js';
import type { BackendStatus } from '../../src/telemetry/status.js';
import { IDLE_BACKEND } from '../support/idle-backend.js';

const facts = (change: Partial<StreamFacts> = {}): StreamFacts => ({
  topic: '/front',
  received: 30,
  causes: new Map<Cause, number>([['delivered', 30]]),
  silentUs: 20_000,
  periodUs: 33_000,
  inputProblem: undefined,
  modelProblem: undefined,
  brokenBudget: undefined,
  stamps: undefined,
  clock: undefined,
  ...change,
});

describe('the finding of a stream', () => {
  it('is fine when most frames give fresh results, whatever is superseded', () => {
    const causes = new Map<Cause, number>([
      ['delivered', 10],
      ['newer_capture', 500],
      ['predicted_stale', 9],
    ]);
    expect(judgeStream(facts({ causes })).kind).toBe('fine');
  });

  it('names the most frequent loss when losses outnumber fresh results, with its remedy', () => {
    const causes = new Map<Cause, number>([
      ['delivered', 10],
      ['expired_waiting', 4],
      ['predicted_stale', 7],
    ]);
    const finding = judgeStream(facts({ causes }));
    expect(finding).toMatchObject({ kind: 'over', hint: CAUSES.predicted_stale.remedy });
    expect(finding.message).toContain('7 predicted_stale');
  });

  it.each([
    ['stamp_zero', 'Zero timestamp seen. (1)'],
    ['stamp_future', 'Timestamps too far in future seen. (1)'],
  ] as const)('says %s in the words people search for', (cause, message) => {
    const causes = new Map<Cause, number>([
      ['delivered', 29],
      [cause, 1],
    ]);
    expect(judgeStream(facts({ causes })).message).toBe(message);
  });

  it('reports that nothing ever came, and a silence', () => {
    expect(judgeStream(facts({ silentUs: undefined }))).toMatchObject({ kind: 'waiting', message: 'No events recorded.' });
    const silent = facts({ received: 0, causes: new Map(), silentUs: 1_000_001 });
    expect(judgeStream(silent)).toMatchObject({ kind: 'over', message: 'No data since 1.0 s.' });
    expect(judgeStream({ ...silent, periodUs: 500_000 }).kind).toBe('fine');
    expect(judgeStream({ ...silent, periodUs: undefined }).kind).toBe('fine');
    expect(judgeStream({ ...silent, periodUs: undefined, silentUs: 5_000_001 }).kind).toBe('over');
  });

  it('tells what is wrong with the messages of a slow topic rather than that they are few', () => {
    const slow = facts({ received: 1, causes: new Map<Cause, number>([['stamp_zero', 1]]), silentUs: 1_000_001 });
    expect(judgeStream(slow).message).toBe('Zero timestamp seen. (1)');
  });

  it.each(['inactive', 'no_clock'] as const)('says what the node waits for: %s', (cause) => {
    const causes = new Map<Cause, number>([[cause, 30]]);
    const modelProblem = 'the node is not active';
    expect(judgeStream(facts({ causes, modelProblem }))).toMatchObject({ kind: 'over', hint: CAUSES[cause].remedy });
  });

  it('names a broken miss budget, after what explains it', () => {
    expect(judgeStream(facts({ brokenBudget: 3 }))).toMatchObject({ kind: 'over', message: expect.stringContaining('3 cycles') });
    const causes = new Map<Cause, number>([['predicted_stale', 3]]);
    expect(judgeStream(facts({ brokenBudget: 3, causes })).message).toContain('predicted_stale');
  });

  it('puts the more specific cause first', () => {
    const all = facts({ inputProblem: 'publisher is best effort', modelProblem: 'unknown model', silentUs: undefined });
    expect(judgeStream(all).message).toBe('publisher is best effort');
    expect(judgeStream(facts({ modelProblem: 'unknown model' }))).toMatchObject({ kind: 'severe' });
  });
});

describe('the finding of a backend', () => {
  const backend = { ...IDLE_BACKEND, inFlight: 1 };

  it('tells unreachable, not ready and held slots apart', () => {
    expect(judgeBackend(backend, '', 'start it').kind).toBe('fine');
    expect(judgeBackend({ ...backend, reachable: false }, 'refused', 'start it')).toEqual({
      kind: 'severe',
      message: 'not reachable: refused',
      hint: 'start it',
    });
    expect(judgeBackend({ ...backend, ready: false }, 'loading', 'start it').message).toBe('not ready: loading');
    const held = (count: number) => ({ ...backend, held: count, leases: { ...backend.leases, timed_out: count } });
    expect(judgeBackend(held(1), '', 'start it').kind).toBe('over');
    expect(judgeBackend(held(2), '', 'start it').kind).toBe('severe');
    expect(judgeBackend({ ...backend, trusted: false }, '', 'start it').kind).toBe('waiting');
    expect(judgeBackend({ ...backend, overloadLevel: 3 }, '', 'start it')).toMatchObject({
      kind: 'over',
      message: 'overload level 3: best effort is refused',
    });
  });
});

describe('held calls', () => {
  const hintOf = (leases: Partial<BackendStatus['leases']>) => {
    const held = Object.values(leases).reduce((sum, count) => sum + count, 0);
    return judgeBackend({ ...IDLE_BACKEND, slots: 9, held, leases: { ...IDLE_BACKEND.leases, ...leases } }, '', 'start it');
  };

  it('are named by state, with the hint for the worst of them', () => {
    expect(hintOf({ timed_out: 2, quarantined: 1 })).toEqual({
      kind: 'over',
      message: '3 of 9 slots held without proof: 1 quarantined, 2 timed_out',
      hint: HELD_HINTS.quarantined,
    });
  });

  it.each(HELD_STATES)('have a hint that names the runbook: %s', (state) => {
    expect(hintOf({ [state]: 1 })).toMatchObject({ hint: expect.stringMatching(/docs\/runbook\.md#[a-z-]+/) });
  });

  it('are counted for the log, those of a requester that waits too', () => {
    const leases = { ...IDLE_BACKEND.leases, running: 1, reconciling: 2 };
    expect(heldCalls([IDLE_BACKEND, { ...IDLE_BACKEND, backend: 'cpu', inFlight: 3, leases }])).toEqual([
      { backend: 'cpu', calls: 3, states: '2 reconciling, 1 running' },
    ]);
  });
});

describe('diagnostic levels', () => {
  it('warn once over, error when it stays, and recover at once', () => {
    const diagnostics = new Diagnostics();
    const status = { ...IDLE_BACKEND, inFlight: 1, held: 1, leases: { ...IDLE_BACKEND.leases, timed_out: 1 } };
    const over = judgeBackend(status, '', 'start it');
    const levels = Array.from({ length: 5 }, () => diagnostics.backend(over, status).level);
    expect(levels).toEqual([1, 1, 1, 1, 2]);
    const fine = judgeBackend(IDLE_BACKEND, '', 'start it');
    expect(diagnostics.backend(fine, status).level).toBe(0);
    expect(diagnostics.backend(over, status).level).toBe(1);
  });

  it('name each subject stably and carry the hint first', () => {
    const status = { ...IDLE_BACKEND, reachable: false, ready: false, slots: 1 };
    const report = new Diagnostics().backend(judgeBackend(status, 'refused', 'start it'), status);
    expect(report.name).toBe('governor: backend gpu');
    expect(report.values[0]?.[0]).toBe('hint');
  });
});
