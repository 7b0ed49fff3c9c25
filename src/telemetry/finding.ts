/** What is wrong with a stream or a backend right now, as one most specific finding (field-notes: one cause a line). Pure. */
import { CAUSES, type Cause } from '../core/catalogue.js';
import { countsByState, HELD_HINTS, HELD_STATES } from './held-calls.js';
import type { ClockFacts } from './ros-clock.js';
import { type StampFacts, stampHint } from './stamp-offset.js';
import type { BackendStatus } from './status.js';

/** `severe` findings are errors at once; `over` ones become errors when they stay, `waiting` ones stay warnings. */
export type Finding =
  | { readonly kind: 'fine'; readonly message: string }
  | { readonly kind: 'waiting' | 'over' | 'severe'; readonly message: string; readonly hint: string };

export interface StreamFacts {
  readonly topic: string;
  /** Messages and ends since the last report. */
  readonly received: number;
  readonly causes: ReadonlyMap<Cause, number>;
  /** Since the last message; undefined before the first. */
  readonly silentUs: number | undefined;
  readonly periodUs: number | undefined;
  /** What the subscription knows, for instance an incompatible publisher. */
  readonly inputProblem: string | undefined;
  /** Why no variant of the model can be called. */
  readonly modelProblem: string | undefined;
  /** Cycles missed in the window of a miss budget that is broken. */
  readonly brokenBudget: number | undefined;
  /** Where messages with stamps came since the last report. */
  readonly stamps: StampFacts | undefined;
  /** Under use_sim_time. */
  readonly clock: ClockFacts | undefined;
}

/** Nobody calls one missing second silence, whatever the period. */
const SHORTEST_SILENCE_US = 1_000_000;
const SILENT_PERIODS = 3;
/** Without a period nobody knows how slow the topic is meant to be. */
const SILENCE_WITHOUT_PERIOD_US = 5_000_000;

const PAUSED = '/clock stands, too: the player or simulator is paused, or has ended (docs/runbook.md#the-clock-stands-still)';

/** The texts diagnostic_updater's users search for. */
const KNOWN_TEXTS: Partial<Record<Cause, string>> = {
  stamp_zero: 'Zero timestamp seen.',
  stamp_future: 'Timestamps too far in future seen.',
};

export function judgeStream(facts: StreamFacts): Finding {
  if (facts.inputProblem !== undefined)
    return {
      kind: 'over',
      message: facts.inputProblem,
      hint: `compare with: ros2 topic info -v ${facts.topic} (docs/runbook.md#no-messages-come)`,
    };
  const paused = facts.clock?.standsForUs === undefined ? undefined : PAUSED;
  if (facts.silentUs === undefined) {
    const hint = paused ?? `nothing has come on ${facts.topic}: is its publisher running? (docs/runbook.md#no-messages-come)`;
    return { kind: 'waiting', message: 'No events recorded.', hint };
  }
  const { periodUs } = facts;
  const longestUs = periodUs === undefined ? SILENCE_WITHOUT_PERIOD_US : Math.max(SILENT_PERIODS * periodUs, SHORTEST_SILENCE_US);
  if (facts.received === 0 && facts.silentUs > longestUs) {
    const seconds = (facts.silentUs / 1e6).toFixed(1);
    const message = `No data since ${seconds} s.`;
    if (paused !== undefined) return { kind: 'waiting', message, hint: paused };
    const hint = `the publisher of ${facts.topic} has stopped, or the link is down (docs/runbook.md#no-messages-come)`;
    return { kind: 'over', message, hint };
  }
  const refused = mostFrequent(facts.causes, (cause) => cause === 'inactive' || cause === 'no_clock');
  if (refused !== undefined) return over(refused);
  if (facts.modelProblem !== undefined) {
    return { kind: 'severe', message: `no variant ready: ${facts.modelProblem}`, hint: CAUSES.no_variant_ready.remedy };
  }
  return judgeEnds(facts);
}

