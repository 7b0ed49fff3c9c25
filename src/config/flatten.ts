/** The configuration as the flat, typed parameters a ROS node declares. */
import { FIELDS, type Field, type FieldKind } from './fields.js';
import type { Parameters } from './schema.js';

type Value = boolean | number | string | readonly string[] | readonly number[];

export interface FlatParameter {
  /** Dotted, as `ros2 param list` shows it. */
  readonly name: string;
  readonly kind: FieldKind;
  readonly value: Value;
  readonly description: string;
  /** For integer and double; both ends are accepted. */
  readonly range?: { readonly min: number; readonly max: number };
  /** Rules that a range does not say, for `additional_constraints`; empty when there are none. */
  readonly constraints: string;
  /** Contracts change while the node runs; everything else shapes it once, at configure. */
  readonly readOnly: boolean;
}

/** Every parameter that has a value, in the order of the schema. ROS knows no "unset": optional ones left out are left out here. */
export function flattenParameters(parameters: Parameters): FlatParameter[] {
  return FIELDS.flatMap((field) => occurrences(parameters, field.path, []).map(({ name, value }) => describe(field, name, value)));
}

/** Whether a parameter can change while the node runs. */
function isLive(path: readonly string[]): boolean {
  return path[0] === 'streams' && path[2] === 'contract';
}

interface Occurrence {
  readonly name: string;
  readonly value: Value;
}

function occurrences(node: unknown, path: readonly string[], done: readonly string[]): Occurrence[] {
  const [key, ...rest] = path;
  if (key === undefined) return isValue(node) ? [{ name: done.join('.'), value: node }] : [];
  if (typeof node !== 'object' || node === null) return [];
  const entries = Object.entries(node).filter(([name]) => key === '*' || name === key);
  return entries.flatMap(([name, child]) => occurrences(child, rest, [...done, name]));
}

function isValue(value: unknown): value is Value {
  if (['boolean', 'number', 'string'].includes(typeof value)) return true;
  return Array.isArray(value) && (value.every((item) => typeof item === 'string') || value.every((item) => typeof item === 'number'));
}

function describe(field: Field, name: string, value: Value): FlatParameter {
  const unit = field.unit === undefined ? '' : ` [${field.unit}]`;
  const isScalar = field.kind === 'integer' || field.kind === 'double';
  return {
    name,
    kind: field.kind,
    value,
    description: `${field.description}${unit}`,
    constraints: field.expects ?? (field.choices === undefined ? '' : `one of ${field.choices.join(', ')}`),
    readOnly: !isLive(field.path),
    ...(isScalar && field.range !== undefined ? { range: field.range } : {}),
  };
}
