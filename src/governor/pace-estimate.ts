/** How fast a clock that comes in messages runs, by those that lie in one unbroken stretch of it. Pure. */

/** Messages nearer to each other than this are one: of a thousand a second, so many would span no time. */
const SPACING_US = 16_000;
const SPAN_US = 1_000_000;
/** What a pace is told by; of a slow clock they are kept however long they span. */
const FEWEST = 4;
/** By so much the halves of a course may differ, in shares of the slower one: what messages are late by is in it. */
const AGREEMENT = 0.25;
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
  /** By the samples there are; undefined until they have agreed on it. */
  #course: number | undefined;
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
      this.#course = undefined;
      return;
    }
    this.#keep(sample);
    this.#course = this.#course === undefined ? this.#agreed() : this.#whole();
    if (this.#course === undefined) return;
    this.#pace = this.#course;
    this.#lastStepUs = clockUs - last.clockUs;
    this.#meanStepUs += (this.#meanStepUs === 0 ? 1 : WEIGHT) * (this.#lastStepUs - this.#meanStepUs);
  }

  /** What comes next is of another stretch. */
  restart(): void {
    this.#last = undefined;
  }

  #isBreak({ clockUs, steadyUs }: Sample, last: Sample): boolean {
    const course = this.#course;
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

  /**
   * The course of a new stretch, once both halves of its messages are on it. Where they are not, the first message was late, or a pause or a
   * leap lies between them: the stretch begins later.
   */
  #agreed(): number | undefined {
    if (this.#samples.length < FEWEST) return undefined;
    const middle = this.#samples.length >> 1;
    const before = this.#paceOf(0, middle);
    const after = this.#paceOf(middle, -1);
    if (before === undefined || after === undefined) return undefined;
    if (Math.abs(before - after) <= AGREEMENT * Math.min(before, after)) return this.#whole();
    this.#samples.shift();
    return undefined;
  }

  #whole(): number | undefined {
    return this.#paceOf(0, -1);
  }

  /** Between two samples; undefined when they span too little to tell. */
  #paceOf(from: number, to: number): number | undefined {
    const first = this.#samples.at(from);
    const last = this.#samples.at(to);
    if (first === undefined || last === undefined || last.steadyUs - first.steadyUs < SPACING_US) return undefined;
    const pace = (last.clockUs - first.clockUs) / (last.steadyUs - first.steadyUs);
    return Math.min(Math.max(pace, SLOWEST), FASTEST);
  }
}
