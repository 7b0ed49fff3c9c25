/** Which of many equal lines are worth saying. Pure but for the clock it is given. */

/** After the first, a repeated line is said at most so often. */
const REPEAT_MS = 30_000;
/** Lines remembered; the one said longest ago is forgotten first. */
const MAX_KEYS = 256;

interface Said {
  readonly atMs: number;
  suppressed: number;
}

export class LogLimiter {
  readonly #now: () => number;
  readonly #said = new Map<string, Said>();

  /** @param now monotonic, in milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** @returns how many were left out since it was last said; undefined = leave this one out. */
  pass(key: string): number | undefined {
    const nowMs = this.#now();
    const before = this.#said.get(key);
    if (before !== undefined && nowMs - before.atMs < REPEAT_MS) {
      before.suppressed += 1;
      return undefined;
    }
    this.#said.delete(key);
    this.#said.set(key, { atMs: nowMs, suppressed: 0 });
    this.#forgetOldest();
    return before?.suppressed ?? 0;
  }

  #forgetOldest(): void {
    if (this.#said.size <= MAX_KEYS) return;
    for (const oldest of this.#said.keys()) {
      this.#said.delete(oldest);
      return;
    }
  }
}
