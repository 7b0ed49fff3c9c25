/** The models of the contract suite, for the reference server and for Triton from one description. */
import { stringify } from 'yaml';
import type { PythonModel } from '../support/triton-server.js';

/** How long an execution takes where the test needs to do something meanwhile. */
const SLOW_MS = 400;
/** Answers of a model that gives several, each after a time. */
export const SEVERAL = 3;
const PART_MS = 40;

interface ContractModel {
  readonly name: string;
  /** FP32 without it. */
  readonly datatype?: 'BYTES';
  /** -1 = any. */
  readonly shape?: readonly number[];
  readonly instances?: number;
  readonly delayMs?: number;
  readonly maxQueueSize?: number;
  readonly batch?: { readonly max: number; readonly delayMs: number };
  /** Answers of a decoupled model. */
  readonly responses?: number;
  /** raises: every execution · answers: every request is answered with an error. */
  readonly error?: 'raises' | 'answers';
}

/** Each gives back its input: IN, FP32, one dimension of any size, where nothing else is said. */
const MODELS: readonly ContractModel[] = [
  { name: 'batched', batch: { max: 4, delayMs: 300 } },
  { name: 'bounded', delayMs: SLOW_MS, maxQueueSize: 1 },
  { name: 'decoupled', responses: 1 },
  { name: 'echo' },
  { name: 'erring', error: 'answers' },
  { name: 'grid', shape: [1, 3, -1, -1] },
  { name: 'guest', delayMs: SLOW_MS },
  { name: 'late', batch: { max: 4, delayMs: 600 } },
  { name: 'mortal', delayMs: SLOW_MS },
  { name: 'pair', instances: 2, delayMs: SLOW_MS },
  { name: 'raising', error: 'raises', batch: { max: 4, delayMs: 300 } },
  { name: 'several', responses: SEVERAL, delayMs: PART_MS },
  { name: 'slow', delayMs: SLOW_MS },
  { name: 'text', datatype: 'BYTES' },
];

export const MODEL_NAMES: readonly string[] = MODELS.map(({ name }) => name);

function chosen(names: readonly string[]): readonly ContractModel[] {
  return MODELS.filter(({ name }) => names.includes(name));
}

/** The model file of the reference server. */
export function referenceModels(names: readonly string[] = MODEL_NAMES): string {
  return stringify({ models: Object.fromEntries(chosen(names).map((model) => [model.name, referenceModel(model)])) });
}

/** The commands that make its models fail as Triton's do. */
export function referenceFaults(names: readonly string[]): Readonly<Record<string, unknown>>[] {
  const at = { raises: 'execution', answers: 'answer' } as const;
  return chosen(names).flatMap(({ name, error }) => (error === undefined ? [] : [{ fault: 'error', model: name, at: at[error] }]));
}

function referenceModel({ datatype, shape = [-1], instances = 1, delayMs = 0, maxQueueSize, batch, responses }: ContractModel) {
  const tensor = { datatype: datatype ?? 'FP32', shape: shape.map((size, index) => (size === -1 ? `D${index}` : size)) };
  return {
    behaviour: 'echo',
    instances,
    runtime: { fixed_ms: delayMs },
    ...(responses === undefined ? {} : { decoupled: true, responses }),
    ...(maxQueueSize === undefined ? {} : { max_queue_size: maxQueueSize }),
    ...(batch === undefined ? {} : { max_batch_size: batch.max, max_queue_delay_ms: batch.delayMs }),
    inputs: [{ name: 'IN', ...tensor }],
    outputs: [{ name: 'OUT', ...tensor }],
  };
}

export function tritonModels(names: readonly string[]): PythonModel[] {
  return chosen(names).map((model) => {
    const { name, datatype, shape = [-1], instances = 1, maxQueueSize, batch, responses } = model;
    const tensor = `data_type: TYPE_${datatype === 'BYTES' ? 'STRING' : 'FP32'} dims: [${shape.join(', ')}]`;
    const config = [
      `max_batch_size: ${batch?.max ?? 0}`,
      `input [{ name: "IN" ${tensor} }]`,
      `output [{ name: "OUT" ${tensor} }]`,
      `instance_group [{ kind: KIND_CPU count: ${instances} }]`,
      ...(maxQueueSize === undefined ? [] : [`dynamic_batching { default_queue_policy { max_queue_size: ${maxQueueSize} } }`]),
      ...(batch === undefined ? [] : [`dynamic_batching { max_queue_delay_microseconds: ${1000 * batch.delayMs} }`]),
      ...(responses === undefined ? [] : ['model_transaction_policy { decoupled: true }']),
    ];
    return { name, config: `${config.join('\n')}\n`, python: python(model) };
  });
}

function python({ error, delayMs = 0, responses }: ContractModel): string {
  const execute =
    error === 'raises'
      ? "raise pb.TritonModelException('a fault on command')"
      : error === 'answers'
        ? "return [pb.InferenceResponse([], pb.TritonError('a fault on command')) for _ in requests]"
        : responses === undefined
          ? echo(delayMs)
          : decoupled(delayMs, responses);
  const lines = execute.split('\n').map((line) => `        ${line}`);
  return `import time
import triton_python_backend_utils as pb


def echoed(request):
    return pb.InferenceResponse([pb.Tensor('OUT', pb.get_input_tensor_by_name(request, 'IN').as_numpy())])


class TritonPythonModel:
    def execute(self, requests):
${lines.join('\n')}
`;
}

function echo(delayMs: number): string {
  return `time.sleep(${delayMs / 1000})
return [echoed(request) for request in requests]`;
}

function decoupled(delayMs: number, responses: number): string {
  return `for request in requests:
    for index in range(${responses}):
        time.sleep(${delayMs / 1000})
        last = pb.TRITONSERVER_RESPONSE_COMPLETE_FINAL if index == ${responses - 1} else 0
        request.get_response_sender().send(echoed(request), flags=last)
return None`;
}
