/** The state of /clock under use_sim_time, and what is wrong with it. Pure. */
import type { Finding } from './finding.js';

export interface ClockFacts {
  /** undefined before the first message. */
  readonly rosNowNs: bigint | undefined;
  /** The time of the day by the machine. */
  readonly machineNs: bigint;
  readonly publishers: number;
  /** undefined while it runs, or has not started. */
  readonly standsForUs: number | undefined;
  /** Its time to that of the machine, while it runs. */
  readonly pace: number;
  /** Since the start of the node. */
  readonly messages: number;
  readonly jumps: number;
}

export function isRunning({ rosNowNs, standsForUs }: ClockFacts): boolean {
  return rosNowNs !== undefined && standsForUs === undefined;
}

/** More jumps in one report than a loop makes. */
const TOO_MANY_JUMPS = 3;
const HINT = '(docs/runbook.md#the-clock-stands-still)';

/** @param jumps since the last report */
export function judgeClock(facts: ClockFacts, jumps: number): Finding {
  if (facts.rosNowNs === undefined) return { kind: 'over', message: 'waiting for /clock', hint: whyNoClock(facts) };
  if (jumps >= TOO_MANY_JUMPS) {
    const hint = `${facts.publishers} publishers of /clock: two at a time contradict each other, stop one (docs/runbook.md#the-clock-jumps)`;
    return { kind: 'over', message: `/clock jumped ${jumps} times since the last report`, hint };
  }
  if (facts.standsForUs !== undefined) {
    const message = `/clock has been standing for ${(facts.standsForUs / 1e6).toFixed(1)} s`;
    const ended = facts.publishers === 0 ? 'its publisher has ended' : 'the player or simulator is paused';
    return { kind: 'waiting', message, hint: `${ended}; ages and waiting stand with it, time-outs do not ${HINT}` };
  }
  return { kind: 'fine', message: `/clock runs at ${facts.pace.toFixed(2)} of real time` };
}

function whyNoClock({ publishers }: ClockFacts): string {
  const why = publishers === 0 ? 'use_sim_time is on and nobody publishes /clock' : '/clock has a publisher, but no message has come';
  return `${why}: start ros2 bag play --clock or the simulator, or turn use_sim_time off ${HINT}`;
}
