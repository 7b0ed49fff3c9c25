import type { Connections } from './connections.js';
import type { Instant } from './fault.js';
import type { Faults } from './faults.js';
import { RpcFailure } from './rpc-failure.js';

/** What the commands make of one call. */
export class CallFaults {
  readonly #faults: Faults;
  readonly #connections: Pick<Connections, 'reset'>;
  readonly #model: string;
  readonly #peer: string;

  /** @param peer as gRPC names it */
  constructor(faults: Faults, connections: Pick<Connections, 'reset'>, model: string, peer: string) {
    this.#faults = faults;
    this.#connections = connections;
    this.#model = model;
    this.#peer = peer;
  }

  /**
   * The call has come so far. Resolves when it may go on, at once where no fault meets it.
   * @throws {RpcFailure} when the call ends here.
   */
  async reach(at: Instant): Promise<void> {
    const met = this.#faults.meet(at, this.#model);
    switch (met?.fault.fault) {
      case undefined:
        return;
      case 'hang':
        return met?.cleared;
      case 'error':
        throw new RpcFailure(met.fault.code, met.fault.details);
      case 'disconnect':
        this.#connections.reset(this.#peer);
        if (at === 'arrival') throw new RpcFailure('UNAVAILABLE', 'the connection was reset'); // nobody hears it
    }
  }
}
