/** What is wrong with a bag, in words its owner can act on. */

export interface BagProblem {
  readonly file: string;
  readonly topic?: string;
  /** Where in the file: "offset 1234", "message 17". */
  readonly at?: string;
  readonly text: string;
}

export type BagErrorCode = 'not_found' | 'unreadable' | 'unknown_storage' | 'unknown_compression' | 'too_long';

/** A bag of which nothing can be replayed. */
export class BagError extends Error {
  override readonly name = 'BagError';
  readonly code: BagErrorCode;
  readonly problem: BagProblem;

  constructor(code: BagErrorCode, problem: BagProblem, options?: ErrorOptions) {
    super(formatBagProblem(problem), options);
    this.code = code;
    this.problem = problem;
  }
}

/** One line: `FILE: topic /name: offset 1234: what is wrong`. */
function formatBagProblem({ file, topic, at, text }: BagProblem): string {
  return [file, ...(topic === undefined ? [] : [`topic ${topic}`]), ...(at === undefined ? [] : [at]), text].join(': ');
}

const KEPT = 100;

/** What was left out of a replay. A damaged file can be damaged in very many places: the first ones are told. */
export class BagProblems {
  readonly #problems: BagProblem[] = [];
  #untold = 0;

  add(problem: BagProblem): void {
    if (this.#problems.length < KEPT) this.#problems.push(problem);
    else this.#untold += 1;
  }

  lines(): string[] {
    const more = this.#untold === 0 ? [] : [`… and ${this.#untold} more`];
    return [...this.#problems.map(formatBagProblem), ...more];
  }
}
