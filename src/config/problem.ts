/** What is wrong with a configuration, in the words its author can act on. */

/** Where a setting was made: a file, or the command line. */
export interface Place {
  readonly source: string;
  readonly line?: number;
}

export const COMMAND_LINE: Place = { source: 'command line' };

export interface Problem {
  readonly place?: Place;
  /** Full dotted name of the parameter, where the problem has one. */
  readonly key?: string;
  /** The offending value as text, where there is one. */
  readonly value?: string;
  /** What is wrong and what would be right. */
  readonly text: string;
}

export type ConfigurationCode = 'arguments' | 'unreadable' | 'malformed' | 'no_block' | 'invalid';

const SHOWN_PROBLEMS = 50;

/** The one error of configuration: every problem found, not only the first. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly code: ConfigurationCode;
  readonly problems: readonly Problem[];

  constructor(code: ConfigurationCode, problems: readonly Problem[], options?: ErrorOptions) {
    const shown = problems.slice(0, SHOWN_PROBLEMS).map(formatProblem);
    if (problems.length > SHOWN_PROBLEMS) shown.push(`… and ${problems.length - SHOWN_PROBLEMS} more`);
    super(shown.join('\n'), options);
    this.code = code;
    this.problems = problems;
  }
}

/** One line: `FILE:LINE: key is value: what would be right`. */
export function formatProblem({ place, key, value, text }: Problem): string {
  const where = place === undefined ? '' : `${place.source}${place.line === undefined ? '' : `:${place.line}`}: `;
  const what = key === undefined ? '' : `${shorten(key)}${value === undefined ? '' : ` is ${value}`}: `;
  return `${where}${what}${text}`;
}

/** What stands nowhere in a file is a matter of the whole of it. */
export function inFile(source: string, problems: readonly Problem[]): Problem[] {
  return problems.map((problem) => (problem.place === undefined ? { ...problem, place: { source } } : problem));
}

/** Without what only follows from another problem: a value that could not be read is not missing too. */
export function withoutConsequences(problems: readonly Problem[], of: readonly Problem[]): Problem[] {
  const causes = of.flatMap(({ key }) => key ?? []);
  return problems.filter(({ key }) => {
    if (key === undefined) return true;
    const group = key.replace(/\.<.*$/, ''); // a name that nobody has chosen yet
    return !causes.some((cause) => cause === group || cause.startsWith(`${group}.`) || group.startsWith(`${cause}.`));
  });
}

const SHOWN_CHARACTERS = 120;

/** A text cut to what fits a message. */
export function shorten(text: string): string {
  return text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS)}…`;
}
