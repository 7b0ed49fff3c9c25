/** Health, metadata, configuration, counters and the index: everything about models that is not inference. */
import type { GRPCInferenceServiceHandlers } from '../triton/generated/inference/GRPCInferenceService.js';
import type { ModelConfig } from '../triton/generated/inference/ModelConfig.js';
import type { ModelStatistics } from '../triton/generated/inference/ModelStatistics.js';
import { configurationType } from './datatypes.js';
import type { ModelDescription, TensorDescription } from './model-description.js';
import type { ModelRunner, Tally } from './model-runner.js';
import type { Models } from './models.js';
import { RpcFailure } from './rpc-failure.js';
import { unary } from './unary.js';

const EXTENSIONS = ['model_configuration', 'system_shared_memory', 'binary_tensor_data', 'parameters', 'statistics'];

type Handlers = Pick<
  GRPCInferenceServiceHandlers,
  'ServerLive' | 'ServerReady' | 'ModelReady' | 'ServerMetadata' | 'ModelMetadata' | 'ModelConfig' | 'ModelStatistics' | 'RepositoryIndex'
>;

export function descriptionService(models: Models, version: string): Handlers {
  const running = (details: string) => {
    if (models.exiting) throw new RpcFailure('UNAVAILABLE', details);
  };
  return {
    ServerLive: unary(() => {
      running('Server exiting');
      return { live: true };
    }),
    ServerReady: unary(() => {
      running('Server exiting');
      return { ready: true };
    }),
    ModelReady: unary(({ name, version }) => {
      running('Server not ready');
      return { ready: models.find(name, version) !== undefined };
    }),
    ServerMetadata: unary(() => ({ name: 'vigilant-governor reference server', version, extensions: EXTENSIONS })),
    ModelMetadata: unary(({ name, version }) => metadata(models.get(name, version).model)),
    ModelConfig: unary(({ name, version }) => ({ config: configuration(models.get(name, version).model) })),
    ModelStatistics: unary(({ name, version }) => {
      running('Server not ready');
      return { model_stats: counted(models, name, version).map(statistics) };
    }),
    RepositoryIndex: unary(({ repository_name }) => {
      running('Server not ready');
      if (repository_name !== '') throw new RpcFailure('UNIMPLEMENTED', "'repository_name' specification is not supported");
      return { models: models.list().map(({ model }) => ({ name: model.name, version: model.version, state: 'READY', reason: '' })) };
    }),
  };
}

function metadata(model: ModelDescription) {
  const describe = ({ name, datatype, shape }: TensorDescription) => ({ name, datatype, shape: dimensions(shape) });
  return {
    name: model.name,
    versions: [model.version],
    platform: 'reference',
    inputs: model.inputs.map(describe),
    outputs: model.outputs.map(describe),
  };
}

function configuration(model: ModelDescription): ModelConfig {
  const describe = ({ name, datatype, shape }: TensorDescription) => ({
    name,
    data_type: configurationType(datatype),
    dims: dimensions(shape),
  });
  return {
    name: model.name,
    backend: 'reference',
    max_batch_size: 0,
    input: model.inputs.map(describe),
    output: model.outputs.map(describe),
    instance_group: [{ name: `${model.name}_0`, count: model.instances, kind: 'KIND_CPU' }],
    dynamic_batching: { default_queue_policy: { max_queue_size: model.maxQueueSize } },
    model_transaction_policy: { decoupled: model.decoupled },
  };
}

function dimensions(shape: TensorDescription['shape']): number[] {
  return shape.map((dimension) => (typeof dimension === 'number' ? dimension : -1));
}

/** Here an unknown model is a bad argument, as it is to Triton. */
function counted(models: Models, name: string, version: string): ModelRunner[] {
  if (name === '') return models.list();
  const runner = models.find(name, version);
  if (runner === undefined)
    throw new RpcFailure('INVALID_ARGUMENT', `requested model '${name}'${version === '' ? '' : ` version ${version}`} is not available`);
  return [runner];
}

function statistics(runner: ModelRunner): ModelStatistics {
  const none = { count: 0, ns: 0n };
  return {
    name: runner.model.name,
    version: runner.model.version,
    last_inference: runner.lastInferenceMs,
    inference_count: runner.success.count,
    execution_count: runner.success.count,
    inference_stats: {
      success: duration(runner.success),
      fail: duration(runner.fail),
      queue: duration(runner.queue),
      compute_input: duration({ ...none, count: runner.success.count }),
      compute_infer: duration(runner.compute),
      compute_output: duration({ ...none, count: runner.success.count }),
    },
  };
}

function duration({ count, ns }: Tally): { count: number; ns: string } {
  return { count, ns: String(ns) };
}
