/** Many simulated schedules, one after the other. */
import { type KnownEnd, NO_LEASES } from '../../../src/core/snapshot.js';
import { drawSchedule, type Schedule, SITES, type Site } from './plan.js';
import { describeFault, shrink } from './shrink.js';
import { type MakeCore, type Ran, runSchedule, soundCore } from './world.js';

export interface SiteFigures {
  schedules: number;
  /** Those at whose end credits are held. */
  withHeld: number;
  /** The credits, by what is known of them. */
  held: Record<KnownEnd, number>;
  frames: number;
  delivered: number;
  restarts: number;
  reconciled: number;
  loadedAnew: number;
  /** From the server being well to the first fresh result; the longest. */
  recoveryMs: number;
}

export interface Failure {
  readonly seed: number;
  readonly site: Site;
  readonly failure: string;
  /** The faults that it needs, and what happened last. */
  readonly faults: readonly string[];
  readonly events: readonly string[];
}

export interface Explored {
  readonly sites: Readonly<Record<Site, SiteFigures>>;
  readonly seconds: number;
  readonly failed: number;
  /** The first one. */
  readonly failure: Failure | undefined;
}

const EVENTS_SHOWN = 40;

export interface Exploration {
  /** Of the first schedule; the others follow one by one. */
  readonly seed: number;
  readonly schedules: number;
  readonly makeCore?: MakeCore;
  readonly done?: (schedules: number) => void;
}

export function explore({ seed, schedules, makeCore = soundCore, done = () => {} }: Exploration): Explored {
  const startMs = performance.now();
  const sites = Object.fromEntries(SITES.map((site) => [site, noFigures()])) as Record<Site, SiteFigures>;
  let failed = 0;
  let failure: Failure | undefined;
  for (let index = 0; index < schedules; index += 1) {
    const schedule = drawSchedule(seed + index);
    const ran = runSchedule(schedule, makeCore);
    add(sites[schedule.site], ran);
    if (ran.failure !== undefined) {
      failed += 1;
      failure ??= explain(schedule, makeCore);
    }
    done(index + 1);
  }
  return { sites, seconds: (performance.now() - startMs) / 1000, failed, failure };
}

function noFigures(): SiteFigures {
  const none = { frames: 0, delivered: 0, restarts: 0, reconciled: 0, loadedAnew: 0, recoveryMs: 0 };
  return { schedules: 0, withHeld: 0, held: { ...NO_LEASES }, ...none };
}

function add(figures: SiteFigures, ran: Ran): void {
  figures.schedules += 1;
  for (const of of ['frames', 'delivered', 'restarts', 'reconciled', 'loadedAnew'] as const) figures[of] += ran[of];
  figures.recoveryMs = Math.max(figures.recoveryMs, ran.recoveryMs ?? 0);
  const states = Object.entries(ran.held) as [KnownEnd, number][];
  for (const [state, count] of states) figures.held[state] += count;
  if (states.some(([, count]) => count > 0)) figures.withHeld += 1;
}

function explain(failed: Schedule, makeCore: MakeCore): Failure {
  const schedule = shrink(failed, makeCore);
  const events: string[] = [];
  const { failure = '' } = runSchedule(schedule, makeCore, (line) => {
    if (events.push(line) > EVENTS_SHOWN) events.shift();
  });
  return { seed: schedule.seed, site: schedule.site, failure, faults: schedule.faults.map(describeFault), events };
}