function judgeEnds(facts: StreamFacts): Finding {
  const invalid = mostFrequent(facts.causes, (cause) => CAUSES[cause].state === 'invalid');
  if (invalid !== undefined) return over(invalid, hintOfStamps(invalid.cause, facts));
  const lost = mostFrequent(facts.causes, isLoss);
  const fresh = facts.causes.get('delivered') ?? 0;
  if (lost !== undefined && lost.total > fresh) return over(lost, hintOfStamps(lost.cause, facts));
  if (facts.brokenBudget !== undefined) {
    const message = `miss budget broken: ${facts.brokenBudget} cycles of the consumer without a usable result`;
    return { kind: 'over', message, hint: 'see ~/outcomes for what became of the frames (docs/runbook.md#the-miss-budget-is-broken)' };
  }
  return { kind: 'fine', message: `${fresh} fresh results of ${facts.received} messages` };
}

/** Where a cause comes of the stamps themselves, they may tell more than its general remedy. */
function hintOfStamps(cause: Cause, { stamps, clock }: StreamFacts): string | undefined {
  return stamps !== undefined && (cause === 'stamp_future' || cause === 'stale_on_arrival') ? stampHint(stamps, clock) : undefined;
}

/** Supersession is how the governor works, and what was withdrawn was not wanted; the rest are losses. */
function isLoss(cause: Cause): boolean {
  const state = CAUSES[cause].state;
  return state !== 'delivered' && state !== 'superseded' && state !== 'cancelled';
}

interface Frequent {
  readonly cause: Cause;
  readonly count: number;
  readonly total: number;
}

function mostFrequent(causes: ReadonlyMap<Cause, number>, wanted: (cause: Cause) => boolean): Frequent | undefined {
  let best: Frequent | undefined;
  let total = 0;
  for (const [cause, count] of causes) {
    if (!wanted(cause) || count === 0) continue;
    total += count;
    if (best === undefined || count > best.count) best = { cause, count, total };
  }
  return best && { ...best, total };
}

function over({ cause, count }: Frequent, specific?: string): Finding {
  const known = KNOWN_TEXTS[cause];
  const { meaning, remedy } = CAUSES[cause];
  const hint = specific ?? remedy;
  return { kind: 'over', message: known === undefined ? `${count} ${cause}: ${meaning}` : `${known} (${count})`, hint };
}

const OVERLOAD_EFFECTS: readonly string[] = [
  '',
  'what would arrive stale is cleared from the queues',
  'the fastest variants are used',
  'best effort is refused',
  'only guarded streams are admitted',
];

/** @param startHint how a server of this type is started where the parameters expect it. */
export function judgeBackend(backend: BackendStatus, detail: string, startHint: string): Finding {
  if (!backend.reachable) return { kind: 'severe', message: `not reachable: ${detail}`, hint: startHint };
  if (!backend.ready) return { kind: 'severe', message: `not ready: ${detail}`, hint: CAUSES.no_variant_ready.remedy };
  const worst = HELD_STATES.find((state) => backend.leases[state] > 0);
  if (worst !== undefined) {
    const all = backend.held >= backend.slots;
    const share = all ? `all ${backend.slots} slots` : `${backend.held} of ${backend.slots} slots`;
    const message = `${share} held without proof: ${countsByState(backend.leases, HELD_STATES)}`;
    return { kind: all ? 'severe' : 'over', message, hint: HELD_HINTS[worst] };
  }
  if (!backend.trusted) {
    const hint = 'give the governor the model alone (docs/runbook.md#somebody-else-calls-the-model)';
    return { kind: 'waiting', message: 'a model is called by others too: counts prove less', hint };
  }
  if (backend.overloadLevel > 0) {
    const message = `overload level ${backend.overloadLevel}: ${OVERLOAD_EFFECTS[backend.overloadLevel]}`;
    return { kind: 'over', message, hint: CAUSES.admission.remedy };
  }
  return { kind: 'fine', message: `${backend.inFlight} in flight on ${backend.slots} slots` };
}
