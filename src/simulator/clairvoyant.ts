/**
 * The most contract periods that any policy could cover, knowing every runtime beforehand. With one slot and one stream this is exact, by
 * dynamic programming. Of several streams each is planned as if it had the server for itself, and with several slots as if there were
 * always one free: then it is a bound that no policy can beat, and perhaps none can reach.
 */
import { Ledger } from './ledger.js';
import { framesByStream } from './measure.js';
import type { Scenario } from './scenario.js';
import type { Workload } from './workload.js';

/** What the plan knows of a frame. Instants of delivery; the way to the server and back is part of the runtime. */
interface Chance {
  readonly frame: number;
  readonly variant: number;
  readonly releaseNs: number;
  readonly runtimeNs: number;
  /** The last instant at which its result is fresh. */
  readonly expiryNs: number;
}

interface Choice {
  readonly chance: Chance;
  readonly atNs: number;
}

export function clairvoyant(scenario: Scenario, workload: Workload): Ledger {
  const ledger = new Ledger(scenario, workload);
  const byStream = framesByStream(ledger);
  scenario.streams.forEach(({ variants, contract }, stream) => {
    const frames = byStream[stream] ?? [];
    const chances = frames
      .map((frame) => chanceOf(scenario, workload, frame, variants.length, contract.maxAgeNs))
      .sort((a, b) => a.releaseNs - b.releaseNs);
    const { periodNs } = contract;
    const windows = Math.floor(scenario.runNs / periodNs);
    const choices =
      scenario.backend.slots === 1
        ? coverAlone(chances, periodNs, windows, scenario.backend.roundTripNs, scenario.backend.dispatchGapNs)
        : coverUnhindered(chances, periodNs, windows);
    enter(ledger, frames, choices);
  });
  return ledger;
}

/** On its fastest variant. */
function chanceOf({ backend }: Scenario, workload: Workload, frame: number, variants: number, maxAgeNs: number): Chance {
  let variant = 0;
  for (let other = 1; other < variants; other += 1) {
    if (workload.runtimeNs(frame, other) < workload.runtimeNs(frame, variant)) variant = other;
  }
  return {
    frame,
    variant,
    releaseNs: workload.arrivalNs[frame] as number,
    runtimeNs: workload.runtimeNs(frame, variant) + backend.roundTripNs,
    expiryNs: (workload.captureNs[frame] as number) + maxAgeNs,
  };
}

function enter(ledger: Ledger, frames: readonly number[], choices: readonly Choice[]): void {
  const { roundTripNs } = ledger.scenario.backend;
  const backNs = roundTripNs - Math.floor(roundTripNs / 2);
  const chosen = new Map(choices.map((choice) => [choice.chance.frame, choice]));
  for (const frame of frames) {
    const choice = chosen.get(frame);
    if (choice === undefined) {
      ledger.end(frame, 'superseded');
      continue;
    }
    const endNs = choice.atNs - backNs;
    ledger.started(frame, choice.chance.variant, 0, endNs - ledger.workload.runtimeNs(frame, choice.chance.variant));
    ledger.executed(frame, endNs);
    ledger.result(frame, choice.atNs);
  }
}

/** Every frame has a slot of its own: windows are matched to the frames that can cover them, soonest expiry first. */
function coverUnhindered(chances: readonly Chance[], periodNs: number, windows: number): Choice[] {
  const choices: Choice[] = [];
  const used = new Set<Chance>();
  let first = 0;
  for (let window = 0; window < windows; window += 1) {
    const fromNs = window * periodNs;
    const toNs = fromNs + periodNs;
    while (first < chances.length && (chances[first] as Chance).expiryNs < fromNs) first += 1;
    let best: Chance | undefined;
    for (let i = first; i < chances.length && (chances[i] as Chance).releaseNs < toNs; i += 1) {
      const chance = chances[i] as Chance;
      const atNs = Math.max(chance.releaseNs + chance.runtimeNs, fromNs);
      if (used.has(chance) || atNs >= toNs || atNs > chance.expiryNs) continue;
      if (best === undefined || chance.expiryNs < best.expiryNs) best = chance;
    }
    if (best === undefined) continue;
    used.add(best);
    choices.push({ chance: best, atNs: Math.max(best.releaseNs + best.runtimeNs, fromNs) });
  }
  return choices;
}

