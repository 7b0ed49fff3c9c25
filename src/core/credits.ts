/** Slots and credits of one backend: who may be sent now, and which calls may still be running (rules.md 6). */
import type { BackendConfiguration } from './configuration.js';
import type { ServedModel, Variant } from './model-state.js';
import type { Boot } from './proof/boot.js';
import type { Claim } from './proof/claim.js';
import type { Request } from './requests.js';
import { earlier, later, type Micros, micros, minus, NEVER, plus } from './units.js';

/** Round trip assumed before one is measured. */
const DEFAULT_LEAD_US = micros(2_000);

/**
 * running: its requester waits · timed_out: the requester has its outcome, the call is open and will end by itself · returned: the call
 * returned without telling whether the execution ended.
 */
export type LeaseState = 'running' | 'timed_out' | 'returned';

/** One call that took a credit and whose end is not proven yet. */
export interface Lease {
  readonly request: Request;
  readonly variant: Variant;
  readonly dispatchedUs: Micros;
  /** What is known of its end. */
  readonly claim: Claim;
  state: LeaseState;
  /** When the execution began; undefined while it waits at the server for an instance. */
  startedUs: Micros | undefined;
  /** The same by the clock of `Ran`, of a call that followed another. */
  startedRunningUs: Micros | undefined;
  /** Calls that were executing beside it when it started. */
  occupancy: number;
  optimisticUs: Micros;
  plannedUs: Micros;
}

/** Where a call would go. One object a backend, rewritten by every question, so that a pass without a dispatch allocates nothing. */
export interface Placement {
  /** Predicted start of the execution; NEVER when it cannot be sent now. */
  startUs: Micros;
  follows: Lease | undefined;
  occupancy: number;
  /** The next instant at which time alone can change a refusal. */
  retryAtUs: Micros;
}

export class Credits {
  readonly slots: number;
  readonly #depth: number;
  readonly #configuredLeadUs: Micros | undefined;
  #roundTripUs = DEFAULT_LEAD_US;
  /** In order of dispatch. */
  readonly #leases: Lease[] = [];
  readonly #boot: Boot;
  #executing = 0;
  #held = 0;
  readonly placement: Placement = { startUs: NEVER, follows: undefined, occupancy: 0, retryAtUs: NEVER };
  readonly #instanceFreeUs: Micros[] = [];
  readonly #lastOnInstance: Lease[] = [];

  constructor(configuration: BackendConfiguration, boot: Boot) {
    this.#boot = boot;
    this.slots = configuration.slots;
    this.#depth = configuration.pipeliningDepth;
    this.#configuredLeadUs = configuration.pipeliningLeadUs;
  }

  get leases(): readonly Lease[] {
    return this.#leases;
  }

  /** Calls whose requester has its outcome already. */
  get held(): number {
    return this.#held;
  }

  get slotFree(): boolean {
    return this.#executing < this.slots;
  }

  get extraFree(): boolean {
    return this.#queued < this.#depth;
  }

