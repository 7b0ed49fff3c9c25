const MAX_LINES = 200;
const MAX_LINE_LENGTH = 4000;

/** The last lines that a process wrote, to be shown when it fails. */
export class LogTail {
  readonly #lines: string[] = [];
  #open = '';

  /** @returns the lines that are complete now. */
  add(chunk: string): readonly string[] {
    const parts = (this.#open + chunk).split('\n');
    this.#open = (parts.pop() ?? '').slice(0, MAX_LINE_LENGTH);
    const complete = parts.map((line) => line.slice(0, MAX_LINE_LENGTH));
    this.#lines.push(...complete);
    this.#lines.splice(0, this.#lines.length - MAX_LINES);
    return complete;
  }

  /** @param lines at most so many, the last ones */
  text(lines = MAX_LINES): string {
    const all = this.#open === '' ? this.#lines : [...this.#lines, this.#open];
    return all.slice(-lines).join('\n');
  }
}
