import { afterEach, describe, expect, test } from 'vitest';
import type { GRPCInferenceServiceClient } from '../../src/triton/generated/inference/GRPCInferenceService.js';
import { codeOf, connect, floats, infer, request, service, unary } from './client.js';
import type { ContractServer, StartServer } from './server.js';

/** SIGTERM, on a server of its own. */
export function describeShutdown(start: StartServer): void {
  describe('shutdown', () => {
    let server: ContractServer | undefined;
    let client: GRPCInferenceServiceClient | undefined;

    afterEach(async () => {
      client?.close();
      await server?.stop();
    });

    test('what was accepted ends, what is new is refused, then the process is gone', async () => {
      const own = await start();
      server = own;
      const open = connect(own.endpoint);
      client = open;
      const accepted = ['one', 'two', 'three'].map((id) => infer(open, request('slow', floats(1), { id })));
      await expect.poll(() => own.metric('nv_inference_pending_request_count', 'slow')).toBe(2);
      own.terminate();
      await expect.poll(() => codeOf(unary(open, service.ServerReady, {}))).toBe('UNAVAILABLE');
      expect(await codeOf(infer(open, request('echo')))).toBe('NOT_FOUND');
      expect(await codeOf(unary(open, service.ModelReady, { name: 'echo' }))).toBe('UNAVAILABLE');
      expect(await codeOf(unary(open, service.ModelStatistics, {}))).toBe('UNAVAILABLE');
      expect((await Promise.all(accepted)).map(({ id }) => id)).toEqual(['one', 'two', 'three']);
      await own.stop();
      expect(await codeOf(infer(open, request('echo')))).toBe('UNAVAILABLE');
    });
  });
}
