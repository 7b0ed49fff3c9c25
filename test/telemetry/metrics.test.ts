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