  /** Calls waiting at the server behind others: each took one of the extra credits. */
  get #queued(): number {
    return this.#leases.length - this.#executing;
  }

  /** When a call could start at the earliest: now, or when the first of those that run may end. NEVER when none will. */
  earliestStartUs(now: Micros): Micros {
    if (this.slotFree) return now;
    let earliestUs = NEVER;
    for (const { state, startedUs, optimisticUs } of this.#leases) {
      if (state === 'returned' || startedUs === undefined) continue;
      earliestUs = earlier(earliestUs, state === 'running' ? later(now, plus(startedUs, optimisticUs)) : now);
    }
    return earliestUs;
  }

  /**
   * When each slot is planned to come free, one entry a slot: NEVER for a call whose end nobody can tell, now for one that is overdue.
   * What waits at the server runs on the slot that comes free first.
   */
  plannedFreeUs(slots: Micros[], now: Micros): void {
    let taken = 0;
    for (const { state, startedUs, plannedUs } of this.#leases) {
      if (startedUs === undefined) continue;
      slots[taken] = state === 'running' ? later(now, plus(startedUs, plannedUs)) : NEVER;
      taken += 1;
    }
    for (; taken < this.slots; taken += 1) slots[taken] = now;
    for (const { startedUs, plannedUs } of this.#leases) {
      if (startedUs !== undefined) continue;
      const slot = indexOfEarliest(slots, this.slots);
      slots[slot] = plus(slots[slot] as Micros, plannedUs);
    }
  }

  measureRoundTrip(p90: Micros): void {
    this.#roundTripUs = p90;
  }

  /** Whether a call to this model could be sent now, when it would start, and behind which. Answers in `placement`. */
  place(server: ServedModel, now: Micros): Placement {
    const placement = this.placement;
    placement.startUs = NEVER;
    placement.follows = undefined;
    placement.retryAtUs = NEVER;
    placement.occupancy = this.#executing;
    if (server.identity.awaitsBaseline) return placement;
    if (server.openCalls < server.instances) {
      if (this.slotFree) placement.startUs = now;
    } else if (this.extraFree) {
      this.#placeBehind(server, now, placement);
    }
    return placement;
  }

  /**
   * The extra credit is no extra slot: a call to another model would start at once beside the running one. So it goes behind calls to
   * the same model only, and so late that it just hides the round trip: until then a newer frame may still win.
   */
  #placeBehind(server: ServedModel, now: Micros, placement: Placement): void {
    const leadUs = this.#configuredLeadUs ?? this.#roundTripUs;
    if (leadUs === 0) return; // nothing to hide
    const instance = this.#firstFreeInstance(server, now);
    if (instance < 0) return;
    const endUs = this.#instanceFreeUs[instance] as Micros;
    const sendUs = minus(endUs, leadUs);
    if (now < sendUs) {
      placement.retryAtUs = sendUs;
      return;
    }
    placement.startUs = endUs;
    placement.follows = this.#lastOnInstance[instance];
    placement.occupancy = this.#executing - 1;
  }

  /** The instance that is predicted to come free first, -1 when that cannot be told: a held call, or one that nobody has measured. */
  #firstFreeInstance(server: ServedModel, now: Micros): number {
    const freeUs = this.#instanceFreeUs;
    let instances = 0;
    for (const lease of this.#leases) {
      if (lease.variant.server !== server) continue;
      if (lease.state !== 'running' || lease.optimisticUs === 0) return -1;
      if (lease.startedUs === undefined) {
        const instance = indexOfEarliest(freeUs, instances);
        freeUs[instance] = plus(freeUs[instance] as Micros, lease.optimisticUs);
        this.#lastOnInstance[instance] = lease;
      } else {
        freeUs[instances] = later(now, plus(lease.startedUs, lease.optimisticUs));
        this.#lastOnInstance[instances] = lease;
        instances += 1;
      }
    }
    return indexOfEarliest(freeUs, instances);
  }

  /** Takes a credit, as `placement` says. */
  take(request: Request, variant: Variant, now: Micros): Lease {
    const { follows, occupancy } = this.placement;
    const lease: Lease = {
      request,
      variant,
      dispatchedUs: now,
      claim: variant.server.identity.send(now, this.#boot.number),
      state: 'running',
      startedUs: follows === undefined ? now : undefined,
      startedRunningUs: undefined,
      occupancy,
      optimisticUs: variant.estimate.optimisticUs(occupancy),
      plannedUs: variant.estimate.plannedUs(occupancy, now),
    };
    this.#leases.push(lease);
    if (follows === undefined) this.#executing += 1;
    variant.server.openCalls += 1;
    variant.model.openCalls += 1;
    return lease;
  }

  /** The requester has its outcome; the credit stays taken. */
  hold(lease: Lease, state: Exclude<LeaseState, 'running'>): void {
    if (lease.state === 'running') {
      this.#held += 1;
      lease.variant.server.heldCalls += 1;
    }
    lease.state = state;
  }

  /**
   * The end is proven: the credit comes back, and the next call that waits at the server for this instance starts.
   * @param endedUs by the clock of `Ran`, where that is known
   */
  release(lease: Lease, now: Micros, endedUs?: Micros): void {
    this.#leases.splice(this.#leases.indexOf(lease), 1);
    lease.variant.server.openCalls -= 1;
    lease.variant.model.openCalls -= 1;
    if (lease.state !== 'running') {
      this.#held -= 1;
      lease.variant.server.heldCalls -= 1;
    }
    if (lease.startedUs === undefined) return;
    this.#executing -= 1;
    for (const next of this.#leases) {
      if (next.startedUs !== undefined || next.variant.server !== lease.variant.server) continue;
      next.startedUs = now;
      next.startedRunningUs = endedUs;
      next.occupancy = this.#executing;
      next.optimisticUs = next.variant.estimate.optimisticUs(next.occupancy);
      next.plannedUs = next.variant.estimate.plannedUs(next.occupancy, now);
      this.#executing += 1;
      return;
    }
  }
}

export function indexOfEarliest(instants: readonly Micros[], length: number): number {
  let best = length - 1;
  for (let i = best - 1; i >= 0; i -= 1) if ((instants[i] as Micros) <= (instants[best] as Micros)) best = i;
  return best;
}
