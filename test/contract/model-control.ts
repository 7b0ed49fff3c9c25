import { describe, expect, test } from 'vitest';
import type { GRPCInferenceServiceClient } from '../../src/triton/generated/inference/GRPCInferenceService.js';
import { codeOf, counts, infer, request, service, taken, unary } from './client.js';
import type { ContractServer } from './server.js';

const NONE = { success: 0, fail: 0 };

/** Loading and unloading. Nobody else uses `guest`, which takes 400 ms. */
export function describeModelControl(server: () => ContractServer, client: () => GRPCInferenceServiceClient): void {
  const load = (model_name: string, repository_name = '') => unary(client(), service.RepositoryModelLoad, { model_name, repository_name });
  const unload = (model_name: string, repository_name = '') =>
    unary(client(), service.RepositoryModelUnload, { model_name, repository_name });
  const call = (model: string) => infer(client(), request(model));
  const counted = (model: string) => counts(client(), model);
  const page = () => server().metric('nv_inference_request_success', 'guest');
  const pending = () => server().metric('nv_inference_pending_request_count', 'guest');
  const index = async (ready: boolean) => {
    const { models } = await unary(client(), service.RepositoryIndex, { ready });
    return models.filter(({ name }) => name === 'guest').map(({ state, reason }) => [state, reason]);
  };

  describe('model control', () => {
    test('an unknown model cannot be loaded, and need not be unloaded; there is one repository', async () => {
      expect(await codeOf(load('nobody'))).toBe('INTERNAL');
      expect(await codeOf(unload('nobody'))).toBe('OK');
      expect(await codeOf(load('guest', 'other'))).toBe('UNIMPLEMENTED');
      expect(await codeOf(unload('guest', 'other'))).toBe('UNIMPLEMENTED');
    });

    test('the first load by command replaces what was loaded at the start, a further one changes nothing', async () => {
      await call('guest');
      await expect.poll(() => counted('guest')).toEqual({ success: 1, fail: 0 });
      await load('guest');
      expect(await counted('guest')).toEqual(NONE);
      await call('guest');
      await expect.poll(() => counted('guest')).toEqual({ success: 1, fail: 0 });
      await load('guest');
      expect(await counted('guest')).toEqual({ success: 1, fail: 0 });
    });

    test('unloaded, it is not ready and not found; loaded again, it counts from 0, on the page too', async () => {
      await unload('guest');
      expect(await unary(client(), service.ModelReady, { name: 'guest' })).toMatchObject({ ready: false });
      expect(await codeOf(call('guest'))).toBe('NOT_FOUND');
      expect(await codeOf(unary(client(), service.ModelMetadata, { name: 'guest' }))).toBe('NOT_FOUND');
      expect(await codeOf(unary(client(), service.ModelConfig, { name: 'guest' }))).toBe('NOT_FOUND');
      expect(await codeOf(counted('guest'))).toBe('INVALID_ARGUMENT');
      const { model_stats } = await unary(client(), service.ModelStatistics, {});
      expect(model_stats.map(({ name }) => name)).not.toContain('guest');
      expect(await index(true)).toEqual([]);
      await expect.poll(() => index(false), { timeout: 5000 }).toEqual([['UNAVAILABLE', 'unloaded']]);
      expect(await codeOf(unary(client(), service.ServerReady, {}))).toBe('OK');
      await expect(page()).rejects.toThrow('no metric');
      await unload('guest');
      await load('guest');
      expect(await unary(client(), service.ModelReady, { name: 'guest' })).toMatchObject({ ready: true });
      expect(await index(true)).toEqual([['READY', '']]);
      expect(await counted('guest')).toEqual(NONE);
      await call('guest');
      await expect.poll(() => counted('guest')).toEqual({ success: 1, fail: 0 });
      await expect.poll(page).toBe(1);
    });

    test('what an unloaded model has accepted runs to its end, the waiting too', async () => {
      const accepted = [call('guest'), call('guest')];
      await expect.poll(pending).toBe(1);
      await unload('guest');
      expect(await codeOf(call('guest'))).toBe('NOT_FOUND');
      expect(await index(false)).toEqual([['UNLOADING', '']]);
      expect(await pending()).toBe(1);
      expect(await Promise.all(accepted.map(codeOf))).toEqual(['OK', 'OK']);
      await load('guest');
      expect(await counted('guest')).toEqual(NONE);
    });

    test('loaded again at once, it runs beside what is left, and does not count that', async () => {
      const onPage = await page();
      const ended: string[] = [];
      const note = (id: string) => () => ended.push(id);
      const old = Array.from({ length: 6 }, () => call('guest').then(note('old'))); // more than enough for the time that loading takes
      await expect.poll(pending).toBe(5);
      await unload('guest');
      await load('guest');
      await call('guest').then(note('new'));
      await Promise.all(old);
      expect(ended.at(-1)).toBe('old');
      await expect.poll(() => counted('guest')).toEqual({ success: 1, fail: 0 });
      await expect.poll(page).toBe(onPage + 7);
    });
  });

  describe('the process of a model killed', () => {
    test('every call fails and is counted, though the model is ready, until it is loaded again', async () => {
      await call('mortal');
      const running = codeOf(call('mortal'));
      await taken();
      await server().crash('mortal');
      expect(await running).toBe('INTERNAL');
      expect(await codeOf(call('mortal'))).toBe('INTERNAL');
      expect(await counted('mortal')).toEqual({ success: 1, fail: 2 });
      expect(await unary(client(), service.ModelReady, { name: 'mortal' })).toMatchObject({ ready: true });
      await unload('mortal');
      await load('mortal');
      expect(await codeOf(call('mortal'))).toBe('OK');
      await expect.poll(() => counted('mortal')).toEqual({ success: 1, fail: 0 });
    });
  });
}
