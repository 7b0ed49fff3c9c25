import { expect, it } from 'vitest';
import { Metrics } from '../../src/telemetry/metrics.js';
import type { BackendStatus } from '../../src/telemetry/status.js';

const BACKEND: BackendStatus = {
  backend: 'gpu',
  reachable: true,
  ready: true,
  slots: 1,
  inFlight: 0,
  held: 0,
  quarantined: 0,
  lateAnswers: 0,
  overloadLevel: 3,
};

it('shows the overload level of each backend', async () => {
  const metrics = new Metrics(() => ({ ready: true, streams: [], backends: [BACKEND, { ...BACKEND, backend: 'cpu', overloadLevel: 0 }] }));
  const page = await metrics.page();
  expect(page).toContain('vig_overload_level{backend="gpu"} 3');
  expect(page).toContain('vig_overload_level{backend="cpu"} 0');
});
