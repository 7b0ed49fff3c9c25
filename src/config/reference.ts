/** docs/parameters.md: the table of every parameter. */
import { FIELDS, type Field } from './fields.js';

const SECTIONS: readonly { readonly title: string; readonly of: (path: readonly string[]) => boolean }[] = [
  { title: 'Node', of: ([first]) => !['backends', 'models', 'streams'].includes(first ?? '') },
  { title: 'Backends: `backends.<backend>`', of: ([first]) => first === 'backends' },
  { title: 'Models: `models.<model>`', of: ([first]) => first === 'models' },
  { title: 'Streams: `streams.<stream>`', of: ([first]) => first === 'streams' },
];

const HEAD = `\
# Parameters

Generated from the schema in \`src/config\`: change it there, then \`npm run docs\`. [\`config/governor.yaml\`](../config/governor.yaml) shows them in a file.

Names in angle brackets are yours: a small letter, then small letters, digits or underscores. Keys may be nested or dotted, as everywhere in ROS.
A key that does not exist, a value of another type or out of range, and a reference to something that is not declared are refused before
anything starts, all at once, each with file, line and what would be right. A whole number is taken where a double is declared. \`use_sim_time\` is ROS's own: [time by \`/clock\`](../README.md#bags-and-simulators).
Contracts change while the node runs: \`ros2 param set\`, or the service \`set_parameters_atomically\` for several that depend on each other. A change is checked
as a whole with everything else; a refusal says why. Waiting messages stay, and are judged by the new contract. What was left out at the start cannot
be given then, and a default that followed from another value (\`deadline_ms\`) no longer follows it. Everything else is read-only.
`;

const RULES = `
## Rules between parameters

- A topic belongs to one stream, and there is at least one stream. Remappings (\`-r from:=to\`) are not looked at here.
- \`queue.capacity\` is 1 for policy \`latest\`. \`queue.overflow: reject_oldest\` is for policy \`fifo\` and class \`best_effort\` or \`normal\`.
- A stream of type \`std_msgs/msg/Float32MultiArray\` has \`stamp_source: receive\`: the message has no header.
- A decoder needs a stream of images; \`publish_obsolete\`, \`output.tensors\` and \`output.labels\` need a decoder.
- \`backend_model\` differs between the variants of a model; \`p50_us\`, \`p95_us\`, \`p99_us\` ascend.
- \`input.width\` and \`input.height\` go together. \`input.scale\`, \`input.mean\` and \`input.std\` need \`datatype: FP32\`; lists have one number a channel or none.
- \`overload.enter_permille\` rises strictly, and each of \`overload.leave_permille\` is below it.
- \`contract.min_runtime\` is for class \`best_effort\` or \`normal\`, and \`budget_ms\` is at most \`window_ms\`.
- In \`contract.extension\`: \`miss_budget\`, \`phase_ms\`, \`require_new_sample_each_cycle\` and \`delivery_boundary: consumer\` need \`consumer_period_ms\`; \`max_consecutive\` <= \`max_misses\` < \`window_cycles\`;
  \`delivery_semantics: every_event\` and \`stateful_sequence\` need \`queue.policy: fifo\` or \`never_drop\`, the latter also a stateful model that serves no other stream.
- Where profiles tell: guarded streams (\`high\`, \`protected\`) take no more than all slots of their backend (a warning from 80 % on), a guarded stream can be fresh at all,
  and jobs of other streams that take longer than the shortest \`max_age_ms\` of a guarded stream cannot take every slot.
- \`learning.ceiling_percent\` is at least \`margin_percent\`.
- \`contract.extension.approved_variants\` names variants of the model, and one of them reaches \`contract.min_quality\`.
- A \`stateful\` model does not serve a stream of \`queue.policy: latest\`.
- \`no_corun\` pairs two models of that backend.
- \`tls.certificate_file\` and \`tls.key_file\` go together.
`;

export function referenceDocument(): string {
  const tables = SECTIONS.map(({ title, of }) => `## ${title}\n\n${table(FIELDS.filter(({ path }) => of(path)))}\n`);
  return `${HEAD}\n${tables.join('\n')}${RULES}`;
}

function table(fields: readonly Field[]): string {
  const rows = fields.map((field) => [
    `\`${shortName(field.path)}\``,
    TYPES[field.kind],
    accepted(field),
    defaultOf(field),
    field.description,
  ]);
  return [['Name', 'Type', 'Accepted', 'Default', 'Meaning'], ['---', '---', '---', '---', '---'], ...rows].map(row).join('\n');
}

const TYPES: Record<Field['kind'], string> = {
  bool: 'bool',
  integer: 'int',
  double: 'double',
  string: 'string',
  string_array: 'string[]',
  double_array: 'double[]',
  integer_array: 'int[]',
};

/** Without the section, which stands in the title. */
function shortName(path: readonly string[]): string {
  const named = path[1] === '*' ? path.slice(2) : path;
  return named.map((key) => (key === '*' ? '<variant>' : key)).join('.');
}

function accepted({ range, choices, expects, unit }: Field): string {
  const suffix = unit === undefined ? '' : ` ${unit}`;
  if (range !== undefined) return `${range.min} … ${range.max}${suffix}`;
  return expects ?? choices?.map((choice) => `\`${choice}\``).join(', ') ?? '';
}

/** Groups that may be left out as a whole. */
const OPTIONAL_GROUPS = ['profile', 'min_runtime', 'miss_budget', 'tls'];

function defaultOf(field: Field): string {
  if (field.default !== undefined) return `\`${JSON.stringify(field.default)}\``;
  if (field.whenAbsent !== undefined) return field.whenAbsent;
  const group = OPTIONAL_GROUPS.find((name) => field.path.includes(name));
  return group === undefined ? '**required**' : `**required** in \`${group}\``;
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}
