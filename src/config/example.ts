/** config/governor.yaml: a configuration that works, with every other parameter and its default beside it as a comment. */
import { expectation, type Field, type FieldNode, isField, ROOT } from './fields.js';

/** What the example sets. The first entry of each named group is the one that is explained; every parameter must fit it. */
const EXAMPLE = {
  backends: { gpu: { endpoint: '127.0.0.1:8001', slots: 1 } },
  models: {
    detector: {
      backend: 'gpu',
      variants: { full: { backend_model: 'centerface' } },
      input: { layout: 'nchw', datatype: 'FP32' },
      output: { decoder: 'centerface' },
    },
  },
  streams: {
    rear: { topic: '/rear/image_raw', model: 'detector', class: 'best_effort', contract: { max_age_ms: 200.0 } },
    front: {
      topic: '/front/image_raw',
      model: 'detector',
      class: 'protected',
      contract: { period_ms: 33.3, max_age_ms: 100.0 },
    },
  },
} as const;

const HEAD = `\
# Parameters of the governor. Generated from the schema in src/config: change it there.
# What is set here is what a first robot needs; every other parameter stands beside it with its default, as a comment.
# Start: ros2 run vigilant_governor governor --ros-args --params-file FILE

governor:
  ros__parameters:
`;

const INDENT = '  ';
const WIDTH = 120;

export function exampleFile(): string {
  return `${HEAD}${explainGroup(ROOT, EXAMPLE, INDENT.repeat(2)).join('\n')}\n`;
}

function explainGroup(node: FieldNode, example: unknown, indent: string): string[] {
  if (isField(node)) return explainField(node, example, indent);
  return [...node.keys].flatMap(([key, child]) =>
    key === '*' ? explainNamed(child, example, indent) : explainMember(key, child, member(example, key), indent),
  );
}

/** The first entry in full, the others as they are. */
function explainNamed(node: FieldNode, example: unknown, indent: string): string[] {
  const [first, ...others] = entries(example);
  if (first === undefined) throw new Error(`the example has no entry for ${node.path.join('.')}`);
  const explained = [`${indent}${first[0]}:`, ...explainGroup(node, first[1], indent + INDENT)];
  return [...explained, ...others.flatMap(([name, value]) => ['', ...plain(name, value, indent)])];
}

function explainMember(key: string, node: FieldNode, example: unknown, indent: string): string[] {
  if (isField(node)) return explainField(node, example, indent);
  // A group of which nothing is set has to be a comment as a whole, or it would have no value.
  const lines = explainGroup(node, example, indent + INDENT);
  const isSet = example !== undefined;
  return [...(indent.length === INDENT.length * 2 ? [''] : []), `${indent}${isSet ? '' : '# '}${key}:`, ...lines];
}

function explainField(field: Field, example: unknown, indent: string): string[] {
  const key = field.path.at(-1) ?? '';
  const absent = field.whenAbsent === undefined ? '' : ` Without it: ${field.whenAbsent}.`;
  const expects = field.expects === undefined && field.kind !== 'bool' ? ` Expected: ${expectation(field)}.` : '';
  const comment = wrap(`${field.description}${absent}${expects}`, WIDTH - indent.length).map((line) => `${indent}# ${line}`);
  const isSet = example !== undefined;
  const value = isSet ? example : (field.default ?? field.sample);
  return [...comment, `${indent}${isSet ? '' : '# '}${key}: ${yamlValue(value, field.kind)}`];
}

function plain(key: string, value: unknown, indent: string): string[] {
  const children = entries(value);
  if (children.length === 0) return [`${indent}${key}: ${yamlValue(value, typeof value === 'number' ? 'double' : 'string')}`];
  return [`${indent}${key}:`, ...children.flatMap(([name, child]) => plain(name, child, indent + INDENT))];
}

/** As ROS reads it back: a double keeps its point, texts that look like something else are quoted. */
function yamlValue(value: unknown, kind: Field['kind']): string {
  if (typeof value === 'number') return kind === 'double' && Number.isInteger(value) ? value.toFixed(1) : String(value);
  if (typeof value === 'string') return /^[A-Za-z/][\w/.]*$/.test(value) ? value : JSON.stringify(value);
  return JSON.stringify(value);
}

function entries(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}

function member(value: unknown, key: string): unknown {
  return entries(value).find(([name]) => name === key)?.[1];
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
