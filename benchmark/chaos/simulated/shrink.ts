import type { PlannedFault, Schedule } from './plan.js';
import { type MakeCore, runSchedule } from './world.js';

/** A schedule that failed, without the faults that it fails without. */
export function shrink(schedule: Schedule, makeCore: MakeCore): Schedule {
  for (const fault of schedule.faults) {
    const fewer = { ...schedule, faults: schedule.faults.filter((other) => other !== fault) };
    if (runSchedule(fewer, makeCore).failure !== undefined) return shrink(fewer, makeCore);
  }
  return schedule;
}

export function describeFault({ atMs, fault }: PlannedFault): string {
  const { kind, ...details } = fault;
  const named = Object.entries(details).map(([name, value]) => `${name} ${value}`);
  return `${String(atMs).padStart(6)} ms  ${[kind, ...named].join(', ')}`;
}
