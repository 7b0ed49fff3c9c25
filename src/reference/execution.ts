/** One request from check to answer. */
import { ELEMENT_BYTES } from '../governor/datatype.js';
import type { ModelInferRequest__Output } from '../triton/generated/inference/ModelInferRequest.js';
import type { ModelInferResponse } from '../triton/generated/inference/ModelInferResponse.js';
import { filled } from './datatypes.js';
import type { ModelDescription, OutputDescription } from './model-description.js';
import type { ModelRunner } from './model-runner.js';
import { type CheckedOutput, type CheckedRequest, checkRequest } from './request.js';
import { bytesIn } from './request-inputs.js';
import { RpcFailure } from './rpc-failure.js';
import type { SharedMemory, SharedRegion } from './shared-memory.js';

export interface Progress {
  /** An instance has taken the inputs in; the execution waits for what this returns and fails with it. */
  begun(): Promise<void>;
  /** The execution that has begun is over, however it ended. */
  ended(): void;
  /** An answer of a model that gives several, not the last one. */
  partial(response: ModelInferResponse): void;
}

/**
 * Runs a request on its model, and resolves with the last answer. It runs to its end even when the caller has gone.
 * @throws {RpcFailure} when it is refused, when the execution fails, or when an output does not fit where it was to be put.
 */
export async function execute(
  runner: ModelRunner,
  request: ModelInferRequest__Output,
  memory: SharedMemory,
  progress: Progress,
): Promise<ModelInferResponse> {
  const checked = checkRequest(runner.model, request, memory);
  const regions = regionsOf(checked);
  for (const region of regions) region.uses += 1;
  try {
    let echoed: Uint8Array[] = [];
    const answerNow = () => answer(runner, request, checked.outputs, values(runner.model, checked, echoed));
    await runner.run({
      size: checked.size,
      shape: checked.shape,
      begin: () => {
        echoed = takeIn(runner.model, checked);
        return progress.begun();
      },
      ended: () => progress.ended(),
      partial: () => progress.partial(answerNow()),
    });
    return answerNow();
  } finally {
    for (const region of regions) region.uses -= 1;
  }
}

/** The inputs are read when an instance takes the call, not before: a region that changes while the call waits is seen changed. */
function takeIn(model: ModelDescription, { inputs }: CheckedRequest): Uint8Array[] {
  const index = inputs.findIndex(({ broken }) => broken);
  if (index >= 0) throw new RpcFailure('INVALID_ARGUMENT', `incomplete string data for inference input '${model.inputs[index]?.name}'`);
  return model.behaviour === 'echo' ? inputs.map(({ source }) => bytesIn(source)) : [];
}

function values(model: ModelDescription, { outputs }: CheckedRequest, echoed: readonly Uint8Array[]): Uint8Array[] {
  return outputs.map(({ output, shape, count }) => {
    if (model.behaviour === 'constant') return constant(output, shape, count);
    return echoed[model.outputs.indexOf(output)] ?? Buffer.alloc(0);
  });
}

function constant(output: OutputDescription, shape: readonly number[], count: number): Buffer {
  const bytes = filled(output.datatype, count, output.fill);
  if (output.centre === undefined || output.datatype === 'BYTES' || bytes.byteLength === 0) return bytes;
  const index = shape.reduce((position, dimension) => position * dimension + Math.floor(dimension / 2), 0);
  bytes.set(filled(output.datatype, 1, output.centre), index * ELEMENT_BYTES[output.datatype]);
  return bytes;
}

function answer(
  runner: ModelRunner,
  request: ModelInferRequest__Output,
  outputs: readonly CheckedOutput[],
  values: readonly Uint8Array[],
): ModelInferResponse {
  const raw = outputs.map(({ output, target }, index) => {
    const bytes = values[index] ?? Buffer.alloc(0);
    if (target === undefined) return bytes;
    if (bytes.byteLength > target.byteSize) {
      const details = `shared memory size specified with the request for output '${output.name}' (${target.byteSize} bytes) should be at least ${bytes.byteLength} bytes to hold the results`;
      throw new RpcFailure('INTERNAL', details);
    }
    target.region.write(target.offset, bytes);
    return Buffer.alloc(0); // keeps the place of this output in the list
  });
  return {
    model_name: runner.model.name,
    model_version: runner.model.version,
    id: request.id,
    outputs: outputs.map(({ output, shape }) => ({ name: output.name, datatype: output.datatype, shape: [...shape] })),
    raw_output_contents: raw,
  };
}

function regionsOf({ inputs, outputs }: CheckedRequest): Set<SharedRegion> {
  const slices = [...inputs.map(({ source }) => source), ...outputs.map(({ target }) => target)];
  return new Set(slices.flatMap((slice) => (slice !== undefined && 'region' in slice ? [slice.region] : [])));
}
