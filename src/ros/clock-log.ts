/** Tells the operator what becomes of /clock: that it is waited for, that it runs, stands or jumped; each once. */
import type { Logger } from 'pino';
import { type ClockFacts, judgeClock } from '../telemetry/ros-clock.js';

type State = 'waiting' | 'running' | 'standing';

const TEXTS = {
  waiting: 'waiting for /clock; each message ends as cancelled/no_clock until then',
  running: '/clock runs',
  standing: '/clock stands',
} as const;

export class ClockLog {
  readonly #log: Logger;
  #said: State | undefined;
  #jumps = 0;
  #looks = 0;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Call it once a second. */
  note(facts: ClockFacts): void {
    this.#looks += 1;
    if (facts.jumps > this.#jumps) {
      const jumps = facts.jumps - this.#jumps;
      this.#log.warn({ jumps }, '/clock jumped: what waited has ended as cancelled/clock_jump, runtimes stay known');
      this.#jumps = facts.jumps;
    }
    const state = facts.rosNowNs === undefined ? 'waiting' : facts.standsForUs === undefined ? 'running' : 'standing';
    // A node that has just started is given a second to find its publishers.
    if (state === this.#said || (state === 'waiting' && this.#looks < 2)) return;
    this.#said = state;
    const finding = judgeClock(facts, 0);
    if (finding.kind === 'fine') this.#log.info(finding.message);
    else this.#log.warn({ hint: finding.hint }, TEXTS[state]);
  }
}
