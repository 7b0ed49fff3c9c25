import { describe, expect, test } from 'vitest';
import type { ModelMetadata } from '../../src/governor/model-metadata.js';
import type { ModelConfig } from '../../src/triton/generated/inference/ModelConfig.js';
import type { ModelMetadataResponse } from '../../src/triton/generated/inference/ModelMetadataResponse.js';
import { CONTROL_LIMIT_BYTES, receiveLimitBytes, UNKNOWN_SIZE_LIMIT_BYTES } from '../../src/triton/message-limit.js';
import { parseModelMetadata } from '../../src/triton/model-metadata.js';
import { loadProtocol } from '../../src/triton/protocol.js';

const TENSOR = { name: 'x', datatype: 'FP32', shape: [1, -1] };
const METADATA: ModelMetadataResponse = { name: 'm', versions: ['1'], inputs: [TENSOR], outputs: [{ ...TENSOR, name: 'y' }] };

/** Over the wire, as a server would send it. */
function parse(metadata: ModelMetadataResponse, config?: ModelConfig): ModelMetadata {
  const { service } = loadProtocol();
  const description = service.ModelMetadata.responseDeserialize(service.ModelMetadata.responseSerialize(metadata));
  if (config === undefined) return parseModelMetadata('m', description, undefined);
  const configured = service.ModelConfig.responseDeserialize(service.ModelConfig.responseSerialize({ config }));
  return parseModelMetadata('m', description, configured.config ?? undefined);
}

describe('metadata', () => {
  test('without a configuration says nothing about instances', () => {
    expect(parse(METADATA)).toEqual({
      name: 'm',
      versions: ['1'],
      inputs: [{ name: 'x', datatype: 'FP32', shape: [1, -1] }],
      outputs: [{ name: 'y', datatype: 'FP32', shape: [1, -1] }],
      maxBatchSize: 0,
      decoupled: false,
    });
  });

  test('counts the instances that can run', () => {
    const instance_group = [
      { count: 2, kind: 'KIND_CPU' as const },
      { count: 3, kind: 'KIND_GPU' as const, gpus: [0, 1] },
      { count: 5, kind: 'KIND_CPU' as const, passive: true },
    ];
    expect(parse(METADATA, { instance_group }).instances).toBe(8);
    expect(parse(METADATA, { instance_group: [] }).instances).toBeUndefined();
  });

  test('tells what holds calls back', () => {
    const config = {
      max_batch_size: 4,
      model_transaction_policy: { decoupled: true },
      dynamic_batching: { max_queue_delay_microseconds: 500, default_queue_policy: { max_queue_size: 3 } },
    };
    expect(parse(METADATA, config)).toMatchObject({ maxBatchSize: 4, decoupled: true, dynamicBatching: { delayUs: 500, maxQueueSize: 3 } });
  });

  const withInput = (input: object): ModelMetadataResponse => ({ ...METADATA, inputs: [{ ...TENSOR, ...input }] });
  test.each<[string, ModelMetadataResponse, ModelConfig | undefined, RegExp]>([
    ['another model', { ...METADATA, name: 'other' }, undefined, /answered for "other"/],
    ['a negative size', withInput({ shape: [-2] }), undefined, /input "x" has a dimension of -2/],
    ['a size of zero', withInput({ shape: [0] }), undefined, /dimension of 0/],
    ['a size beyond what a number holds', withInput({ shape: ['9223372036854775807'] }), undefined, /9223372036854775807/],
    ['a shape without end', withInput({ shape: Array.from({ length: 33 }, () => 1) }), undefined, /33 dimensions/],
    ['an unknown datatype', withInput({ datatype: 'FP7' }), undefined, /datatype "FP7"/],
    ['no name', withInput({ name: '' }), undefined, /name ""/],
    ['a name with control characters', withInput({ name: 'a\u001b[2J' }), undefined, /name "a\\u001b/],
    ['one name twice', { ...METADATA, inputs: [TENSOR, TENSOR] }, undefined, /two inputs have the name "x"/],
    ['no outputs', { ...METADATA, outputs: [] }, undefined, /no output/],
    ['a negative batch size', METADATA, { max_batch_size: -1 }, /max_batch_size is -1/],
    ['a negative count', METADATA, { instance_group: [{ count: -3 }] }, /count of -3/],
    ['endless instances', METADATA, { instance_group: [{ count: 2 ** 31 - 1 }] }, /2147483647 instances/],
  ])('with %s is refused', (_what, metadata, config, message) => {
    expect(() => parse(metadata, config)).toThrow(
      expect.objectContaining({ code: 'invalid_metadata', message: expect.stringMatching(message) }),
    );
    expect(() => parse(metadata, config)).toThrow(/model "m"/);
  });
});

describe('the receive limit', () => {
  const limit = (shape: number[], datatype = 'FP32', config?: ModelConfig): number =>
    receiveLimitBytes(parse({ ...METADATA, outputs: [{ name: 'y', datatype, shape }] }, config));

  test('covers outputs of fixed size in the longest form they can take', () => {
    expect(limit([1, 1000, 1000, 3])).toBeGreaterThan(12_000_000);
    expect(limit([1, 1000, 1000, 3])).toBeLessThan(13_000_000);
    expect(limit([1, 1000, 1000], 'INT8')).toBeGreaterThan(10_000_000);
  });

  test('counts a batch dimension up to the largest batch', () => {
    expect(limit([-1, 1_000_000], 'FP32', { max_batch_size: 4 })).toBeGreaterThan(16_000_000);
  });

  test('has a cap for outputs of unknown size, and one for all', () => {
    expect(limit([-1, 10])).toBeGreaterThanOrEqual(UNKNOWN_SIZE_LIMIT_BYTES);
    expect(limit([1], 'BYTES')).toBeGreaterThanOrEqual(UNKNOWN_SIZE_LIMIT_BYTES);
    expect(limit([100_000, 100_000])).toBe(256 * 1024 * 1024);
  });

  test('leaves room for control calls', () => {
    expect(limit([1])).toBe(CONTROL_LIMIT_BYTES);
  });
});
