/**
 * The most that any schedule of a few frames on one slot can be worth, when every arrival and every runtime is known beforehand, and
 * waiting is allowed: exact, by dynamic programming over which frames were run and which cycles they cover. An instrument: nothing that
 * decides in a robot can know what it knows.
 */
import type { StreamClass } from '../../src/core/configuration.js';
import type { Ledger } from '../../src/simulator/ledger.js';
import type { Scenario } from '../../src/simulator/scenario.js';
import type { Workload } from '../../src/simulator/workload.js';

/** window: contract periods with a fresh result in them · consumer: ends of cycles at which the newest result is fresh. */
export const VIEWS = ['window', 'consumer'] as const;
export type View = (typeof VIEWS)[number];

/** What a covered cycle of a stream counts. */
const WEIGHTS: Readonly<Record<StreamClass, number>> = { protected: 2, high: 1, normal: 0.5, best_effort: 0.1 };

/** States grow with two to the power of this. */
const MAX_FRAMES = 10;
/** Bits of a set of cycles. */
const MAX_CYCLES = 30;

/** Cycles of one stream as bits of all that count. */
interface Cycles {
  readonly weight: number;
  readonly firstBit: number;
  readonly count: number;
  readonly periodNs: number;
  /** End of the first. */
  readonly firstEndNs: number;
  readonly maxAgeNs: number;
}

/** @throws {RangeError} for more frames, cycles or slots than it can do. */
export function optimum(scenario: Scenario, workload: Workload, view: View): number {
  const { slots, roundTripNs, dispatchGapNs } = scenario.backend;
  if (slots !== 1 || roundTripNs > 0 || dispatchGapNs > 0) throw new RangeError('the reference is for one slot and no time on the way');
  if (workload.frames > MAX_FRAMES) throw new RangeError(`${workload.frames} frames; the reference is for at most ${MAX_FRAMES}`);
  const cycles = cyclesOf(scenario, view);
  /** By set of frames that were run, then by set of cycles covered: when the slot is free at the earliest. */
  const states = Array.from({ length: 2 ** workload.frames }, () => new Map<number, number>());
  states[0]?.set(0, 0);
  let best = 0;
  states.forEach((reached, ran) => {
    for (const [covered, freeNs] of reached) {
      best = Math.max(best, worthOf(covered, cycles));
      for (let frame = 0; frame < workload.frames; frame += 1) {
        if ((ran & (1 << frame)) !== 0) continue;
        const next = states[ran | (1 << frame)] as Map<number, number>;
        for (const atNs of deliveries(scenario, workload, frame, freeNs, view)) {
          const stream = workload.stream[frame] as number;
          const now = covered | coveredBy(cycles[stream] as Cycles, workload.captureNs[frame] as number, atNs, scenario.runNs, view);
          // One that covers nothing new only takes time.
          if (now !== covered && atNs < (next.get(now) ?? Number.POSITIVE_INFINITY)) next.set(now, atNs);
        }
      }
    }
  });
  return best;
}

/** What a run was worth. */
export function worth({ scenario, workload, resultNs }: Ledger, view: View): number {
  const cycles = cyclesOf(scenario, view);
  let covered = 0;
  for (let frame = 0; frame < workload.frames; frame += 1) {
    const atNs = resultNs[frame] as number;
    if (Number.isNaN(atNs)) continue;
    const own = cycles[workload.stream[frame] as number] as Cycles;
    covered |= coveredBy(own, workload.captureNs[frame] as number, atNs, scenario.runNs, view);
  }
  return worthOf(covered, cycles);
}

function cyclesOf({ streams, runNs }: Scenario, view: View): Cycles[] {
  let firstBit = 0;
  return streams.map(({ class: streamClass, contract }) => {
    const { maxAgeNs, consumerPeriodNs, consumerPhaseNs } = contract;
    const periodNs = view === 'window' ? contract.periodNs : consumerPeriodNs;
    const phaseNs = view === 'window' ? 0 : consumerPhaseNs;
    const count = Math.max(0, Math.floor((runNs - phaseNs) / periodNs));
    const cycles = { weight: WEIGHTS[streamClass], firstBit, count, periodNs, firstEndNs: periodNs + phaseNs, maxAgeNs };
    firstBit += count;
    if (firstBit > MAX_CYCLES) throw new RangeError(`more than ${MAX_CYCLES} cycles; the reference is for shorter runs`);
    return cycles;
  });
}

/**
 * Instants of delivery worth trying, on any variant: as soon as can be, and, where only the period it falls in counts, at the start of any
 * later one: whatever lies between can be moved forward without losing anything.
 */
function deliveries(scenario: Scenario, workload: Workload, frame: number, freeNs: number, view: View): number[] {
  const { variants, contract } = scenario.streams[workload.stream[frame] as number] as Scenario['streams'][number];
  const startNs = Math.max(freeNs, workload.arrivalNs[frame] as number);
  const lastNs = (workload.captureNs[frame] as number) + contract.maxAgeNs;
  const soonest = variants.map((_, variant) => startNs + workload.runtimeNs(frame, variant));
  const firstNs = Math.min(...soonest);
  if (view === 'consumer') return [firstNs];
  const instants = [firstNs];
  for (let atNs = Math.ceil(firstNs / contract.periodNs) * contract.periodNs; atNs <= lastNs; atNs += contract.periodNs)
    instants.push(atNs);
  return instants;
}

function coveredBy(
  { firstBit, count, periodNs, firstEndNs, maxAgeNs }: Cycles,
  captureNs: number,
  atNs: number,
  runNs: number,
  view: View,
): number {
  const untilNs = captureNs + maxAgeNs;
  if (atNs > untilNs) return 0;
  if (view === 'window') {
    const window = Math.floor(atNs / periodNs);
    return atNs <= runNs && window < count ? 1 << (firstBit + window) : 0;
  }
  let covered = 0;
  for (let cycle = 0; cycle < count; cycle += 1) {
    const endNs = firstEndNs + cycle * periodNs;
    if (endNs >= atNs && endNs <= untilNs) covered |= 1 << (firstBit + cycle);
  }
  return covered;
}

function worthOf(covered: number, cycles: readonly Cycles[]): number {
  let sum = 0;
  for (const { weight, firstBit, count } of cycles) {
    for (let bit = firstBit; bit < firstBit + count; bit += 1) if ((covered & (1 << bit)) !== 0) sum += weight;
  }
  return sum;
}
