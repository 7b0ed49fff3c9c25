/** Requests between their arrival and the proven end of their call. */
import { CoreError } from './core-error.js';
import type { Lease } from './credits.js';
import type { Generation } from './quanta/generation.js';
import { RequestTable } from './request-table.js';
import type { StreamState } from './stream-state.js';
import type { Micros, RequestId } from './units.js';

export interface Request {
  readonly id: RequestId;
  readonly stream: StreamState;
  readonly capture: Micros;
  readonly arrivalUs: Micros;
  /** Of the contract in force. */
  deadlineUs: Micros;
  /** The last instant at which a result is still fresh, by the contract in force. */
  freshUntilUs: Micros;
  /** Its call, from dispatch on. */
  lease: Lease | undefined;
  /** How far it is, where its model is cooperative. */
  readonly generation: Generation | undefined;
}

/** A second use of an id is noticed while the first is open, and for at least this many ids after that. */
const REMEMBERED_IDS = 4096;

/** Which ids are open, and which were used: bounded, whatever the run length. */
export class Requests {
  readonly #open = new RequestTable<Request>();
  readonly #recent = new Float64Array(REMEMBERED_IDS);

  /** @throws {CoreError} duplicate_request */
  refuseDuplicate(id: RequestId): void {
    if (!this.#open.has(id) && this.#recent[id % REMEMBERED_IDS] !== id) return;
    throw new CoreError('duplicate_request', `request ${id} was handed in before; every message needs an id of its own`);
  }

  add(request: Request): void {
    this.#recent[request.id % REMEMBERED_IDS] = request.id;
    this.#open.set(request.id, request);
  }

  find(id: RequestId): Request | undefined {
    return this.#open.get(id);
  }

  remove(request: Request): void {
    this.#open.delete(request.id);
  }
}
