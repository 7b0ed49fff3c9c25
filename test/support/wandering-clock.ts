/** Clocks that go wrong in the ways of clocks, as functions of true time: for whatever reads one. */
import { Pcg32 } from '../../src/random/pcg32.js';

/** Times in true microseconds from the start. */
export type ClockFault =
  | { readonly kind: 'step'; readonly atUs: number; readonly byUs: number }
  | { readonly kind: 'freeze'; readonly fromUs: number; readonly untilUs: number }
  /** It stands, and goes on from where it stood. */
  | { readonly kind: 'pause'; readonly fromUs: number; readonly untilUs: number }
  | { readonly kind: 'rate'; readonly atUs: number; readonly rate: number };

export interface Wandering {
  readonly startUs: number;
  readonly rate?: number;
  readonly driftPpm?: number;
  readonly wobbleUs?: number;
  readonly wobblePeriodUs?: number;
  /** In order of time. */
  readonly faults?: readonly ClockFault[];
}

/** What the clock shows, in whole microseconds, at a true time from 0 on. A frozen clock goes on with the time that has passed. */
export function clockAt(clock: Wandering, trueUs: number): number {
  const { startUs, driftPpm = 0, wobbleUs = 0, wobblePeriodUs = 1_000_000, faults = [] } = clock;
  let { rate = 1 } = clock;
  let shownUs = startUs;
  let sinceUs = 0;
  let seenUs = trueUs;
  for (const fault of faults) if (fault.kind === 'freeze' && trueUs > fault.fromUs && trueUs < fault.untilUs) seenUs = fault.fromUs;
  const pass = (untilUs: number, factor: number): void => {
    const toUs = Math.min(untilUs, seenUs);
    if (toUs > sinceUs) shownUs += (toUs - sinceUs) * factor * (1 + driftPpm / 1e6);
    sinceUs = Math.max(sinceUs, toUs);
  };
  for (const fault of faults) {
    const fromUs = 'atUs' in fault ? fault.atUs : fault.fromUs;
    if (fromUs > seenUs) break;
    pass(fromUs, rate);
    if (fault.kind === 'step') shownUs += fault.byUs;
    if (fault.kind === 'pause') pass(fault.untilUs, 0);
    if (fault.kind === 'rate') rate = fault.rate;
  }
  pass(Number.POSITIVE_INFINITY, rate);
  return Math.floor(shownUs + wobbleUs * Math.sin((2 * Math.PI * seenUs) / wobblePeriodUs));
}

/** A clock with some of every fault within a time. The same seed, the same clock. */
export function wanderingClock(seed: number, lastsUs: number): Wandering {
  const random = new Pcg32(BigInt(seed), 7n);
  const among = <T>(...choices: readonly T[]): T => choices[random.below(choices.length)] as T;
  const faults: ClockFault[] = [];
  for (let atUs = random.below(1_000_000); atUs < lastsUs; atUs += 200_000 + random.below(2_000_000)) {
    const untilUs = atUs + random.below(150_000) * among(1, 20);
    const kind = among('step', 'freeze', 'pause', 'rate');
    if (kind === 'step') {
      const sizeUs = random.below(1_000_000) * among(1, 60, 3600);
      faults.push({ kind, atUs, byUs: among(-1, 1) * sizeUs });
    } else if (kind === 'rate') faults.push({ kind, atUs, rate: among(0.1, 0.5, 1, 2, 10) });
    else {
      faults.push({ kind, fromUs: atUs, untilUs });
      atUs = untilUs;
    }
  }
  return {
    startUs: among(1, 1_000_000, 1_700_000_000_000_000),
    rate: among(0.2, 1, 1, 3),
    driftPpm: among(-500, 0, 300),
    wobbleUs: among(0, 0, 3000),
    wobblePeriodUs: 100_000 + random.below(5_000_000),
    faults,
  };
}
