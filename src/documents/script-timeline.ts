/** What happened to each request of a decision script: when it came, waited, ran and ended, as the decisions tell it. */
import { ConfigurationError } from '../config/problem.js';
import type { DecisionLine } from '../decide/decision-line.js';
import type { Decided } from '../decide/run-script.js';
import type { Script } from '../decide/script.js';

export interface ShownRun {
  /** When it was sent; earlier than it starts where it was sent ahead. */
  readonly sentMs: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly variant: string;
}

export interface ShownRequest {
  readonly id: string;
  readonly stream: string;
  readonly arrivalMs: number;
  readonly runs: readonly ShownRun[];
  /** When it was put off although it could have been sent. */
  readonly putOffMs: readonly number[];
  readonly endMs: number;
  /** Absent while it is open. */
  readonly state?: string;
  readonly cause?: string;
  /** Its deadline had passed. */
  readonly late: boolean;
}

export interface Remark {
  readonly atMs: number;
  readonly words: string;
}

export interface ScriptTimeline {
  readonly streams: readonly string[];
  /** Streams whose model has several variants. */
  readonly choosing: ReadonlySet<string>;
  readonly requests: readonly ShownRequest[];
  /** Levels of overload, from when on. */
  readonly levels: readonly { readonly atMs: number; readonly level: number }[];
  readonly violations: readonly { readonly atMs: number; readonly stream: string }[];
  readonly remarks: readonly Remark[];
  readonly fromMs: number;
  readonly toMs: number;
}

/** Decisions and ends that a picture explains in the words of the decision itself. */
const EXPLAINED = ['veto', 'wait', 'level', 'violation'];
const EXPLAINED_ENDS = ['stale', 'infeasible'];

export function scriptTimeline(script: Script, { lines }: Decided): ScriptTimeline {
  const decisions = lines.map(({ line }) => line);
  const arrivals = script.lines.flatMap((line) =>
    line.kind === 'arrive'
      ? line.ids.map((id, index) => ({ id, stream: line.stream, arrivalMs: (line.atUs + index * line.everyUs) / 1000 }))
      : [],
  );
  const lastMs = Math.max(...arrivals.map(({ arrivalMs }) => arrivalMs), ...decisions.map(({ at_ms }) => at_ms));
  const ends = new Map(
    decisions.flatMap(({ action, id, at_ms }) => (action === 'outcome' && id !== undefined ? [[id, at_ms] as const] : [])),
  );
  const requests = arrivals.map((arrival) => ({
    ...arrival,
    ...endsOf(
      decisions.filter(({ id }) => id === arrival.id),
      returnsOf(script, arrival.id),
      ends,
      lastMs,
    ),
  }));
  const fromMs = Math.min(...requests.map(({ arrivalMs }) => arrivalMs));
  return {
    streams: [...new Set(requests.map(({ stream }) => stream))],
    choosing: choosingStreams(script),
    requests,
    levels: decisions.flatMap(({ action, at_ms, level }) => (action === 'level' ? [{ atMs: at_ms, level: Number(level) }] : [])),
    violations: decisions.flatMap(({ action, at_ms, stream }) => (action === 'violation' ? [{ atMs: at_ms, stream: String(stream) }] : [])),
    remarks: lines.flatMap(({ line, words }) => (isExplained(line) ? [{ atMs: line.at_ms, words: remarkOn(line, words) }] : [])),
    fromMs,
    toMs: Math.max(...requests.map(({ endMs }) => endMs), ...decisions.filter(isExplained).map(({ at_ms }) => at_ms)),
  };
}

function endsOf(
  own: readonly DecisionLine[],
  returnsMs: readonly number[],
  ends: ReadonlyMap<string, number>,
  lastMs: number,
): Omit<ShownRequest, 'id' | 'stream' | 'arrivalMs'> {
  const outcome = own.find(({ action }) => action === 'outcome');
  const dispatches = own.filter(({ action }) => action === 'dispatch');
  const endMs = outcome?.at_ms ?? lastMs;
  return {
    runs: dispatches.map((dispatch, index) => ({
      sentMs: dispatch.at_ms,
      fromMs: ends.get(followedBy(dispatch) ?? '') ?? dispatch.at_ms,
      toMs: Math.min(...returnsMs.filter((ms) => ms > dispatch.at_ms), dispatches[index + 1]?.at_ms ?? endMs),
      variant: String(dispatch['variant']),
    })),
    putOffMs: own.filter(({ action }) => action === 'veto' || action === 'wait').map(({ at_ms }) => at_ms),
    endMs,
    late: outcome?.['deadline_missed'] === true,
    ...(outcome === undefined ? {} : { state: String(outcome['state']), cause: String(outcome['cause']) }),
  };
}

/** When the script lets its calls return. */
function returnsOf({ lines }: Script, id: string): number[] {
  return lines.flatMap((line) => (line.kind === 'complete' && line.id === id ? [line.atUs / 1000] : []));
}

function choosingStreams({ configuration }: Script): ReadonlySet<string> {
  if (configuration instanceof ConfigurationError) return new Set();
  const several = new Set(configuration.models.flatMap(({ name, variants }) => (variants.length > 1 ? [name] : [])));
  return new Set(configuration.streams.flatMap(({ name, model }) => (several.has(model) ? [name] : [])));
}

/** The request behind which it was sent ahead. */
function followedBy({ why }: DecisionLine): string | undefined {
  return typeof why === 'object' && why !== null && 'follows' in why ? String(why.follows) : undefined;
}

function isExplained({ action, state }: DecisionLine): boolean {
  return EXPLAINED.includes(action) || EXPLAINED_ENDS.includes(String(state));
}

function remarkOn({ action, id, stream, level, state, cause }: DecisionLine, words: string): string {
  const subject = action === 'level' ? `level ${String(level)}` : (id ?? String(stream));
  const what =
    action === 'veto'
      ? ' is put off'
      : action === 'outcome'
        ? ` ${String(state)}/${String(cause)}`
        : action === 'violation'
          ? ' broke its promise'
          : '';
  return `${subject}${what}: ${words}`;
}
