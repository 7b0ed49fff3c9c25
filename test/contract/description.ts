import { describe, expect, test } from 'vitest';
import type { GRPCInferenceServiceClient } from '../../src/triton/generated/inference/GRPCInferenceService.js';
import { codeOf, service, unary } from './client.js';
import { MODEL_NAMES } from './models.js';

/** Health, metadata, configuration, index. */
export function describeDescription(client: () => GRPCInferenceServiceClient): void {
  const ready = (name: string, version = '') => unary(client(), service.ModelReady, { name, version });
  const metadata = (name: string, version = '') => unary(client(), service.ModelMetadata, { name, version });
  const configuration = (name: string) => unary(client(), service.ModelConfig, { name });
  const statistics = (name: string, version = '') => unary(client(), service.ModelStatistics, { name, version });

  describe('description', () => {
    test('the server is live and ready', async () => {
      expect(await unary(client(), service.ServerLive, {})).toMatchObject({ live: true });
      expect(await unary(client(), service.ServerReady, {})).toMatchObject({ ready: true });
    });

    test('a model is ready when it exists in that version', async () => {
      expect(await ready('echo')).toMatchObject({ ready: true });
      expect(await ready('echo', '1')).toMatchObject({ ready: true });
      expect(await ready('echo', '7')).toMatchObject({ ready: false });
      expect(await ready('nobody')).toMatchObject({ ready: false });
      expect(await codeOf(ready('echo', 'new'))).toBe('INVALID_ARGUMENT');
    });

    test('the server names what it can do', async () => {
      const { name, version, extensions } = await unary(client(), service.ServerMetadata, {});
      expect(name).not.toBe('');
      expect(version).toMatch(/^\d+\.\d+/);
      expect(extensions).toEqual(
        expect.arrayContaining(['model_configuration', 'system_shared_memory', 'binary_tensor_data', 'parameters', 'statistics']),
      );
    });

    test('metadata give shapes with -1 for what varies', async () => {
      const { name, versions, inputs, outputs } = await metadata('grid');
      expect({ name, versions, inputs, outputs }).toEqual({
        name: 'grid',
        versions: ['1'],
        inputs: [{ name: 'IN', datatype: 'FP32', shape: ['1', '3', '-1', '-1'] }],
        outputs: [{ name: 'OUT', datatype: 'FP32', shape: ['1', '3', '-1', '-1'] }],
      });
    });

    test('text is BYTES in metadata and STRING in the configuration', async () => {
      expect((await metadata('text')).inputs).toMatchObject([{ datatype: 'BYTES' }]);
      expect((await configuration('text')).config).toMatchObject({
        input: [{ data_type: 'TYPE_STRING' }],
        output: [{ data_type: 'TYPE_STRING' }],
      });
    });

    test('the configuration gives instances, queue limit and decoupling', async () => {
      const { config } = await configuration('pair');
      expect(config).toMatchObject({
        name: 'pair',
        max_batch_size: 0,
        input: [{ name: 'IN', data_type: 'TYPE_FP32', dims: ['-1'], optional: false }],
        output: [{ name: 'OUT', data_type: 'TYPE_FP32', dims: ['-1'] }],
      });
      expect(config?.instance_group).toMatchObject([{ count: 2, kind: 'KIND_CPU' }]);
      const bounded = (await configuration('bounded')).config;
      expect(bounded?.dynamic_batching).toMatchObject({ max_queue_delay_microseconds: '0', default_queue_policy: { max_queue_size: 1 } });
      expect((await configuration('decoupled')).config?.model_transaction_policy).toEqual({ decoupled: true });
      expect(config?.model_transaction_policy?.decoupled ?? false).toBe(false);
    });

    test('an unknown model or version has no metadata and no configuration', async () => {
      expect(await codeOf(metadata('nobody'))).toBe('NOT_FOUND');
      expect(await codeOf(metadata('echo', '7'))).toBe('NOT_FOUND');
      expect(await codeOf(metadata('echo', 'new'))).toBe('INVALID_ARGUMENT');
      expect(await codeOf(configuration('nobody'))).toBe('NOT_FOUND');
    });

    test('statistics of an unknown model are a bad argument', async () => {
      expect(await codeOf(statistics('nobody'))).toBe('INVALID_ARGUMENT');
      expect(await codeOf(statistics('echo', '7'))).toBe('INVALID_ARGUMENT');
    });

    test('statistics and index name every model once, with its version', async () => {
      const named = (list: readonly { readonly name: string; readonly version: string }[]) =>
        list.map(({ name, version }) => [name, version]);
      const all = MODEL_NAMES.map((name) => [name, '1']);
      expect(named((await statistics('')).model_stats)).toEqual(all);
      const { models } = await unary(client(), service.RepositoryIndex, { ready: true });
      expect(named(models)).toEqual(all);
      expect(new Set(models.map(({ state }) => state))).toEqual(new Set(['READY']));
      expect(await codeOf(unary(client(), service.RepositoryIndex, { repository_name: 'other' }))).toBe('UNIMPLEMENTED');
    });
  });
}
