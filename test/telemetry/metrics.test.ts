import { expect, it } from 'vitest';
import { millis } from '../../src/core/units.js';
import { Metrics } from '../../src/telemetry/metrics.js';
import type { StreamStatus } from '../../src/telemetry/status.js';
import { StreamStatistics } from '../../src/telemetry/stream-statistics.js';
import { IDLE_BACKEND } from '../support/idle-backend.js';

const BACKEND = { ...IDLE_BACKEND, slots: 1, overloadLevel: 3 };

const STREAM: StreamStatus = {
  stream: '',
  waiting: 0,
  inFlight: 0,
  ...new StreamStatistics({ deadlineUs: millis(1), maxAgeUs: millis(1) }).snapshot(millis(0)),
  weaklyHardMisses: undefined,
  weaklyHardViolated: false,
  profile: 'measured',
};

it('shows the overload level of each backend', async () => {
  const metrics = new Metrics(() => ({ ready: true, streams: [], backends: [BACKEND, { ...BACKEND, backend: 'cpu', overloadLevel: 0 }] }));
  const page = await metrics.page();
  expect(page).toContain('vig_overload_level{backend="gpu"} 3');
  expect(page).toContain('vig_overload_level{backend="cpu"} 0');
});

it('shows held calls by state, what was proven, and restarts', async () => {
  const leases = { ...BACKEND.leases, running: 1, timed_out: 2, quarantined: 1 };
  const backend = { ...BACKEND, inFlight: 4, held: 3, quarantined: 1, leases, reconciled: 7, restarts: 2, trusted: false };
  const metrics = new Metrics(() => ({ ready: true, streams: [], backends: [backend] }));
  await metrics.page(); // counters are read, not added up
  const page = await metrics.page();
  for (const line of [
    'vig_quarantined_slots{backend="gpu"} 3',
    'vig_held_calls{backend="gpu",state="timed_out"} 2',
    'vig_held_calls{backend="gpu",state="reconciling"} 0',
    'vig_held_calls{backend="gpu",state="awaiting_baseline"} 0',
    'vig_held_calls{backend="gpu",state="quarantined"} 1',
    'vig_execution_reconciled_total{backend="gpu"} 7',
    'vig_backend_restarts_total{backend="gpu"} 2',
    'vig_backend_trusted{backend="gpu"} 0',
  ])
    expect(page).toContain(`${line}\n`);
});

it('shows missed cycles of streams with a miss budget', async () => {
  const streams = [
    { ...STREAM, stream: 'kept', weaklyHardMisses: 1 },
    { ...STREAM, stream: 'broken', weaklyHardMisses: 3, weaklyHardViolated: true },
    { ...STREAM, stream: 'free' },
  ];
  const page = await new Metrics(() => ({ ready: true, streams, backends: [] })).page();
  expect(page).toContain('vig_weakly_hard_misses{stream="kept"} 1');
  expect(page).toContain('vig_weakly_hard_violated{stream="kept"} 0');
  expect(page).toContain('vig_weakly_hard_violated{stream="broken"} 1');
  expect(page).not.toMatch(/vig_weakly_hard.*free/);
});
