import { pino } from 'pino';
import { expect, it } from 'vitest';
import { type BroadcastWork, StatusBroadcast } from '../../src/ros/status-broadcast.js';
import { noOutcomes } from '../../src/telemetry/outcome-counts.js';
import type { GovernorStatus } from '../../src/telemetry/status.js';
import { IDLE_BACKEND } from '../support/idle-backend.js';

const BACKEND = { ...IDLE_BACKEND, slots: 1 };

interface Bench {
  /** Steps of the timer: ten a second. */
  tick(times: number): void;
  state: { held: number; quarantined: number; restarts: number; ready: boolean; silent: boolean; inFlight: number; overloadLevel: number };
  readonly said: string[];
}

function bench(overrides: Partial<BroadcastWork> = {}): Bench {
  const said: string[] = [];
  const state = { held: 0, quarantined: 0, restarts: 0, ready: true, silent: false, inFlight: 0, overloadLevel: 0 };
  const status = (): GovernorStatus => ({
    ready: state.ready,
    backends: [
      {
        ...BACKEND,
        held: state.held,
        quarantined: state.quarantined,
        restarts: state.restarts,
        inFlight: state.inFlight,
        overloadLevel: state.overloadLevel,
      },
    ],
    streams: [
      {
        stream: 'front',
        received: 0,
        waiting: 0,
        inFlight: 0,
        lostBeforeNode: 0,
        outcomes: noOutcomes(),
        captureLast: undefined,
        ageLastUs: undefined,
        ageMinUs: undefined,
        ageP50Us: undefined,
        ageP95Us: undefined,
        consumerCoveragePermille: undefined,
        longestGapUs: undefined,
        weaklyHardMisses: undefined,
        weaklyHardViolated: false,
        profile: 'measured',
      },
    ],
  });
  const broadcast = new StatusBroadcast(
    {
      status,
      isSilent: () => state.silent,
      publishStatus: (shown) => said.push(`status ready=${shown.ready} held=${shown.backends[0]?.held}`),
      look: () => said.push('look'),
      publishDiagnostics: () => said.push('diagnostics'),
      ...overrides,
    },
    pino({ level: 'silent' }),
  );
  return {
    said,
    state,
    tick: (times) => {
      for (let time = 0; time < times; time += 1) broadcast.tick();
    },
  };
}

it('looks, then says status and diagnostics once a second', () => {
  const { tick, said } = bench();
  tick(10);
  expect(said).toEqual(['look', 'status ready=true held=0', 'diagnostics']);
  tick(10);
  expect(said).toHaveLength(6);
});

it.each([
  ['readiness', { ready: false }],
  ['held calls', { held: 1 }],
  ['calls whose end nothing can prove', { quarantined: 1 }],
  ['restarts', { restarts: 1 }],
  ['the overload level', { overloadLevel: 1 }],
  ["a stream's silence", { silent: true }],
])('says the status at the next step when %s changes, and once', (_, change) => {
  const { tick, said, state } = bench();
  tick(3);
  said.length = 0;
  Object.assign(state, change);
  tick(3);
  expect(said).toHaveLength(1);
  expect(said[0]).toMatch(/^status/);
});

it('leaves counts for the next second', () => {
  const { tick, said, state } = bench();
  tick(3);
  said.length = 0;
  state.inFlight = 1;
  tick(3);
  expect(said).toEqual([]);
});

it('goes on with the rest when one part throws', () => {
  const { tick, said } = bench({
    look: () => {
      throw new Error('no graph');
    },
  });
  tick(1);
  expect(said).toEqual(['status ready=true held=0', 'diagnostics']);
});
