import { NO_LEASES } from '../../src/core/snapshot.js';
import type { BackendStatus } from '../../src/telemetry/status.js';

/** A backend that is there and has nothing to do. */
export const IDLE_BACKEND: BackendStatus = {
  backend: 'gpu',
  reachable: true,
  ready: true,
  slots: 2,
  inFlight: 0,
  held: 0,
  quarantined: 0,
  leases: NO_LEASES,
  reconciled: 0,
  restarts: 0,
  trusted: true,
  lateAnswers: 0,
  overloadLevel: 0,
};