/** A schedule that covers as many windows as its length. */
interface Plan {
  /** When the next call can be sent. */
  readonly freeNs: number;
  readonly window: number;
  readonly choice: Choice | undefined;
  readonly before: Plan | undefined;
  /** Chances it has used and that another plan could still use from `freeNs` on. */
  readonly used: readonly Chance[];
  /** Chances before this one have expired. */
  readonly first: number;
}

/**
 * Layer n holds the plans that cover n windows. Of two plans the one that is free earlier is better, unless it has used a frame that the
 * other still has. A delivery in a window that is covered already is put off to the start of the next: it could not help otherwise.
 */
function coverAlone(chances: readonly Chance[], periodNs: number, windows: number, roundTripNs: number, gapNs: number): Choice[] {
  const shortestNs = chances.reduce((shortest, { runtimeNs }) => Math.min(shortest, runtimeNs), Number.POSITIVE_INFINITY);
  let layer: readonly Plan[] = [{ freeNs: 0, window: -1, choice: undefined, before: undefined, used: [], first: 0 }];
  for (;;) {
    const extended = layer.flatMap((plan) => extensions(plan, { chances, periodNs, windows, idleNs: gapNs - roundTripNs, shortestNs }));
    if (extended.length === 0) return unroll(layer[0]);
    layer = undominated(extended);
  }
}

interface Terms {
  readonly chances: readonly Chance[];
  readonly periodNs: number;
  readonly windows: number;
  /** From a delivery to the instant at which the next call may be sent, at the earliest: negative where it may be on its way before. */
  readonly idleNs: number;
  readonly shortestNs: number;
}

function extensions(plan: Plan, { chances, periodNs, windows, idleNs, shortestNs }: Terms): Plan[] {
  let { first } = plan;
  while (first < chances.length && (chances[first] as Chance).expiryNs < plan.freeNs + shortestNs) first += 1;
  const found: Plan[] = [];
  let cutoffNs = Number.POSITIVE_INFINITY;
  // A frame that comes after another has been served and has expired is better served after that one.
  for (let i = first; i < chances.length && (chances[i] as Chance).releaseNs <= cutoffNs; i += 1) {
    const chance = chances[i] as Chance;
    const soonestNs = Math.max(plan.freeNs, chance.releaseNs) + chance.runtimeNs;
    const atNs = Math.max(soonestNs, (plan.window + 1) * periodNs);
    const window = Math.floor(atNs / periodNs);
    if (atNs > chance.expiryNs || window >= windows || plan.used.includes(chance)) continue;
    if (found.some(({ choice }) => choice !== undefined && isAsGood(choice.chance, chance))) continue;
    const freeNs = atNs + idleNs;
    cutoffNs = Math.min(cutoffNs, Math.max(freeNs, chance.expiryNs));
    found.push({ freeNs, window, choice: { chance, atNs }, before: plan, used: stillUseful([...plan.used, chance], freeNs), first });
  }
  return found;
}

/** Of two frames that take as long, the one that came first and expires first goes first: the other can take its place later. */
function isAsGood(first: Chance, second: Chance): boolean {
  return first.runtimeNs === second.runtimeNs && first.releaseNs <= second.releaseNs && first.expiryNs <= second.expiryNs;
}

function stillUseful(used: readonly Chance[], fromNs: number): readonly Chance[] {
  return used.filter((chance) => isUseful(chance, fromNs));
}

function isUseful({ runtimeNs, expiryNs }: Chance, fromNs: number): boolean {
  return fromNs + runtimeNs <= expiryNs;
}

function undominated(plans: readonly Plan[]): Plan[] {
  const kept: Plan[] = [];
  for (const plan of [...plans].sort((a, b) => a.freeNs - b.freeNs)) {
    const beaten = kept.some(({ used }) => used.every((chance) => plan.used.includes(chance) || !isUseful(chance, plan.freeNs)));
    if (!beaten) kept.push(plan);
  }
  return kept;
}

function unroll(last: Plan | undefined): Choice[] {
  const choices: Choice[] = [];
  for (let plan = last; plan !== undefined; plan = plan.before) if (plan.choice !== undefined) choices.push(plan.choice);
  return choices;
}
