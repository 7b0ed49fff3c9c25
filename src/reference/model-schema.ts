/** What a model file may say: names from the keys, every number with a range. */
import { z } from 'zod';
import { DATATYPES } from '../governor/ports.js';
import {
  BATCH,
  type Dimension,
  type ModelDescription,
  type OutputDescription,
  type RuntimeDescription,
  type TensorDescription,
} from './model-description.js';
import { milliseconds, modelName, whole } from './schema-parts.js';

const MAX_DIMENSION = 1_048_576;
const MAX_TENSORS = 16;

function list<S extends z.ZodType>(item: S, max: number, what: string) {
  const error = `expected a list of 1 to ${max} ${what}`;
  return z.array(item, error).min(1, error).max(max, error);
}

const INPUT_DIMENSION = `expected a whole number from 1 to ${MAX_DIMENSION}, or a name with a capital letter such as H`;
const OUTPUT_DIMENSION = `expected a whole number from 1 to ${MAX_DIMENSION}, the name of an input dimension, or that divided: H/4`;
function dimension(name: RegExp, error: string) {
  const size = z.int(error).min(1, error).max(MAX_DIMENSION, error);
  return z.union([size, z.string().regex(name, error)], error);
}

const inputDimension = dimension(/^[A-Z][A-Za-z0-9_]*$/, INPUT_DIMENSION);
const outputDimension = dimension(/^[A-Z][A-Za-z0-9_]*(\/[1-9]\d{0,5})?$/, OUTPUT_DIMENSION);

const TENSOR_NAME = 'expected a name of 1 to 128 characters; put numbers in quotes';
const tensor = {
  name: z.string(TENSOR_NAME).min(1, TENSOR_NAME).max(128, TENSOR_NAME),
  datatype: z.enum(DATATYPES, `expected one of ${DATATYPES.join(', ')}`),
};
const TENSOR = 'expected a group with name, datatype and shape';
const FILL = 'expected a number, or a text of at most 65536 characters';
const input = z.strictObject({ ...tensor, shape: list(inputDimension, 8, 'dimensions') }, TENSOR);
const output = z.strictObject(
  {
    ...tensor,
    shape: list(outputDimension, 8, 'dimensions'),
    fill: z.union([z.number(FILL), z.string().max(65_536, FILL)], FILL).optional(),
    centre: z.number('expected a number').optional(),
  },
  TENSOR,
);

const SEED = 'expected a whole number from 0';
const fixed = z.strictObject({ fixed_ms: milliseconds(0) });
const logNormal = z
  .strictObject({ p50_ms: milliseconds(0.001), p99_ms: milliseconds(0), seed: z.int(SEED).min(0, SEED).default(1) })
  .refine(({ p50_ms, p99_ms }) => p99_ms >= p50_ms, { path: ['p99_ms'], error: 'expected at least p50_ms' });
const runtime = z.union([fixed, logNormal], 'expected {fixed_ms: …} or {p50_ms: …, p99_ms: …, seed: …}, in milliseconds');

const model = z
  .strictObject(
    {
      version: whole(1, 1_000_000).default(1),
      instances: whole(1, 64).default(1),
      max_queue_size: whole(1, 10_000).default(100),
      max_batch_size: whole(0, 1024).default(0),
      max_queue_delay_ms: milliseconds(0).default(0),
      decoupled: z.boolean('expected true or false').default(false),
      responses: whole(1, 1000).default(1),
      runtime: runtime.default({ fixed_ms: 0 }),
      behaviour: z.enum(['echo', 'constant'], 'expected echo or constant'),
      inputs: list(input, MAX_TENSORS, 'inputs'),
      outputs: list(output, MAX_TENSORS, 'outputs'),
    },
    'expected a group with behaviour, inputs and outputs',
  )
  .superRefine(checkModel);

type ModelEntry = z.output<typeof model>;

/** One file: models by name. */
export const modelFileSchema = z.strictObject({
  models: z.record(modelName(), model, 'expected models by name'),
});

export function describeModel(name: string, entry: ModelEntry): ModelDescription {
  const batched = entry.max_batch_size > 0;
  const whole = <T extends TensorDescription>(tensor: T): T => (batched ? { ...tensor, shape: [BATCH, ...tensor.shape] } : tensor);
  return {
    name,
    version: String(entry.version),
    instances: entry.instances,
    maxQueueSize: entry.max_queue_size,
    ...(batched ? { batching: { maxBatchSize: entry.max_batch_size, maxQueueDelayMs: entry.max_queue_delay_ms } } : {}),
    decoupled: entry.decoupled,
    responses: entry.responses,
    runtime: describeRuntime(entry.runtime),
    behaviour: entry.behaviour,
    inputs: entry.inputs.map(describeTensor).map(whole),
    outputs: entry.outputs.map(describeOutput).map(whole),
  };
}

