/** What is run: every scenario that is about coverage, with the policies that answer its question. */
import { policyFaults } from '../../src/simulator/policies.js';

export interface Study {
  /** File in benchmark/scenarios, without its ending. */
  readonly scenario: string;
  readonly policies: readonly string[];
  readonly seeds: readonly number[];
  /** Instead of those of the file. */
  readonly loads?: readonly number[];
}

export const ORDERED = 'governor-ordered';
export const PLANNED = 'governor-planned';
const CLAIRVOYANT = 'clairvoyant';
export const FIFO_DEPTHS = ['fifo-1', 'fifo-4', 'fifo-16'];
export const CONTROL_ARMS = ['latest', 'latest_priority', 'latest_edf', 'triton_policy'];
/** What a governor decides by; each of the others lacks one of its means. */
export const GOVERNORS = [ORDERED, PLANNED].filter(isKnown);
const ABLATIONS = ['governor-no-lookahead', 'governor-no-freshness', 'governor-no-variants', 'governor-no-supersession'];
/** The one that a user gets who configures nothing. */
export const OURS = GOVERNORS.includes(PLANNED) ? PLANNED : ORDERED;

const ALL = [...FIFO_DEPTHS, ...CONTROL_ARMS, ...GOVERNORS, ...ABLATIONS, CLAIRVOYANT];
const GOVERNED = ['fifo-1', ...GOVERNORS, ...ABLATIONS];
const ESSENTIAL = ['fifo-1', ...GOVERNORS];

/** Settings were chosen on these. Odd numbers of the others, so that a median is a value that was measured. */
export const TUNING_SEEDS = '0x5EED0001 … 0x5EED0005';
const MANY_SEEDS = seedsFrom(2001, 21);
const SEEDS = seedsFrom(2001, 7);

export const QUANTA = ['cooperative-quanta', 'cooperative-quanta-arrival'];
const SUPPLY_RUNTIMES_MS = [15, 20, 25, 30];
/** Without and with the clock of the detector's consumer declared. */
export const SUPPLY = ['', '-clock'].flatMap((clock) => SUPPLY_RUNTIMES_MS.map((ms) => `supply-${ms}${clock}`));
export const FRONTIER_PERIODS_MS = [25, 17, 14, 13, 12, 10];
export const PROFILE_ERRORS = ['0.7', '1.1', '2.0'];
export const FLOORS_S = [4, 2, 1];
export const ROUND_TRIPS = [
  { ms: 1, depth: 0 },
  { ms: 1, depth: 1 },
  { ms: 2, depth: 0 },
  { ms: 2, depth: 1 },
];
/** Loads at which a round trip is shown. */
export const ROUND_TRIP_LOADS = { 'a-freshness': 1250, 'b-protected': 1250, ramp: 1000 } as const;
/** Loads at which wrong profiles are shown. */
export const PROFILE_ERROR_LOADS = [1000, 1100];
export const FLOOR_LOADS = [1000, 1500];

export const STUDIES: readonly Study[] = [
  { scenario: 'a-freshness', policies: ALL, seeds: MANY_SEEDS },
  { scenario: 'a-freshness-clock', policies: GOVERNED, seeds: MANY_SEEDS },
  { scenario: 'b-protected', policies: ALL, seeds: MANY_SEEDS },
  { scenario: 'b-protected-clock', policies: GOVERNED, seeds: MANY_SEEDS },
  { scenario: 'ramp', policies: ALL, seeds: SEEDS },
  { scenario: 'ramp-clock', policies: [...FIFO_DEPTHS, ...GOVERNORS], seeds: SEEDS },
  ...PROFILE_ERRORS.map(
    (error): Study => ({ scenario: `ramp-profile-${error}`, policies: ESSENTIAL, seeds: SEEDS, loads: PROFILE_ERROR_LOADS }),
  ),
  ...Object.entries(ROUND_TRIP_LOADS).flatMap(([scenario, load]) =>
    ROUND_TRIPS.map(
      ({ ms, depth }): Study => ({
        scenario: `${scenario}-round-trip-${ms}-depth-${depth}`,
        policies: ESSENTIAL,
        seeds: SEEDS,
        loads: [load],
      }),
    ),
  ),
  ...SUPPLY.map((scenario): Study => ({ scenario, policies: ALL, seeds: SEEDS })),
  ...FRONTIER_PERIODS_MS.map((ms): Study => ({ scenario: `frontier-${ms}`, policies: ALL, seeds: SEEDS })),
  { scenario: 'four-cameras', policies: ALL, seeds: SEEDS },
  ...FLOORS_S.map(
    (seconds): Study => ({ scenario: `b-protected-floor-${seconds}`, policies: ESSENTIAL, seeds: SEEDS, loads: FLOOR_LOADS }),
  ),
  // Nothing in them is random.
  ...QUANTA.map(
    (scenario): Study => ({ scenario, policies: [...FIFO_DEPTHS, ...CONTROL_ARMS, ...GOVERNORS, 'governor-no-quanta'], seeds: [1] }),
  ),
  { scenario: 'wire', policies: ALL, seeds: SEEDS },
];

function isKnown(policy: string): boolean {
  return policyFaults([policy]).length === 0;
}

function seedsFrom(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => first + index);
}
