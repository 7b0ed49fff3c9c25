import { describe, expect, test } from 'vitest';
import type { GRPCInferenceServiceClient } from '../../src/triton/generated/inference/GRPCInferenceService.js';
import { codeOf, counts, executions, floats, infer, request, service, unary } from './client.js';
import type { ContractServer } from './server.js';

/** A request of `size` elements, each of `width` numbers. */
function batch(model: string, size: number, width = 2) {
  const bytes = floats(...Array.from({ length: size * width }, (_, index) => index));
  return request(model, bytes, { inputs: [{ name: 'IN', datatype: 'FP32', shape: [size, width] }] });
}

/** Dynamic batching. `late` waits 600 ms for more, `batched` and `raising` 300 ms; four elements are a full batch. */
export function describeBatching(server: () => ContractServer, client: () => GRPCInferenceServiceClient): void {
  const call = (model: string, size: number, width?: number) => infer(client(), batch(model, size, width));
  const counted = (model: string) => executions(client(), model);

  describe('batching', () => {
    test('the batch dimension stands in the metadata, not in the configuration', async () => {
      const { inputs, outputs } = await unary(client(), service.ModelMetadata, { name: 'batched' });
      expect([inputs[0]?.shape, outputs[0]?.shape]).toEqual([
        ['-1', '-1'],
        ['-1', '-1'],
      ]);
      const { config } = await unary(client(), service.ModelConfig, { name: 'batched' });
      expect(config).toMatchObject({ max_batch_size: 4, input: [{ dims: ['-1'] }], output: [{ dims: ['-1'] }] });
      expect(config?.dynamic_batching).toMatchObject({ max_queue_delay_microseconds: '300000' });
    });

    test('a call alone waits its delay, and is pending meanwhile; a full batch does not wait', async () => {
      const before = { late: await counted('late'), batched: await counted('batched') };
      const ended: string[] = [];
      const lone = call('late', 1).then(() => ended.push('lone'));
      await expect.poll(() => server().metric('nv_inference_pending_request_count', 'late')).toBe(1);
      const four = [1, 2, 3, 4].map(() => call('batched', 1).then(() => ended.push('of four')));
      await Promise.all([lone, ...four]);
      expect(ended).toEqual([...Array<string>(4).fill('of four'), 'lone']);
      await expect.poll(() => counted('late')).toEqual({ inferences: before.late.inferences + 1, executions: before.late.executions + 1 });
      await expect
        .poll(() => counted('batched'))
        .toEqual({ inferences: before.batched.inferences + 4, executions: before.batched.executions + 1 });
    });

    test('what does not fit goes in the next batch; each gets its own answer', async () => {
      const before = { calls: await counts(client(), 'batched'), ...(await counted('batched')) };
      const answers = await Promise.all([call('batched', 3), call('batched', 3)]);
      expect(answers.map(({ outputs }) => outputs[0]?.shape)).toEqual([
        ['3', '2'],
        ['3', '2'],
      ]);
      expect(answers.map(({ raw_output_contents }) => raw_output_contents)).toEqual([
        [floats(0, 1, 2, 3, 4, 5)],
        [floats(0, 1, 2, 3, 4, 5)],
      ]);
      await expect.poll(() => counted('batched')).toEqual({ inferences: before.inferences + 6, executions: before.executions + 2 });
      expect(await counts(client(), 'batched')).toEqual({ success: before.calls.success + 2, fail: before.calls.fail });
    });

    test('other shapes do not share a batch', async () => {
      const before = await counted('batched');
      await Promise.all([call('batched', 1, 2), call('batched', 1, 3)]);
      await expect.poll(() => counted('batched')).toEqual({ inferences: before.inferences + 2, executions: before.executions + 2 });
    });

    test('a batch too large, an empty one and a missing batch dimension are refused, and counted nowhere', async () => {
      const before = await counted('batched');
      expect(await codeOf(call('batched', 5))).toBe('INVALID_ARGUMENT');
      expect(await codeOf(call('batched', 0))).toBe('INVALID_ARGUMENT');
      expect(await codeOf(infer(client(), request('batched')))).toBe('INVALID_ARGUMENT');
      expect(await counted('batched')).toEqual(before);
    });

    test('an execution that raises fails every call of the batch: one execution, no inference', async () => {
      const before = { calls: await counts(client(), 'raising'), ...(await counted('raising')) };
      expect(await Promise.all([1, 2].map(() => codeOf(call('raising', 1))))).toEqual(['INTERNAL', 'INTERNAL']);
      await expect.poll(() => counts(client(), 'raising')).toEqual({ success: before.calls.success, fail: before.calls.fail + 2 });
      expect(await counted('raising')).toEqual({ inferences: before.inferences, executions: before.executions + 1 });
    });

    test('a request that is answered with an error is a counted success', async () => {
      const before = { calls: await counts(client(), 'erring'), ...(await counted('erring')) };
      await expect(infer(client(), request('erring'))).rejects.toMatchObject({ code: 13, details: 'a fault on command' });
      await expect.poll(() => counts(client(), 'erring')).toEqual({ success: before.calls.success + 1, fail: before.calls.fail });
      expect(await counted('erring')).toEqual({ inferences: before.inferences + 1, executions: before.executions + 1 });
    });
  });
}