function describeRuntime(entry: ModelEntry['runtime']): RuntimeDescription {
  if ('fixed_ms' in entry) return { kind: 'fixed', fixedMs: entry.fixed_ms };
  return { kind: 'log_normal', p50Ms: entry.p50_ms, p99Ms: entry.p99_ms, seed: entry.seed };
}

function describeTensor({ name, datatype, shape }: ModelEntry['inputs'][number]): TensorDescription {
  return { name, datatype, shape: shape.map(describeDimension) };
}

function describeOutput(entry: ModelEntry['outputs'][number]): OutputDescription {
  const fill = entry.fill ?? (entry.datatype === 'BYTES' ? '' : 0);
  return { ...describeTensor(entry), fill, ...(entry.centre === undefined ? {} : { centre: entry.centre }) };
}

function describeDimension(dimension: number | string): Dimension {
  if (typeof dimension === 'number') return dimension;
  const [name = '', divisor = '1'] = dimension.split('/');
  return { name, divisor: Number(divisor) };
}

type Context = z.core.$RefinementCtx<ModelEntry>;

/** What no single field can tell. */
function checkModel(entry: ModelEntry, context: Context): void {
  const refuse = (path: (string | number)[], message: string) => context.addIssue({ code: 'custom', path, message, input: entry });
  for (const group of ['inputs', 'outputs'] as const) {
    const names = entry[group].map(({ name }) => name);
    names.forEach((name, index) => {
      if (names.indexOf(name) < index) refuse([group, index, 'name'], `expected a name of its own, "${name}" stands above already`);
    });
  }
  const declared = new Set(entry.inputs.flatMap(({ shape }) => shape.filter((dimension) => typeof dimension === 'string')));
  entry.outputs.forEach((output, index) => {
    const unknown = output.shape.find((dimension) => typeof dimension === 'string' && !declared.has(dimension.split('/')[0] ?? ''));
    if (unknown !== undefined)
      refuse(['outputs', index, 'shape'], `"${unknown}" is not a dimension of an input (${[...declared].join(', ') || 'none is named'})`);
    if (entry.behaviour === 'constant') checkConstant(output, (key, message) => refuse(['outputs', index, key], message));
  });
  if (entry.behaviour === 'echo') checkEcho(entry, refuse);
  if (entry.responses > 1 && !entry.decoupled) refuse(['responses'], 'only a decoupled model has several');
  if (entry.max_queue_delay_ms > 0 && entry.max_batch_size === 0) refuse(['max_queue_delay_ms'], 'has no effect without max_batch_size');
}

function checkConstant(
  { datatype, fill = datatype === 'BYTES' ? '' : 0, centre }: ModelEntry['outputs'][number],
  refuse: (key: string, message: string) => void,
): void {
  if ((datatype === 'BYTES') !== (typeof fill === 'string'))
    refuse('fill', `expected ${datatype === 'BYTES' ? 'a text' : 'a number'} for ${datatype}`);
  if (centre !== undefined && datatype === 'BYTES') refuse('centre', 'expected a datatype of numbers for this');
  const values = [fill, centre].filter((value) => typeof value === 'number');
  if (/^(BOOL|U?INT)/.test(datatype) && !values.every(Number.isSafeInteger)) refuse('fill', `expected whole numbers for ${datatype}`);
  if (/16$/.test(datatype) && /^(FP|BF)/.test(datatype) && values.some((value) => value !== 0)) {
    refuse('fill', `only 0 can be written as ${datatype}; use FP32 for other values`);
  }
}

function checkEcho(entry: ModelEntry, refuse: (path: (string | number)[], message: string) => void): void {
  if (entry.outputs.length !== entry.inputs.length)
    refuse(['outputs'], `expected ${entry.inputs.length}, one for each input, since the model echoes`);
  entry.outputs.forEach((output, index) => {
    const source = entry.inputs[index];
    if (source !== undefined && (source.datatype !== output.datatype || source.shape.join() !== output.shape.join())) {
      refuse(['outputs', index], `expected datatype ${source.datatype} and shape [${source.shape.join(', ')}] of the input that it echoes`);
    }
    if (output.fill !== undefined || output.centre !== undefined) refuse(['outputs', index], 'fill and centre are for constant outputs');
  });
}
