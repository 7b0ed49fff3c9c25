/** What a stream's stamps tell when they are off: which clock they may come from (field-notes 3). Pure. */
import type { ClockFacts } from './ros-clock.js';

/** Stamps since the last report. */
export interface StampFacts {
  /** Age at reception by ROS time; negative: in the future. */
  readonly minAgeUs: number;
  readonly maxAgeUs: number;
  /** Of the newest message. */
  readonly stampNs: bigint;
  readonly rosNowNs: bigint;
  /** As configured: what the ages above contain already. */
  readonly offsetUs: number;
}

const SECOND_US = 1e6;
const HOUR_US = 3600 * SECOND_US;
const SECOND_NS = 1_000_000_000n;
/** Ten years from the epoch of a clock: less is a time that counts from a start. */
const FROM_A_START_NS = 315_000_000n * SECOND_NS;
/** What travel and queues add to an offset. */
const NEAR_US = 2 * SECOND_US;
const ZONE_NEAR_US = 60 * SECOND_US;
const ZONE_STEP_US = HOUR_US / 2;
const FARTHEST_ZONE_US = 14 * HOUR_US;
const TAI_US = 37 * SECOND_US;
const GPS_US = 18 * SECOND_US;
/** An offset is constant when ages differ by less than this, and it is worth the name. */
const SPREAD_US = 250_000;
const SPREAD_SHARE = 0.2;
const SMALLEST_OFFSET_US = 50_000;
/** Messages of /clock come more often than that, and stamps that are of it are nearer to it. */
const BETWEEN_TICKS_US = SECOND_US;

/** The likely cause with its remedy, in one line; undefined when the stamps do not tell. */
export function stampHint(stamps: StampFacts, clock: ClockFacts | undefined): string | undefined {
  const hint = clock === undefined ? undefined : simulatedHint(stamps, clock);
  const text = hint ?? wallHint(stamps, clock !== undefined) ?? constantHint(stamps, clock !== undefined);
  return text === undefined ? undefined : `${text} (docs/runbook.md#stamps-of-another-clock)`;
}

/** use_sim_time is on here. */
function simulatedHint({ minAgeUs, maxAgeUs, stampNs }: StampFacts, clock: ClockFacts): string | undefined {
  const offMachineNs = stampNs - clock.machineNs;
  if (offMachineNs < 60n * SECOND_NS && offMachineNs > -60n * SECOND_NS && !isNear(clock.rosNowNs, clock.machineNs)) {
    return 'the stamps are of the time of the day, while this node follows /clock: set use_sim_time for their publisher, too';
  }
  if (clock.standsForUs !== undefined && maxAgeUs < 0) {
    return `/clock has been standing for ${seconds(clock.standsForUs)}, and the stamps go on: the player or simulator is paused, or has ended`;
  }
  if (minAgeUs <= -SMALLEST_OFFSET_US && minAgeUs > -BETWEEN_TICKS_US && maxAgeUs < BETWEEN_TICKS_US) {
    return `up to ${seconds(-minAgeUs)} ahead of /clock, whose messages come too seldom or too late: raise --clock HZ of the player (ros2 bag play), or future_tolerance_ms`;
  }
  return undefined;
}

function isNear(oneNs: bigint | undefined, otherNs: bigint): boolean {
  if (oneNs === undefined) return false;
  const apartNs = oneNs - otherNs;
  return apartNs < 3600n * SECOND_NS && apartNs > -3600n * SECOND_NS;
}

/** Offsets of a known size. */
function wallHint({ minAgeUs, stampNs, rosNowNs }: StampFacts, simulated: boolean): string | undefined {
  if (stampNs < FROM_A_START_NS && rosNowNs > FROM_A_START_NS) {
    const since = `the stamps count from a start (${stampNs / SECOND_NS} s): time since boot, or simulated time`;
    return `${since}. Have the driver stamp with ROS time, or set use_sim_time here when a simulator or a bag of one plays`;
  }
  const offUs = Math.abs(minAgeUs);
  const inFuture = minAgeUs < 0;
  for (const [sizeUs, scale] of [[TAI_US, 'TAI'] as const, [GPS_US, 'GPS time'] as const]) {
    if (Math.abs(offUs - sizeUs) > NEAR_US) continue;
    const where = inFuture ? 'the stamps are' : 'the clock of this machine is';
    return `${seconds(offUs)} ${inFuture ? 'in the future' : 'old'}: ${where} probably ${scale}, which is ${sizeUs / SECOND_US} s ahead of UTC. Set the clocks, or stamp_offset_ms`;
  }
  const zones = Math.round(offUs / ZONE_STEP_US);
  if (zones > 0 && offUs < FARTHEST_ZONE_US + ZONE_NEAR_US && Math.abs(offUs - zones * ZONE_STEP_US) < ZONE_NEAR_US) {
    return `${zones / 2} h ${inFuture ? 'in the future' : 'old'}: local time was taken for UTC somewhere. Correct that clock, or set stamp_offset_ms`;
  }
  if (minAgeUs < HOUR_US) return undefined;
  if (simulated) return `${age(minAgeUs)} old by /clock: the stamps are of another bag or run than /clock is`;
  return `${age(minAgeUs)} old: a bag that is played without simulated time, or a clock that was never set. Play it with --clock and set use_sim_time here`;
}

function constantHint({ minAgeUs, maxAgeUs, offsetUs }: StampFacts, simulated: boolean): string | undefined {
  const offUs = Math.min(Math.abs(minAgeUs), Math.abs(maxAgeUs));
  if (offUs < SMALLEST_OFFSET_US || maxAgeUs - minAgeUs > Math.min(SPREAD_US, SPREAD_SHARE * offUs)) return undefined;
  const offsetMs = Math.round((offsetUs + minAgeUs) / 1000);
  const size = seconds(Math.abs(minAgeUs));
  const what = minAgeUs < 0 ? `${size} in the future` : `${size} old on arrival`;
  const offset = `set stamp_offset_ms: ${offsetMs} (less what the transport takes)`;
  if (simulated) return `constantly ${what} by /clock: the stamps are probably of another clock than /clock is; ${offset}`;
  return `constantly ${what}: the stamps are probably of the clock of another machine; synchronise the clocks (chrony, PTP), or ${offset}`;
}

function seconds(us: number): string {
  return `${(us / SECOND_US).toFixed(us < 10 * SECOND_US ? 2 : 1)} s`;
}

function age(us: number): string {
  const days = us / (24 * HOUR_US);
  return days < 2 ? `${Math.round(us / HOUR_US)} h` : `${Math.round(days)} days`;
}
