/** Where decisions differ from what a script says must follow, and must not. */
import { formatProblem } from '../config/problem.js';
import type { DecisionLine } from './decision-line.js';
import type { ExpectedAction, ExpectedState, Script } from './script.js';
import type { StateHistory } from './state-history.js';

const SHOWN_LINES = 8;

export interface Decisions {
  readonly lines: readonly DecisionLine[];
  readonly states: StateHistory;
}

/** One text for each difference, with the place in the script. */
export function differences({ expect, never }: Pick<Script, 'expect' | 'never'>, decisions: Decisions): string[] {
  const matcher = new Matcher(decisions);
  return [
    ...expect.flatMap((one) => (one.kind === 'action' ? matcher.missing(one) : missingState(one, decisions.states))),
    ...never.flatMap((one) => (one.kind === 'action' ? forbidden(one, decisions.lines) : forbiddenState(one, decisions.states))),
  ];
}

/** Expectations of one request, or of one kind where there is no request, are met in the order in which they stand. */
class Matcher {
  readonly #lines: readonly DecisionLine[];
  readonly #next = new Map<string, number>();

  constructor({ lines }: Decisions) {
    this.#lines = lines;
  }

  missing(expected: ExpectedAction): string[] {
    const subject = subjectOf(expected.fields);
    const from = this.#next.get(subject) ?? 0;
    const found = this.#lines.findIndex((line, index) => index >= from && matches(expected, line));
    if (found >= 0) {
      this.#next.set(subject, found + 1);
      return [];
    }
    const earlier = this.#lines.slice(0, from).some((line) => matches(expected, line));
    const seen = this.#lines.filter((line) => subjectOf(line) === subject);
    return [differ(expected, `expected ${expected.text}${earlier ? ', which came before what stands above it' : ''}; ${listed(seen)}`)];
  }
}

function subjectOf(fields: Readonly<Record<string, unknown>>): string {
  return 'id' in fields ? `id ${String(fields['id'])}` : `action ${String(fields['action'])}`;
}

function matches({ fields, atUs, beforeUs }: ExpectedAction, line: DecisionLine): boolean {
  if (atUs !== undefined && line.at_ms !== atUs / 1000) return false;
  if (beforeUs !== undefined && line.at_ms >= beforeUs / 1000) return false;
  return Object.entries(fields).every(([key, value]) => line[key] === value);
}

function listed(lines: readonly DecisionLine[]): string {
  if (lines.length === 0) return 'nothing of it happened';
  const texts = lines.map(brief);
  const shown = texts.length <= SHOWN_LINES ? texts : ['…', ...texts.slice(-SHOWN_LINES)];
  return `there is ${shown.join(', ')}`;
}

/** `12 outcome delivered/delivered`. */
function brief(line: DecisionLine): string {
  const { at_ms, action, variant, state, cause, key } = line;
  const what = state === undefined ? (variant ?? line['wake_ms'] ?? key) : `${String(state)}/${String(cause)}`;
  return [at_ms, action, what].filter((part) => part !== undefined).join(' ');
}

function forbidden(expected: ExpectedAction, lines: readonly DecisionLine[]): string[] {
  const found = lines.find((line) => matches(expected, line));
  return found === undefined ? [] : [differ(expected, `never ${expected.text}; there is ${brief(found)}`)];
}

/** With an instant: the value that holds after all its events, or that held while they were handled. */
function missingState({ kind, value, backend, atUs, ...expected }: ExpectedState, states: StateHistory): string[] {
  const values = states.values(kind, backend);
  const candidates = atUs === undefined ? values : holding(values, atUs / 1000);
  if (candidates.some((one) => one.value === value)) return [];
  const there =
    candidates.length === 0
      ? 'nothing had happened yet'
      : `there is ${candidates.map((one) => `${one.value} from ${one.atMs} on`).join(', ')}`;
  return [differ(expected, `expected ${expected.text}; ${there}`)];
}

function forbiddenState({ kind, value, backend, atUs, beforeUs, ...expected }: ExpectedState, states: StateHistory): string[] {
  const values = states.values(kind, backend).filter(({ atMs }) => beforeUs === undefined || atMs < beforeUs / 1000);
  const found = (atUs === undefined ? values : holding(values, atUs / 1000)).find((one) => one.value === value);
  return found === undefined ? [] : [differ(expected, `never ${expected.text}; it is so from ${found.atMs} on`)];
}

function holding<V extends { readonly atMs: number }>(values: readonly V[], atMs: number): V[] {
  const before = values.filter((one) => one.atMs < atMs).at(-1);
  const during = values.filter((one) => one.atMs === atMs);
  const after = during.length > 0 || before === undefined ? during : [before];
  return after;
}

function differ({ place }: Pick<ExpectedAction, 'place'>, text: string): string {
  return formatProblem({ place, text });
}
