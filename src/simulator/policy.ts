import type { Ledger } from './ledger.js';
import type { SimulatedServer } from './server.js';
import type { VirtualTime } from './virtual-time.js';

/** What a policy acts on. */
export interface World {
  readonly time: VirtualTime;
  readonly ledger: Ledger;
  readonly server: SimulatedServer;
}

/** Decides over the frames of one run. Each frame ends once in the ledger. */
export interface Policy {
  arrive(frame: number): void;
  /** Once a millisecond. */
  tick(): void;
}
