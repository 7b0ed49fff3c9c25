/** From the ledger of a run to its report. */
import { type Execution, type Ledger, SimulationError } from './ledger.js';
import {
  ageOfInformation,
  consumerUncovered,
  type Delivery,
  longestGapNs,
  milliseconds,
  percentile,
  phaseFreeUncovered,
  windowUncovered,
} from './measures.js';
import { LOSSES, type Measures, type StreamReport } from './report.js';
import { isGuarded, type Scenario, type SimulatedStream } from './scenario.js';

export function measure(ledger: Ledger): Measures {
  const { scenario } = ledger;
  const frames = framesByStream(ledger);
  const computeNs = scenario.streams.map(() => 0);
  for (const execution of ledger.executions) {
    const stream = ledger.workload.stream[execution.frame] as number;
    computeNs[stream] = (computeNs[stream] ?? 0) + lengthNs(execution);
  }
  const reports = scenario.streams.map((stream, index) => measureStream(ledger, stream, frames[index] ?? [], computeNs[index] ?? 0));
  return {
    streams: Object.fromEntries(scenario.streams.map(({ name }, index) => [name, reports[index] as StreamReport])),
    worst_guarded: worstGuarded(scenario, reports),
    valid: reports.reduce((sum, { delivered }) => sum + delivered, 0),
    ...measureCompute(ledger),
  };
}

/** Results in order of time. */
export function deliveriesOf(ledger: Ledger, frames: readonly number[]): Delivery[] {
  return frames
    .filter((frame) => !Number.isNaN(ledger.resultNs[frame]))
    .map((frame) => ({ atNs: ledger.resultNs[frame] as number, captureNs: ledger.workload.captureNs[frame] as number }))
    .sort((a, b) => a.atNs - b.atNs);
}

export function framesByStream({ scenario, workload }: Ledger): number[][] {
  const frames: number[][] = scenario.streams.map(() => []);
  for (let frame = 0; frame < workload.frames; frame += 1) frames[workload.stream[frame] as number]?.push(frame);
  return frames;
}

/** @param computeNs that its executions took. */
function measureStream(ledger: Ledger, stream: SimulatedStream, frames: readonly number[], computeNs: number): StreamReport {
  const { runNs } = ledger.scenario;
  const { deadlineNs } = stream.contract;
  const terms = { runNs, ...stream.contract };
  const deliveries = deliveriesOf(ledger, frames);
  const ages = deliveries.map(({ atNs, captureNs }) => atNs - captureNs).sort((a, b) => a - b);
  const age = ageOfInformation(deliveries, runNs);
  const count = (state: string) => frames.filter((frame) => ledger.states[frame] === state).length;
  const ageAt = (percent: number) => {
    const ageNs = percentile(ages, percent);
    return ageNs === undefined ? null : milliseconds(ageNs);
  };
  return {
    received: frames.length,
    delivered: count('delivered'),
    delivered_by_variant: Object.fromEntries(
      stream.variants.map(({ name }, variant) => [
        name,
        frames.filter((frame) => ledger.states[frame] === 'delivered' && ledger.variant[frame] === variant).length,
      ]),
    ),
    obsolete: count('obsolete'),
    outcomes: Object.fromEntries(LOSSES.map((state) => [state, count(state)])) as StreamReport['outcomes'],
    window_uncovered_permille: windowUncovered(deliveries, terms),
    consumer_uncovered_permille: consumerUncovered(deliveries, terms),
    phase_free_uncovered_permille: phaseFreeUncovered(deliveries, terms),
    longest_gap_ms: milliseconds(longestGapNs(deliveries, terms)),
    age_mean_ms: milliseconds(age.meanNs),
    age_peak_ms: milliseconds(age.peakNs),
    response_age_ms: { p50: ageAt(50), p95: ageAt(95), p99: ageAt(99) },
    deadline_misses: ages.filter((ageNs) => ageNs > deadlineNs).length,
    compute_ms: milliseconds(computeNs),
  };
}

function worstGuarded({ streams }: Scenario, reports: readonly StreamReport[]): Measures['worst_guarded'] {
  const guarded = reports.filter((_, index) => isGuarded(streams[index] as SimulatedStream));
  if (guarded.length === 0) return null;
  return {
    window_uncovered_permille: Math.max(...guarded.map((report) => report.window_uncovered_permille)),
    consumer_uncovered_permille: Math.max(...guarded.map((report) => report.consumer_uncovered_permille)),
  };
}

function measureCompute(ledger: Ledger): Pick<Measures, 'stale_compute_permille' | 'slot_busy_permille'> {
  const { runNs, backend } = ledger.scenario;
  let totalNs = 0;
  let uselessNs = 0;
  let busyNs = 0;
  for (const execution of ledger.executions) {
    const ownNs = lengthNs(execution);
    totalNs += ownNs;
    if (ledger.states[execution.frame] !== 'delivered') uselessNs += ownNs;
    busyNs += Math.max(0, Math.min(execution.endNs, runNs) - execution.startNs);
  }
  return {
    stale_compute_permille: totalNs === 0 ? 0 : Math.round((1000 * uselessNs) / totalNs),
    slot_busy_permille: Math.round((1000 * busyNs) / (runNs * backend.slots)),
  };
}

function lengthNs({ frame, startNs, endNs }: Execution): number {
  if (Number.isNaN(endNs)) throw new SimulationError(`the execution of frame ${frame} has not ended`);
  return endNs - startNs;
}
