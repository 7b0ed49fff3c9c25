/** The models of the contract suite, for the reference server and for Triton from one description. */
import { stringify } from 'yaml';
import type { PythonModel } from '../support/triton-server.js';

/** How long an execution takes where the test needs to do something meanwhile. */
const SLOW_MS = 400;

interface ContractModel {
  readonly name: string;
  /** FP32 without it. */
  readonly datatype?: 'BYTES';
  /** -1 = any. */
  readonly shape?: readonly number[];
  readonly instances?: number;
  readonly delayMs?: number;
  readonly maxQueueSize?: number;
  readonly decoupled?: boolean;
}

/** Each gives back its input: IN, FP32, one dimension of any size, where nothing else is said. */
const MODELS: readonly ContractModel[] = [
  { name: 'bounded', delayMs: SLOW_MS, maxQueueSize: 1 },
  { name: 'decoupled', decoupled: true },
  { name: 'echo' },
  { name: 'grid', shape: [1, 3, -1, -1] },
  { name: 'pair', instances: 2, delayMs: SLOW_MS },
  { name: 'slow', delayMs: SLOW_MS },
  { name: 'text', datatype: 'BYTES' },
];

export const MODEL_NAMES: readonly string[] = MODELS.map(({ name }) => name);

/** The model file of the reference server. */
export function referenceModels(): string {
  return stringify({ models: Object.fromEntries(MODELS.map((model) => [model.name, referenceModel(model)])) });
}

function referenceModel({ datatype, shape = [-1], instances = 1, delayMs = 0, maxQueueSize, decoupled = false }: ContractModel) {
  const tensor = { datatype: datatype ?? 'FP32', shape: shape.map((size, index) => (size === -1 ? `D${index}` : size)) };
  return {
    behaviour: 'echo',
    instances,
    decoupled,
    runtime: { fixed_ms: delayMs },
    ...(maxQueueSize === undefined ? {} : { max_queue_size: maxQueueSize }),
    inputs: [{ name: 'IN', ...tensor }],
    outputs: [{ name: 'OUT', ...tensor }],
  };
}

export function tritonModels(): PythonModel[] {
  return MODELS.map(({ name, datatype, shape = [-1], instances = 1, delayMs = 0, maxQueueSize, decoupled = false }) => {
    const tensor = `data_type: TYPE_${datatype === 'BYTES' ? 'STRING' : 'FP32'} dims: [${shape.join(', ')}]`;
    const config = [
      `input [{ name: "IN" ${tensor} }]`,
      `output [{ name: "OUT" ${tensor} }]`,
      `instance_group [{ kind: KIND_CPU count: ${instances} }]`,
      ...(maxQueueSize === undefined ? [] : [`dynamic_batching { default_queue_policy { max_queue_size: ${maxQueueSize} } }`]),
      ...(decoupled ? ['model_transaction_policy { decoupled: true }'] : []),
    ];
    return { name, config: `${config.join('\n')}\n`, python: decoupled ? DECOUPLED : echo(delayMs) };
  });
}

function echo(delayMs: number): string {
  return `import time
import triton_python_backend_utils as pb


class TritonPythonModel:
    def execute(self, requests):
        time.sleep(${delayMs / 1000})
        values = [pb.get_input_tensor_by_name(request, 'IN').as_numpy() for request in requests]
        return [pb.InferenceResponse([pb.Tensor('OUT', value)]) for value in values]
`;
}

const DECOUPLED = `import triton_python_backend_utils as pb


class TritonPythonModel:
    def execute(self, requests):
        for request in requests:
            value = pb.get_input_tensor_by_name(request, 'IN').as_numpy()
            response = pb.InferenceResponse([pb.Tensor('OUT', value)])
            request.get_response_sender().send(response, flags=pb.TRITONSERVER_RESPONSE_COMPLETE_FINAL)
        return None
`;
