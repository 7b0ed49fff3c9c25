/** How far a backend has to cut back, on the evidence of what its guarded streams got (rules.md 10). */
import type { LevelChange } from './actions.js';
import type { Cause, State } from './catalogue.js';
import type { OverloadConfiguration } from './configuration.js';
import { CoreError } from './core-error.js';
import { SlidingSum } from './sliding-sum.js';
import { later, type Micros, micros, NEVER, plus } from './units.js';

/** From this level on: */
export const OVERLOAD = {
  /** the freshness test sweeps the whole queue at dispatch, */
  sweep: 1,
  /** the fastest variant that fits is taken, */
  degraded: 2,
  /** best effort is refused, */
  rejectBestEffort: 3,
  /** only guarded streams are admitted. */
  protectedOnly: 4,
} as const;

const WINDOW_US = micros(1_000_000);
const BUCKETS = 16;

/** Ends that say nothing about being served in time: replaced by something newer, or withdrawn. */
const NO_SAMPLE: ReadonlySet<State> = new Set(['superseded', 'cancelled', 'invalid']);

/** The level of one backend. Absent configuration: it stays at 0. */
export class OverloadController {
  readonly #configuration: OverloadConfiguration | undefined;
  readonly #samples = new SlidingSum(WINDOW_US, BUCKETS);
  readonly #violations = new SlidingSum(WINDOW_US, BUCKETS);
  #level = 0;
  /** No step before this instant. */
  #dwellsUntilUs = Number.NEGATIVE_INFINITY as Micros;

  /** @throws {CoreError} out_of_range or contradiction. */
  constructor(configuration: OverloadConfiguration | undefined) {
    if (configuration !== undefined) refuseWrongThresholds(configuration);
    this.#configuration = configuration;
  }

  /** 0 normal … 4 protected only. */
  get level(): number {
    return this.#level;
  }

  /** The end of a guarded request. */
  sample(state: State, deadlineMissed: boolean, now: Micros): void {
    if (this.#configuration === undefined || NO_SAMPLE.has(state)) return;
    this.#samples.add(1, now);
    if (deadlineMissed || state !== 'delivered') this.#violations.add(1, now);
  }

  /** Goes at most one level up or down. */
  step(backend: string, now: Micros): LevelChange | undefined {
    if (this.#configuration === undefined || now < this.#dwellsUntilUs) return undefined;
    const direction = this.#direction(this.#configuration, now);
    if (direction === 0) return undefined;
    const previous = this.#level;
    this.#level += direction;
    this.#dwellsUntilUs = plus(now, this.#configuration.dwellUs);
    const why = { violations: this.#violations.total(now), samples: this.#samples.total(now) };
    return { type: 'level', backend, level: this.#level, previous, why };
  }

  /** When time alone may change the level; NEVER when only an event can. */
  nextStepUs(now: Micros): Micros {
    if (this.#configuration === undefined) return NEVER;
    if (this.#level === 0 && this.#violations.total(now) < this.#configuration.minViolations) return NEVER;
    if (this.#direction(this.#configuration, now) !== 0) return later(this.#dwellsUntilUs, plus(now, micros(1)));
    return this.#samples.nextExpiryUs(now);
  }

  #direction({ enterPermille, leavePermille, minViolations }: OverloadConfiguration, now: Micros): -1 | 0 | 1 {
    const violations = this.#violations.total(now);
    const permille = violations === 0 ? 0 : (1000 * violations) / this.#samples.total(now);
    const enter = enterPermille[this.#level];
    if (enter !== undefined && permille >= enter && violations >= minViolations) return 1;
    const leave = leavePermille[this.#level - 1];
    return leave !== undefined && permille <= leave ? -1 : 0;
  }
}

/** Why a stream of this class is not admitted at this level. */
export function overloadRefusal(level: number, isGuarded: boolean, isBestEffort: boolean): Cause | undefined {
  if (isGuarded || level < OVERLOAD.rejectBestEffort) return undefined;
  if (level >= OVERLOAD.protectedOnly) return 'protected_only';
  return isBestEffort ? 'admission' : undefined;
}

function refuseWrongThresholds({ enterPermille: enter, leavePermille: leave, minViolations, dwellUs }: OverloadConfiguration): void {
  const levels = OVERLOAD.protectedOnly;
  if (enter.length !== levels || leave.length !== levels) {
    throw new CoreError(
      'out_of_range',
      `overload has ${enter.length} enter and ${leave.length} leave thresholds; there are ${levels} levels`,
    );
  }
  for (let i = 0; i < levels; i += 1) {
    const [own = 0, out = 0, below = -1] = [enter[i], leave[i], enter[i - 1]];
    if (own <= below)
      throw new CoreError(
        'contradiction',
        `overload: level ${i + 1} is entered at ${own} per mille, the one before at ${below}; each must be higher`,
      );
    if (out >= own)
      throw new CoreError(
        'contradiction',
        `overload: level ${i + 1} is left at ${out} and entered at ${own} per mille; leave must be below enter`,
      );
  }
  if (minViolations < 1 || dwellUs < 0) throw new CoreError('out_of_range', 'overload: min_violations is at least 1, dwell at least 0');
}
