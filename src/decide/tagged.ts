/** Items that name their kind by the key they have: `{at_ms: 0, arrive: front, …}`. */
import type { z } from 'zod';
import { issueProblems, keysAt, type Written } from '../config/issue-problems.js';
import { nearestName } from '../config/nearest.js';
import type { Problem } from '../config/problem.js';
import { keyOf, type YamlGroup, type YamlPath, type YamlTree, type YamlValue } from '../config/yaml-tree.js';

type Schemas = Readonly<Record<string, z.ZodType>>;
export type Tagged<S extends Schemas> = { [K in keyof S & string]: { readonly kind: K; readonly data: z.output<S[K]> } }[keyof S & string];

/** One item, or the problems it has. */
export function readTagged<S extends Schemas>(
  schemas: S,
  item: YamlValue,
  path: YamlPath,
  tree: YamlTree,
  problems: Problem[],
): Tagged<S> | undefined {
  const kind = kindOf(schemas, item, path, tree, problems);
  if (kind === undefined) return undefined;
  const schema = schemas[kind] as z.ZodType;
  const parsed = schema.safeParse(item);
  if (parsed.success) return { kind, data: parsed.data } as Tagged<S>; // the schema of this very kind has read it
  const written: Written = {
    holds: (below) => valueAt(item, below) !== undefined,
    problemAt: (below, text) => tree.problemAt([...path, ...below], text, valueAt(item, below)),
  };
  problems.push(...issueProblems(parsed.error.issues, schema, written));
  return undefined;
}

function kindOf<S extends Schemas>(schemas: S, item: YamlValue, path: YamlPath, tree: YamlTree, problems: Problem[]): string | undefined {
  const known = Object.keys(schemas);
  const refuse = (at: YamlPath, text: string, value?: unknown) => {
    problems.push(tree.problemAt(at, text, value));
    return undefined;
  };
  if (!isGroup(item)) return refuse(path, `expected a group with one of the keys ${known.join(', ')}`, item);
  const keys = Object.keys(item);
  const named = keys.filter((key) => Object.hasOwn(schemas, key));
  // What one kind says beside its own name can be a kind of its own.
  const kinds = named.filter((key) => !named.some((other) => other !== key && keysAt(schemas[other] as z.ZodType, []).includes(key)));
  const [kind, other] = kinds;
  if (other !== undefined) return refuse(path, `has both ${kind} and ${other}; expected one a line`);
  if (kind !== undefined) return kind;
  for (const key of keys) {
    const nearest = nearestName(key, known);
    if (nearest !== undefined && !isCommonKey(schemas, key)) return refuse([...path, key], `no such key; did you mean ${nearest}?`);
  }
  return refuse(path, `says not what it is about; expected one of the keys ${known.join(', ')}`);
}

/** A key that every kind has tells nothing about the kind. */
function isCommonKey(schemas: Schemas, key: string): boolean {
  return Object.values(schemas).every((schema) => keysAt(schema, []).includes(key));
}

function valueAt(item: YamlValue, path: YamlPath): YamlValue | undefined {
  let value: YamlValue | undefined = item;
  for (const step of path) value = value !== undefined && isGroup(value) ? value[step] : undefined;
  return value;
}

function isGroup(value: YamlValue): value is YamlGroup {
  return typeof value === 'object' && !Array.isArray(value);
}

/** As written on one line, for messages. */
export function showItem(value: YamlValue): string {
  if (typeof value === 'string') return value;
  if (!isGroup(value)) return `[${value.map(showItem).join(', ')}]`;
  return `{${Object.entries(value)
    .map(([key, one]) => `${keyOf([key])}: ${showItem(one)}`)
    .join(', ')}}`;
}
