/** What a server says about a model, checked: nothing hostile or contradictory gets past here. */
import { isDatatype } from '../governor/datatype.js';
import type { DynamicBatching, ModelMetadata, TensorMetadata } from '../governor/model-metadata.js';
import type { ModelConfig__Output } from './generated/inference/ModelConfig.js';
import type { ModelInstanceGroup__Output } from './generated/inference/ModelInstanceGroup.js';
import type {
  _inference_ModelMetadataResponse_TensorMetadata__Output,
  ModelMetadataResponse__Output,
} from './generated/inference/ModelMetadataResponse.js';
import { TritonError } from './triton-error.js';

const MAX_TENSORS = 1024;
const MAX_RANK = 32;
const MAX_INSTANCES = 65_536;
const NAME = /^[^\p{Cc}]{1,1024}$/u;

/**
 * @param model the name that was asked for
 * @param config absent where the server has no ModelConfig call
 * @throws {TritonError} `invalid_metadata`, with the model and the offending value
 */
export function parseModelMetadata(
  model: string,
  metadata: ModelMetadataResponse__Output,
  config: ModelConfig__Output | undefined,
): ModelMetadata {
  if (metadata.name !== model) throw invalid(model, `the server answered for "${metadata.name}"`);
  const instances = config === undefined ? undefined : countInstances(model, config.instance_group);
  const maxBatchSize = config?.max_batch_size ?? 0;
  if (maxBatchSize < 0) throw invalid(model, `max_batch_size is ${maxBatchSize}`);
  const dynamicBatching = parseDynamicBatching(model, config);
  return {
    name: model,
    versions: metadata.versions,
    inputs: parseTensors(model, 'input', metadata.inputs),
    outputs: parseTensors(model, 'output', metadata.outputs),
    ...(instances === undefined ? {} : { instances }),
    maxBatchSize,
    decoupled: config?.model_transaction_policy?.decoupled ?? false,
    ...(dynamicBatching === undefined ? {} : { dynamicBatching }),
  };
}

function parseTensors(
  model: string,
  kind: 'input' | 'output',
  tensors: readonly _inference_ModelMetadataResponse_TensorMetadata__Output[],
): readonly TensorMetadata[] {
  if (tensors.length === 0) throw invalid(model, `it has no ${kind}`);
  if (tensors.length > MAX_TENSORS) throw invalid(model, `it has ${tensors.length} ${kind}s`);
  const names = new Set<string>();
  return tensors.map((tensor) => {
    const { name, datatype } = tensor;
    if (!NAME.test(name)) throw invalid(model, `an ${kind} has the name ${JSON.stringify(name.slice(0, 80))}`);
    if (names.has(name)) throw invalid(model, `two ${kind}s have the name "${name}"`);
    names.add(name);
    if (!isDatatype(datatype)) throw invalid(model, `${kind} "${name}" has the datatype ${JSON.stringify(datatype.slice(0, 80))}`);
    return { name, datatype, shape: parseShape(model, `${kind} "${name}"`, tensor.shape) };
  });
}

function parseShape(model: string, what: string, shape: readonly string[]): readonly number[] {
  if (shape.length > MAX_RANK) throw invalid(model, `${what} has ${shape.length} dimensions`);
  return shape.map((text) => {
    const size = Number(text);
    if (!Number.isSafeInteger(size) || size < -1 || size === 0) throw invalid(model, `${what} has a dimension of ${text}`);
    return size;
  });
}

function countInstances(model: string, groups: readonly ModelInstanceGroup__Output[]): number | undefined {
  let total = 0;
  for (const group of groups) {
    if (group.count < 0) throw invalid(model, `an instance group has a count of ${group.count}`);
    const devices = group.kind === 'KIND_GPU' ? Math.max(1, group.gpus.length) : 1;
    if (!group.passive) total += group.count * devices;
  }
  if (total > MAX_INSTANCES) throw invalid(model, `it has ${total} instances`);
  return total === 0 ? undefined : total;
}

function parseDynamicBatching(model: string, config: ModelConfig__Output | undefined): DynamicBatching | undefined {
  const batching = config?.dynamic_batching;
  if (batching === undefined || batching === null) return undefined;
  const delayUs = Number(batching.max_queue_delay_microseconds);
  if (!Number.isSafeInteger(delayUs)) throw invalid(model, `max_queue_delay_microseconds is ${batching.max_queue_delay_microseconds}`);
  return { delayUs, maxQueueSize: batching.default_queue_policy?.max_queue_size ?? 0 };
}

function invalid(model: string, what: string): TritonError {
  return new TritonError('invalid_metadata', `the server's description of model "${model}" cannot be used: ${what}`);
}
