/** How fast a clock that comes in messages runs, by those that lie in one unbroken stretch of it. Pure. */

/** Messages nearer to each other than this are one: of a thousand a second, so many would span no time. */
const SPACING_US = 16_000;
const SPAN_US = 1_000_000;
/** What a pace is told by; of a slow clock they are kept however long they span. */
const FEWEST = 3;
/** A message this much off its course tells of a pause or a leap, not of another pace: what messages are late by is less. */
const OFF_COURSE_US = 100_000;
const SLOWEST = 1e-3;
const FASTEST = 1e3;
/** Of a new step in the mean of steps. */
const WEIGHT = 1 / 8;

interface Sample {
  readonly clockUs: number;
  readonly steadyUs: number;
}

export class PaceEstimate {
  #samples: Sample[] = [];
  #last: Sample | undefined;
  #pace: number | undefined;
  #lastStepUs = 0;
  #meanStepUs = 0;

  /** Time of the clock that goes with one of the machine; undefined before it is known. A pause does not change it. */
  get pace(): number | undefined {
    return this.#pace;
  }

  /** How far the clock goes on until its next message, at the most; 0 before it is known. */
  get stepUs(): number {
    return Math.min(this.#lastStepUs, this.#meanStepUs);
  }

  /** A message that moved the clock on. @param clockUs its time, on a scale without jumps */
  note(clockUs: number, steadyUs: number): void {
    const sample = { clockUs, steadyUs };
    const last = this.#last;
    this.#last = sample;
    if (last === undefined || this.#isBreak(sample, last)) {
      this.#samples = [sample];
      return;
    }
    this.#keep(sample);
    if (this.#samples.length < FEWEST) return; // one step may be a leap, or a part of one after a pause
    this.#pace = this.#course() ?? this.#pace;
    this.#lastStepUs = clockUs - last.clockUs;
    this.#meanStepUs += (this.#meanStepUs === 0 ? 1 : WEIGHT) * (this.#lastStepUs - this.#meanStepUs);
  }

  /** What comes next is of another stretch. */
  restart(): void {
    this.#last = undefined;
  }

  #isBreak({ clockUs, steadyUs }: Sample, last: Sample): boolean {
    const course = this.#course();
    if (course === undefined) return false;
    return Math.abs(clockUs - last.clockUs - course * (steadyUs - last.steadyUs)) > OFF_COURSE_US * course;
  }

  #keep(sample: Sample): void {
    const before = this.#samples.at(-2);
    // The newest one is always there; it gives way when it is too near to the one before it.
    if (before !== undefined && (this.#samples.at(-1) as Sample).steadyUs - before.steadyUs < SPACING_US) this.#samples.pop();
    this.#samples.push(sample);
    while (this.#samples.length > FEWEST && this.#spanUs() > SPAN_US) this.#samples.shift();
  }

  #spanUs(): number {
    return (this.#samples.at(-1)?.steadyUs ?? 0) - (this.#samples[0]?.steadyUs ?? 0);
  }

  /** By the samples there are; undefined when they span too little to tell. */
  #course(): number | undefined {
    const first = this.#samples[0];
    const last = this.#samples.at(-1);
    if (first === undefined || last === undefined || this.#spanUs() < SPACING_US) return undefined;
    const pace = (last.clockUs - first.clockUs) / (last.steadyUs - first.steadyUs);
    return Math.min(Math.max(pace, SLOWEST), FASTEST);
  }
}
