/** Conditions on a report, for scripts: `streams.front.consumer_uncovered_permille>10`. */
import { nearestName } from '../config/nearest.js';
import { CAUSES } from '../core/catalogue.js';

const COMPARISONS = {
  '>=': (a: number, b: number) => a >= b,
  '<=': (a: number, b: number) => a <= b,
  '==': (a: number, b: number) => a === b,
  '!=': (a: number, b: number) => a !== b,
  '>': (a: number, b: number) => a > b,
  '<': (a: number, b: number) => a < b,
} as const;

type Operator = keyof typeof COMPARISONS;

export interface Condition {
  readonly text: string;
  readonly path: readonly string[];
  readonly operator: Operator;
  readonly limit: number;
}

const CONDITION = /^\s*([A-Za-z0-9_.-]+?)\s*(>=|<=|==|!=|>|<)\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*$/i;

/** A condition that cannot be judged; the text says why, and what can. */
export class ConditionError extends Error {
  override readonly name = 'ConditionError';
}

/** @throws {ConditionError} */
export function parseCondition(text: string): Condition {
  const [, path, operator, limit] = CONDITION.exec(text) ?? [];
  if (path === undefined || !isOperator(operator)) {
    throw new ConditionError(`"${text}": expected a path of the JSON, one of ${Object.keys(COMPARISONS).join(' ')}, and a number`);
  }
  if (!Number.isFinite(Number(limit))) throw new ConditionError(`"${text}": ${limit} is beyond all numbers of a report`);
  return { text, path: path.split('.'), operator, limit: Number(limit) };
}

/** `nothing`: its path is there, but what stands there is null; the text says why. */
export type Judgement =
  | { readonly verdict: 'holds' | 'does not hold'; readonly value: number }
  | { readonly verdict: 'nothing'; readonly text: string };

/** @throws {ConditionError} when there is nothing at its path, or what is no number. */
export function judge({ text, path, operator, limit }: Condition, report: object): Judgement {
  const value = path.reduce((from: unknown, key, index) => step(text, path.slice(0, index), from, key), report);
  if (value === null) return { verdict: 'nothing', text: whyNull(path, report) };
  if (typeof value !== 'number') throw new ConditionError(`"${text}": ${path.join('.')} is ${kindOf(value)}, not a number`);
  return { verdict: COMPARISONS[operator](value, limit) ? 'holds' : 'does not hold', value };
}

/** A report has null where nothing was measured. */
function whyNull(path: readonly string[], report: object): string {
  const around = path.map((_, index) => path.slice(0, index).reduce((from: unknown, key) => step('', [], from, key), report));
  const nothingCame = around.some((from) => typeof from === 'object' && from !== null && 'received' in from && from.received === 0);
  return nothingCame ? 'no message came' : 'too little came to measure it by, or its contract has no period_ms';
}

function step(text: string, before: readonly string[], from: unknown, key: string): unknown {
  if (typeof from === 'object' && from !== null && Object.hasOwn(from, key)) return Reflect.get(from, key);
  const ofCauses = before.at(-1) === 'causes';
  if (ofCauses && Object.hasOwn(CAUSES, key)) return 0; // it did not occur
  const there = ofCauses ? Object.keys(CAUSES) : typeof from === 'object' && from !== null ? Object.keys(from) : [];
  const nearest = nearestName(key, there);
  const remedy = nearest === undefined ? `there are ${there.join(', ') || 'none'}` : `did you mean ${nearest}?`;
  throw new ConditionError(`"${text}": the report has no ${[...before, key].join('.')}; ${remedy}`);
}

function isOperator(text: string | undefined): text is Operator {
  return text !== undefined && Object.hasOwn(COMPARISONS, text);
}

function kindOf(value: unknown): string {
  return typeof value === 'object'
    ? `an object with ${Object.keys(value ?? {}).join(', ')}`
    : `the ${typeof value} ${JSON.stringify(value)}`;
}
