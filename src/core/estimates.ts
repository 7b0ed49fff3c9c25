/** How long a variant runs, from its profile and from what was seen (rules.md 4). */
import type { VariantConfiguration } from './configuration.js';
import type { LearnedOccupancy } from './learned.js';
import { type MarginRule, UNVERIFIED_POINTS, withMargin } from './margin.js';
import { NORMAL_P95, NORMAL_P99 } from './planner/normal.js';
import { RuntimeWindow } from './runtime-window.js';
import type { Micros } from './units.js';

/** Observations that refuse work are doubted when nothing has renewed them for so long: what they refuse can never prove them wrong. */
const DOUBTED_AFTER_US = 1_000_000;
/**
 * A promise rests on observations no longer than this without a new run: a plan that keeps a variant from being chosen could never prove
 * itself wrong. Long, because trying costs a guarded frame when the plan was right.
 */
const PLAN_RENEWED_WITHIN_US = 10_000_000;

/** Runtimes as the profile gives them, the conversion of the message included; 0 where there is no profile. */
interface ProfileTimes {
  readonly p50Us: number;
  readonly p99Us: number;
  readonly unverified: boolean;
}

/** The runtime of one variant, by how many other calls were running when it started. */
export class RuntimeEstimate {
  readonly #profile: ProfileTimes;
  readonly #rule: MarginRule;
  #windows: (RuntimeWindow | undefined)[] = [];
  #highestMeasured = -1;
  /** The longest run at any occupancy, the plan where there is neither profile nor enough observations. */
  #longestUs = 0;
  #newestUs = 0;
  #doubted = false;

  constructor({ profile, preprocessUs = 0 as Micros }: Pick<VariantConfiguration, 'profile' | 'preprocessUs'>, rule: MarginRule) {
    this.#profile =
      profile === undefined
        ? { p50Us: 0, p99Us: 0, unverified: false }
        : { p50Us: profile.p50Us + preprocessUs, p99Us: profile.p99Us + preprocessUs, unverified: profile.unverified === true };
    this.#rule = rule;
  }

  /** An execution that ended well. Failures and time-outs must not come here: they say nothing about the runtime. */
  observe(occupancy: number, runtimeUs: Micros, now: Micros): void {
    if (this.#refutes(occupancy, runtimeUs, now)) this.#forget();
    this.#doubted = false;
    const window = this.#windows[occupancy] ?? new RuntimeWindow(this.#rule.startPercent);
    this.#windows[occupancy] = window;
    if (window.measured) window.marginPercent = this.#rule.after(window.marginPercent, runtimeUs > this.plannedUs(occupancy, now));
    window.push(runtimeUs);
    this.#newestUs = now;
    this.#longestUs = Math.max(this.#longestUs, runtimeUs);
    if (window.measured && occupancy > this.#highestMeasured) this.#highestMeasured = occupancy;
  }

  /**
   * For discards: the larger of profile p50 and observed p50; 0 while nothing is known. An unmeasured occupancy takes the highest
   * measured one.
   */
  optimisticUs(occupancy: number): Micros {
    if (this.#highestMeasured < 0 || this.#doubted) return this.#profile.p50Us as Micros;
    return Math.max(this.#profile.p50Us, this.#windowFor(occupancy).medianUs) as Micros;
  }

  /**
   * For promises: the larger of profile p99 and observed p95, times the margin. Without a profile the longest run so far, until enough
   * were observed.
   */
  plannedUs(occupancy: number, now: Micros): Micros {
    const { p99Us, unverified } = this.#profile;
    if (this.#highestMeasured < 0 || (p99Us > 0 && this.#planExpired(now))) {
      if (p99Us === 0) return this.#longestUs as Micros;
      return withMargin(p99Us, this.#rule.startPercent + (unverified ? UNVERIFIED_POINTS : 0)) as Micros;
    }
    const window = this.#windowFor(occupancy);
    const observedUs = this.#planExpired(now) ? window.medianUs : window.p95Us;
    return withMargin(Math.max(p99Us, observedUs), window.marginPercent) as Micros;
  }

  /** The profile's median; 0 without a profile. */
  get p50Us(): number {
    return this.#profile.p50Us;
  }

  /** The median of what was observed, else of the profile; 0 while nothing is known. */
  typicalUs(occupancy: number): number {
    return this.#highestMeasured < 0 || this.#doubted ? this.#profile.p50Us : this.#windowFor(occupancy).medianUs;
  }

  /** Spread of the logarithm of runtimes, as the profile has it, else as observed. */
  sigma(occupancy: number): number {
    const { p50Us, p99Us } = this.#profile;
    if (p50Us > 0) return Math.log(p99Us / p50Us) / NORMAL_P99;
    if (this.#highestMeasured < 0) return 0;
    const { medianUs, p95Us } = this.#windowFor(occupancy);
    return medianUs > 0 ? Math.log(p95Us / medianUs) / NORMAL_P95 : 0;
  }

  /** Whether anything is known: a profile, or enough observations. */
  get measured(): boolean {
    return this.#profile.p50Us > 0 || this.#highestMeasured >= 0;
  }

  /**
   * Sets old observations aside until the next run, which confirms or refutes them: else a slow half second would shut a stream out for
   * ever. @returns whether the estimate changed.
   */
  doubt(now: Micros): boolean {
    if (this.#highestMeasured < 0 || this.#doubted || now - this.#newestUs < DOUBTED_AFTER_US) return false;
    this.#doubted = true;
    return true;
  }

  learned(): LearnedOccupancy[] {
    return this.#windows.flatMap((window, occupancy) =>
      window === undefined ? [] : [{ occupancy, marginPercent: window.marginPercent, runtimesUs: window.runtimesUs }],
    );
  }

  /** Takes back what an earlier run learned, as if it had been observed now. */
  restore(occupancies: readonly LearnedOccupancy[], now: Micros): void {
    this.#forget();
    for (const { occupancy, marginPercent, runtimesUs } of occupancies) {
      const window = new RuntimeWindow(this.#rule.bounded(marginPercent));
      for (const runtimeUs of runtimesUs) {
        window.push(runtimeUs);
        this.#longestUs = Math.max(this.#longestUs, runtimeUs);
      }
      this.#windows[occupancy] = window;
      if (window.measured && occupancy > this.#highestMeasured) this.#highestMeasured = occupancy;
    }
    this.#newestUs = now;
  }

  /** Whether a run shows that observations nobody trusted any more were too slow; one that is as slow confirms them. */
  #refutes(occupancy: number, runtimeUs: Micros, now: Micros): boolean {
    if (this.#highestMeasured < 0) return false;
    const { p50Us, p99Us } = this.#profile;
    const { medianUs, p95Us } = this.#windowFor(occupancy);
    if (this.#doubted) return runtimeUs < Math.max(p50Us, medianUs);
    return this.#planExpired(now) && p95Us > p99Us && runtimeUs <= p99Us;
  }

  #planExpired(now: Micros): boolean {
    return now - this.#newestUs >= PLAN_RENEWED_WITHIN_US;
  }

  /** Only while some occupancy is measured. */
  #windowFor(occupancy: number): RuntimeWindow {
    const own = this.#windows[occupancy];
    return own?.measured ? own : (this.#windows[this.#highestMeasured] as RuntimeWindow);
  }

  #forget(): void {
    this.#windows = [];
    this.#highestMeasured = -1;
    this.#longestUs = 0;
  }
}
