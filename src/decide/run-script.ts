/** Runs a decision script on the core alone: no clock, no server. */
import { ConfigurationError, formatProblem } from '../config/problem.js';
import { DecisionCore } from '../core/decision-core.js';
import type { CoreSnapshot } from '../core/snapshot.js';
import type { RequestId } from '../core/units.js';
import { explainDecision } from '../governor/explanation.js';
import { type DecisionLine, instantMs, lineOf } from './decision-line.js';
import { differences } from './differences.js';
import { type IgnoredEvent, IgnoredEvents } from './ignored-events.js';
import type { Script } from './script.js';
import { StateHistory } from './state-history.js';
import { type Step, servedModels, Timeline } from './timeline.js';

export interface Decided {
  readonly lines: readonly ExplainedLine[];
  readonly summary: Summary;
  /** One text each; none when all is as the script says. */
  readonly differences: readonly string[];
}

export interface ExplainedLine {
  readonly line: DecisionLine;
  /** Why, in words; empty where the line says it all. */
  readonly words: string;
}

export interface Summary {
  readonly action: 'summary';
  /** Of the last event; absent when there was none. */
  readonly at_ms?: number;
  readonly received: number;
  readonly waiting: number;
  readonly in_flight: number;
  readonly held: number;
  /** How many requests ended so, by `state/cause`. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly expected: number;
  readonly differences: readonly string[];
}

export function runScript(script: Script): Decided {
  const states = new StateHistory();
  const ignored = new IgnoredEvents();
  const lines = refusals(script);
  let last: Step | undefined;
  let snapshot: CoreSnapshot = { streams: [], backends: [] };
  if (!(script.configuration instanceof ConfigurationError)) {
    const core = new DecisionCore(script.configuration);
    const timeline = new Timeline(script.lines, servedModels(script.configuration));
    const nameOf = timeline.nameOf.bind(timeline);
    for (let step = timeline.next(); step !== undefined; step = timeline.next()) {
      const { at } = step;
      const nothing = ignored.look(step.event);
      if (nothing !== undefined) lines.push(ignoredLine(nothing, instantMs(at), nameOf));
      const actions = core.handle(step.event, at);
      timeline.observe(actions);
      ignored.observe(actions);
      snapshot = core.snapshot();
      last = step;
      for (const action of actions) lines.push({ line: lineOf(action, at, nameOf), words: explainDecision(action, at, nameOf) ?? '' });
      for (const line of states.record(instantMs(at), snapshot)) lines.push({ line, words: '' });
    }
  }
  lines.sort((a, b) => a.line.at_ms - b.line.at_ms); // stable: only what was refused moves
  const decisions = { lines: lines.map(({ line }) => line), states };
  const different = differences(script, decisions);
  return { lines, summary: summarise(script, decisions.lines, last, snapshot, different), differences: different };
}

/** What is refused decides nothing: the configuration, or a change of it. */
function refusals({ configuration, lines }: Script): ExplainedLine[] {
  const initial = configuration instanceof ConfigurationError ? configuration.problems.map((problem) => ({ at_ms: 0, problem })) : [];
  const changes = lines.flatMap((line) =>
    line.kind === 'refused' ? line.problems.map((problem) => ({ at_ms: line.atUs / 1000, problem })) : [],
  );
  return [...initial, ...changes].map(({ at_ms, problem }) => {
    const { key, text } = problem;
    return { line: { at_ms, action: 'error', ...(key === undefined ? {} : { key }), text }, words: formatProblem(problem) };
  });
}

function ignoredLine({ request, event, text }: IgnoredEvent, at_ms: number, nameOf: (id: RequestId) => string): ExplainedLine {
  return { line: { at_ms, id: nameOf(request), action: 'ignored', event, text }, words: text };
}

function summarise(
  { expect, never }: Script,
  lines: readonly DecisionLine[],
  last: Step | undefined,
  { streams, backends }: CoreSnapshot,
  different: readonly string[],
): Summary {
  const outcomes: Record<string, number> = {};
  for (const { action, state, cause } of lines) {
    if (action !== 'outcome') continue;
    const name = `${String(state)}/${String(cause)}`;
    outcomes[name] = (outcomes[name] ?? 0) + 1;
  }
  return {
    action: 'summary',
    ...(last === undefined ? {} : { at_ms: instantMs(last.at) }),
    received: sum(streams, ({ received }) => received),
    waiting: sum(streams, ({ waiting }) => waiting),
    in_flight: sum(streams, ({ inFlight }) => inFlight),
    held: sum(backends, ({ held }) => held),
    outcomes,
    expected: expect.length + never.length,
    differences: different,
  };
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}
