/** The schema read back as a list of parameters, for descriptors, documents, error texts and suggestions. */
import { z } from 'zod';
import { parametersSchema } from './schema.js';

/** Types a ROS 2 parameter of ours can have. */
export type FieldKind = 'bool' | 'integer' | 'double' | 'string' | 'string_array' | 'double_array' | 'integer_array';

/** One parameter. In `path`, `*` stands for a name the user chooses. */
export interface Field {
  readonly path: readonly string[];
  readonly kind: FieldKind;
  readonly description: string;
  readonly unit?: string;
  readonly range?: { readonly min: number; readonly max: number };
  readonly choices?: readonly string[];
  readonly default?: z.output<typeof valueSchema>;
  readonly whenAbsent?: string;
  readonly sample?: z.output<typeof valueSchema>;
  readonly expects?: string;
  /** Its group can do without it only when the whole group is left out. */
  readonly required: boolean;
}

interface Group {
  readonly path: readonly string[];
  readonly keys: ReadonlyMap<string, FieldNode>;
}

/** A group whose keys the user chooses has one entry, `*`. */
export type FieldNode = Field | Group;

const valueSchema = z.union([z.boolean(), z.number(), z.string(), z.array(z.string()), z.array(z.number())]);

const groupJson = z.object({
  type: z.literal('object'),
  properties: z.record(z.string(), z.unknown()).default({}),
  additionalProperties: z.union([z.literal(false), z.looseObject({})]),
  required: z.array(z.string()).default([]),
});

const bounds = { minimum: z.number(), maximum: z.number() };
const leafJson = z.intersection(
  z.object({
    description: z.string(),
    unit: z.exactOptional(z.string()),
    default: z.exactOptional(valueSchema),
    whenAbsent: z.exactOptional(z.string()),
    sample: z.exactOptional(valueSchema),
    expects: z.exactOptional(z.string()),
  }),
  z.discriminatedUnion('type', [
    z.object({ type: z.literal('boolean') }),
    z.object({ type: z.literal('integer'), ...bounds }),
    z.object({ type: z.literal('number'), ...bounds }),
    z.object({ type: z.literal('string'), enum: z.exactOptional(z.array(z.string())) }),
    z.object({
      type: z.literal('array'),
      items: z.union([z.object({ type: z.literal('string') }), z.object({ type: z.enum(['number', 'integer']), ...bounds })]),
    }),
  ]),
);

const ARRAYS = { string: 'string_array', number: 'double_array', integer: 'integer_array' } as const;

function kindOf(json: z.output<typeof leafJson>): FieldKind {
  switch (json.type) {
    case 'boolean':
      return 'bool';
    case 'number':
      return 'double';
    case 'array':
      return ARRAYS[json.items.type];
    default:
      return json.type;
  }
}

function rangeOf(json: z.output<typeof leafJson>): Pick<Field, 'range'> {
  const bounded = json.type === 'array' ? json.items : json;
  return bounded.type === 'number' || bounded.type === 'integer' ? { range: { min: bounded.minimum, max: bounded.maximum } } : {};
}

function readField(json: unknown, path: readonly string[], required: boolean): Field {
  const leaf = leafJson.parse(json);
  const { type: _, ...about } = leaf;
  const choices = leaf.type === 'string' && leaf.enum !== undefined ? { choices: leaf.enum } : {};
  return {
    path,
    kind: kindOf(leaf),
    description: about.description,
    required: required && about.default === undefined,
    ...(about.unit === undefined ? {} : { unit: about.unit }),
    ...(about.default === undefined ? {} : { default: about.default }),
    ...(about.whenAbsent === undefined ? {} : { whenAbsent: about.whenAbsent }),
    ...(about.sample === undefined ? {} : { sample: about.sample }),
    ...(about.expects === undefined ? {} : { expects: about.expects }),
    ...rangeOf(leaf),
    ...choices,
  };
}

function readNode(json: unknown, path: readonly string[], required: boolean): FieldNode {
  const group = groupJson.safeParse(json);
  if (!group.success) return readField(json, path, required);
  const { properties, additionalProperties } = group.data;
  const children = additionalProperties === false ? Object.entries(properties) : [['*', additionalProperties] as const];
  const keys = children.map(([key, value]) => [key, readNode(value, [...path, key], group.data.required.includes(key))] as const);
  return { path, keys: new Map(keys) };
}

function leaves(node: FieldNode): readonly Field[] {
  return isField(node) ? [node] : [...node.keys.values()].flatMap(leaves);
}

export function isField(node: FieldNode): node is Field {
  return 'kind' in node;
}

export const ROOT: FieldNode = readNode(z.toJSONSchema(parametersSchema, { io: 'input' }), [], true);

/** Every parameter, in the order of the schema. */
export const FIELDS: readonly Field[] = leaves(ROOT);

/** The parameter or group at this place, whatever the names chosen on the way; undefined when there is none. */
export function nodeAt(path: readonly string[]): FieldNode | undefined {
  let node: FieldNode | undefined = ROOT;
  for (const key of path) {
    if (node === undefined || isField(node)) return undefined;
    node = node.keys.get(key) ?? node.keys.get('*');
  }
  return node;
}

/** What is accepted, to complete "expected …". */
export function expectation(node: FieldNode): string {
  if (!isField(node)) {
    if (node.keys.has('*')) return `a group with names of your choice below it`;
    return `a group with the keys ${[...node.keys.keys()].join(', ')}`;
  }
  if (node.expects !== undefined) return node.expects;
  if (node.choices !== undefined) return `one of ${node.choices.join(', ')}`;
  const range = node.range === undefined ? '' : ` from ${node.range.min} to ${node.range.max}`;
  const unit = node.unit === undefined ? '' : ` (${node.unit})`;
  const nouns: Record<FieldKind, string> = {
    bool: 'true or false',
    integer: `a whole number${range}${unit}`,
    double: `a number${range}${unit}`,
    string: 'a text',
    string_array: 'a list of texts',
    double_array: `a list of numbers${range}${unit}`,
    integer_array: `a list of whole numbers${range}${unit}`,
  };
  return nouns[node.kind];
}
