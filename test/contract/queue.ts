import { status } from '@grpc/grpc-js';
import { describe, expect, test } from 'vitest';
import type { GRPCInferenceServiceClient } from '../../src/triton/generated/inference/GRPCInferenceService.js';
import { codeOf, counts, infer, request, service, taken, unary } from './client.js';
import type { ContractServer } from './server.js';

/** Instances, the queue of each model, and the counters while it moves. */
export function describeQueue(server: () => ContractServer, client: () => GRPCInferenceServiceClient): void {
  const call = (model: string) => infer(client(), request(model));
  const pending = (model: string) => server().metric('nv_inference_pending_request_count', model);
  const succeeded = (model: string) => server().metric('nv_inference_request_success', model);

  describe('queue', () => {
    test('calls to one model run one after the other, in order; one to another model starts at once', async () => {
      const ended: string[] = [];
      const note = (id: string) => () => ended.push(id);
      const first = call('slow').then(note('first'));
      await taken();
      const second = call('slow').then(note('second'));
      await expect.poll(() => pending('slow')).toBe(1);
      const third = call('slow').then(note('third'));
      await call('echo').then(note('other'));
      await Promise.all([first, second, third]);
      expect(ended).toEqual(['other', 'first', 'second', 'third']);
      expect(await pending('slow')).toBe(0);
    });

    test('pending are the calls beyond the instances', async () => {
      const calls = [1, 2, 3].map(() => call('pair'));
      await expect.poll(() => pending('pair')).toBe(1);
      await Promise.all(calls);
      await expect.poll(() => pending('pair')).toBe(0);
    });

    test('counters move when an execution ends, not before', async () => {
      const before = await counts(client(), 'slow');
      const onPage = await succeeded('slow');
      const calls = [call('slow'), call('slow')];
      await expect.poll(() => pending('slow')).toBe(1);
      expect(await counts(client(), 'slow')).toEqual(before);
      await Promise.all(calls);
      await expect.poll(() => counts(client(), 'slow')).toEqual({ success: before.success + 2, fail: before.fail });
      await expect.poll(() => succeeded('slow')).toBe(onPage + 2);
    });

    test('beyond the queue limit calls are refused, and counted nowhere', async () => {
      const before = await counts(client(), 'bounded');
      const running = call('bounded');
      await taken();
      const waiting = call('bounded');
      await expect.poll(() => pending('bounded')).toBe(1);
      const refused = call('bounded');
      await expect(refused).rejects.toMatchObject({ details: expect.stringContaining('Exceeds maximum queue size') });
      expect(await codeOf(refused)).toBe('UNAVAILABLE');
      await Promise.all([running, waiting]);
      await expect.poll(() => counts(client(), 'bounded')).toEqual({ success: before.success + 2, fail: before.fail });
    });

    test('calls whose caller has gone run to their end and are counted, the waiting one too', async () => {
      const before = await counts(client(), 'slow');
      const codes: (string | undefined)[] = [];
      const open = [0, 1].map(() => client().ModelInfer(request('slow'), (error) => codes.push(status[error?.code ?? status.OK])));
      await expect.poll(() => pending('slow')).toBe(1);
      for (const one of open) one.cancel();
      await expect.poll(() => codes).toEqual(['CANCELLED', 'CANCELLED']);
      expect(await counts(client(), 'slow')).toEqual(before);
      await expect.poll(() => counts(client(), 'slow'), { timeout: 5000 }).toEqual({ success: before.success + 2, fail: before.fail });
    });

    test('so does a call whose deadline has passed', async () => {
      const before = await counts(client(), 'slow');
      const late = unary(client(), service.ModelInfer, request('slow'), { deadline: Date.now() + 100 });
      expect(await codeOf(late)).toBe('DEADLINE_EXCEEDED');
      await expect.poll(() => counts(client(), 'slow'), { timeout: 5000 }).toEqual({ success: before.success + 1, fail: before.fail });
    });
  });
}
