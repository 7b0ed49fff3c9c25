/** What is wrong with a bag, in words its owner can act on. */

export interface BagProblem {
  readonly file: string;
  readonly topic?: string;
  /** Where in the file: "offset 1234", "message 17". */
  readonly at?: string;
  readonly text: string;
}

/** What is wrong with one message, and with others in the same way: told once, with how many they are. */
export interface MessageProblem extends BagProblem {
  readonly at: string;
  /** Behind "this message is", or "12 messages are". */
  readonly text: string;
  /** More about this one, which is told of the first of them. */
  readonly detail?: string;
}

/** Of messages whose log time cannot be. */
export const OUT_OF_SPAN = 'left out, with a log time outside of the bag: a damaged one, or that of another clock';

export type BagErrorCode = 'not_found' | 'unreadable' | 'unknown_storage' | 'unknown_compression';

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
export function formatBagProblem({ file, topic, at, text }: BagProblem): string {
  return [file, ...(topic === undefined ? [] : [`topic ${topic}`]), ...(at === undefined ? [] : [at]), text].join(': ');
}

interface Counted {
  readonly first: MessageProblem;
  /** Whether the messages did not come out of their file. */
  readonly lost: boolean;
  count: number;
}

/** Of what has a place: what is said of a whole file or topic is told in any case. */
const KEPT = 100;

/** What was left out of a replay. A damaged file can be damaged in very many places: the first ones are told. */
export class BagProblems {
  readonly #problems: (BagProblem | Counted)[] = [];
  readonly #counted = new Map<string, Counted>();
  #placed = 0;
  #untold = 0;
  #quiet = false;

  add(problem: BagProblem): void {
    this.#keep(problem);
  }

  /** One more message with a problem, or several. */
  count(problem: MessageProblem, messages = 1): void {
    this.#count(problem, messages, false);
  }

  /** As `count`, of messages that were found and did not come out of their file. */
  leaveOut(problem: MessageProblem, messages = 1): void {
    this.#count(problem, messages, true);
  }

  /** Messages that were left out one by one. */
  leftOut(file: string, topic: string): number {
    let sum = 0;
    for (const { first, lost, count } of this.#counted.values()) if (lost && first.file === file && first.topic === topic) sum += count;
    return sum;
  }

  /** Nothing is told of what the work finds: it looks ahead at what is read later. */
  async quietly<T>(work: () => Promise<T>): Promise<T> {
    this.#quiet = true;
    return await work().finally(() => {
      this.#quiet = false;
    });
  }

  lines(): string[] {
    const more = this.#untold === 0 ? [] : [`… and ${this.#untold} more`];
    return [...this.#problems.map((one) => formatBagProblem('first' in one ? told(one) : one)), ...more];
  }

  #count(problem: MessageProblem, messages: number, lost: boolean): void {
    if (this.#quiet) return;
    const key = `${problem.file}\0${problem.topic ?? ''}\0${problem.text}`;
    const known = this.#counted.get(key);
    if (known !== undefined) {
      known.count += messages;
      return;
    }
    const counted = { first: problem, lost, count: messages };
    if (this.#keep(counted)) this.#counted.set(key, counted);
  }

  #keep(problem: BagProblem | Counted): boolean {
    if (this.#quiet) return false;
    const { at } = 'first' in problem ? problem.first : problem;
    if (at !== undefined) this.#placed += 1;
    const isKept = at === undefined || this.#placed <= KEPT;
    if (isKept) this.#problems.push(problem);
    else this.#untold += 1;
    return isKept;
  }
}

function told({ first, count }: Counted): BagProblem {
  const subject = count === 1 ? 'this message is' : `${count} messages, the first of them here, are`;
  return { ...first, text: [`${subject} ${first.text}`, ...(first.detail === undefined ? [] : [first.detail])].join(': ') };
}
