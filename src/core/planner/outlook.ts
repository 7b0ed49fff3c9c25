/** What the planner takes to be ahead of one backend: what waits, what is expected, when slots come free (policy.md 3). */
import type { BackendState } from '../backend-state.js';
import type { Lease } from '../credits.js';
import { indexOfEarliest } from '../credits.js';
import type { StreamState } from '../stream-state.js';
import { type Micros, NEVER } from '../units.js';
import { Prospect } from './prospect.js';

/** Arrivals looked at, of all streams together. */
const MAX_EXPECTED = 16;
/** Streams played through: what a plan costs must not grow with all there are. */
const MAX_ACTIVE = 24;
/** Longest guarded periods looked ahead. With a clock, later cycles are guesses that drown the first (adr/0012). */
const HORIZON_PERIODS = 2.5;
const HORIZON_PERIODS_CLOCK = 2;

export class Outlook {
  readonly #backend: BackendState;
  readonly all: readonly Prospect[];
  /** Of these: those whose results are worth something. */
  readonly worthy: readonly Prospect[];
  /** Of these: those of which a frame waits or is expected soon; the most urgent ones where they are many. */
  readonly active: Prospect[] = [];
  /** When each slot is likely to come free; of slots that no instance of a model can use there are none. */
  readonly freeUs: Micros[];
  /** When the next job can start. */
  startUs = 0;
  horizonUs = 0;

  constructor(backend: BackendState) {
    this.#backend = backend;
    const { slots } = backend.credits;
    this.all = backend.streams.map((stream) => new Prospect(stream, slots - 1));
    this.worthy = this.all.filter(({ terms }) => terms.weight > 0);
    this.freeUs = Array.from({ length: slots }, () => 0 as Micros);
  }

  /** To be called first in a pass, and again after every start. */
  refresh(now: Micros): void {
    for (const prospect of this.all) prospect.refresh(now);
    this.#placeRunning(now);
    this.startUs = Math.max(now, this.freeUs[this.#firstFree] as number);
    this.horizonUs = this.startUs + this.#spanUs();
    this.#listExpected(now);
    this.active.length = 0;
    for (const prospect of this.worthy) if (prospect.frames > 0) this.active.push(prospect);
    if (this.active.length <= MAX_ACTIVE) return;
    this.active.sort(byUrgency);
    this.active.length = MAX_ACTIVE;
  }

  of(stream: StreamState): Prospect | undefined {
    for (const prospect of this.all) if (prospect.stream === stream) return prospect;
    return undefined;
  }

  get #firstFree(): number {
    return indexOfEarliest(this.freeUs, this.freeUs.length);
  }

  #spanUs(): number {
    let longestUs = 0;
    let longestGuardedUs = 0;
    let agesUs = 0;
    let periods = HORIZON_PERIODS;
    for (const { terms, stream } of this.worthy) {
      agesUs = Math.max(agesUs, terms.periodUs);
      if (stream.configuration.contract.periodUs === undefined && terms.phaseUs === undefined) continue;
      longestUs = Math.max(longestUs, terms.periodUs);
      if (!stream.guarded) continue;
      longestGuardedUs = Math.max(longestGuardedUs, terms.periodUs);
      if (terms.phaseUs !== undefined) periods = HORIZON_PERIODS_CLOCK;
    }
    // Where nobody says how often frames come, results have to last as long as they are fresh.
    return periods * (longestGuardedUs || longestUs || agesUs);
  }

  /** When what runs is likely to end, and what its consumers have then. */
  #placeRunning(now: Micros): void {
    this.#countSlots();
    this.freeUs.fill(now);
    const { leases } = this.#backend.credits;
    let slot = 0;
    for (const lease of leases) {
      if (lease.startedUs === undefined) continue;
      this.freeUs[slot] = this.#endOf(lease, lease.startedUs, now);
      slot += 1;
    }
    for (const lease of leases) {
      if (lease.startedUs !== undefined) continue;
      const first = this.#firstFree;
      this.freeUs[first] = this.#endOf(lease, this.freeUs[first] as Micros, now);
    }
  }

  #countSlots(): void {
    const { credits, served } = this.#backend;
    let instances = 0;
    for (const server of served.values()) instances += Math.max(server.instances, server.openCalls);
    const slots = Math.min(credits.slots, instances);
    if (this.freeUs.length !== slots) this.freeUs.length = slots;
  }

  /** NEVER for a call whose end nobody can tell. */
  #endOf({ request, variant, state }: Lease, startUs: Micros, now: Micros): Micros {
    const prospect = this.of(request.stream);
    const belief = prospect?.beliefOf(variant);
    if (prospect === undefined || belief === undefined || state !== 'running') return NEVER;
    belief.refresh();
    const endUs = Math.ceil(Math.max(now, startUs + belief.likelyUs(now - startUs))) as Micros;
    prospect.runsUntil(endUs, request.freshUntilUs);
    return endUs;
  }

  /** The next arrivals of all streams, in their order. */
  #listExpected(now: Micros): void {
    for (const prospect of this.worthy) prospect.expectedUs = prospect.firstExpectedUs(now);
    for (let i = 0; i < MAX_EXPECTED; i += 1) {
      let next: Prospect | undefined;
      for (const prospect of this.worthy) if (next === undefined || prospect.expectedUs < next.expectedUs) next = prospect;
      if (next === undefined || next.expectedUs === NEVER) return;
      next.expect();
    }
  }
}

function byUrgency(one: Prospect, other: Prospect): number {
  return one.urgencyUs - other.urgencyUs;
}
