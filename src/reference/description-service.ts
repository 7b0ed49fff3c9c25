/** Health, metadata, configuration and counters: what is told about models. */
import type { GRPCInferenceServiceHandlers } from '../triton/generated/inference/GRPCInferenceService.js';
import type { ModelConfig } from '../triton/generated/inference/ModelConfig.js';
import { configurationType } from './datatypes.js';
import type { Faults } from './faults.js';
import type { ModelDescription, TensorDescription } from './model-description.js';
import type { ModelRunner } from './model-runner.js';
import { statisticsOf } from './model-statistics.js';
import type { Models } from './models.js';
import { RpcFailure } from './rpc-failure.js';
import { unary } from './unary.js';

const EXTENSIONS = ['model_configuration', 'system_shared_memory', 'binary_tensor_data', 'parameters', 'statistics'];

type Handlers = Pick<
  GRPCInferenceServiceHandlers,
  'ServerLive' | 'ServerReady' | 'ModelReady' | 'ServerMetadata' | 'ModelMetadata' | 'ModelConfig' | 'ModelStatistics'
>;

export function descriptionService(models: Models, faults: Faults, version: string): Handlers {
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
      return { ready: faults.readiness() ?? models.isReady };
    }),
    ModelReady: unary(({ name, version }) => {
      running('Server not ready');
      return { ready: faults.readiness(name) ?? models.find(name, version) !== undefined };
    }),
    ServerMetadata: unary(() => ({ name: 'vigilant-governor reference server', version, extensions: EXTENSIONS })),
    ModelMetadata: unary(({ name, version }) => metadata(models.get(name, version).model)),
    ModelConfig: unary(({ name, version }) => ({ config: configuration(models.get(name, version).model) })),
    ModelStatistics: unary(({ name, version }) => {
      running('Server not ready');
      return { model_stats: counted(models, name, version).map((runner) => faults.counters(runner.model.name) ?? statisticsOf(runner)) };
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
  const { batching } = model;
  const describe = ({ name, datatype, shape }: TensorDescription) => ({
    name,
    data_type: configurationType(datatype),
    dims: dimensions(batching === undefined ? shape : shape.slice(1)),
  });
  return {
    name: model.name,
    backend: 'reference',
    max_batch_size: batching?.maxBatchSize ?? 0,
    input: model.inputs.map(describe),
    output: model.outputs.map(describe),
    instance_group: [{ name: `${model.name}_0`, count: model.instances, kind: 'KIND_CPU' }],
    dynamic_batching: {
      max_queue_delay_microseconds: Math.round(1000 * (batching?.maxQueueDelayMs ?? 0)),
      default_queue_policy: { max_queue_size: model.maxQueueSize },
    },
    model_transaction_policy: { decoupled: model.decoupled },
  };
}

function dimensions(shape: TensorDescription['shape']): number[] {
  return shape.map((dimension) => (typeof dimension === 'number' ? dimension : -1));
}

/** Here an unknown model is a bad argument, as it is to Triton. */
function counted(models: Models, name: string, version: string): ModelRunner[] {
  if (name === '') return models.list().flatMap(({ runner }) => runner ?? []);
  const runner = models.find(name, version);
  if (runner === undefined)
    throw new RpcFailure('INVALID_ARGUMENT', `requested model '${name}'${version === '' ? '' : ` version ${version}`} is not available`);
  return [runner];
}
