import { rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChannelOptions } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { codeOf, connect, counts, floats, infer, inRegion, request, service, taken, unary } from './client.js';
import type { ContractServer, StartServer } from './server.js';

const KEY = `/vig-contract-${process.pid}-restart`;

/** What ends connections and processes, one after the other, on a server of its own with `echo` and `slow`. */
export function describeEnds(start: StartServer): void {
  let running: ContractServer | undefined;
  const server = () => {
    if (running === undefined) throw new Error('the server did not start');
    return running;
  };
  const client = (options: ChannelOptions = {}) => {
    const connected = connect(server().endpoint, { ...options, 'grpc.use_local_subchannel_pool': 1 });
    onTestFinished(() => connected.close());
    return connected;
  };

  describe('ends', () => {
    beforeAll(async () => {
      running = await start(['echo', 'slow']);
    });
    afterAll(() => running?.stop());

    test('a client that is told to go away loses its calls, which run on and are counted', async () => {
      const other = client();
      const before = await counts(other, 'slow');
      const pinging = client({ 'grpc.keepalive_time_ms': 60, 'grpc.keepalive_permit_without_calls': 1 });
      const calls = [1, 2].map(() => infer(pinging, request('slow')));
      const ends = Promise.all(calls.map((call) => call.catch(({ code, details }) => [code, details])));
      await sleep(250); // the third ping has been sent by now, and no call has ended
      await server().goAway();
      const tooMuch = [8, 'Bandwidth exhausted or memory limit exceeded'];
      expect(await ends).toEqual([tooMuch, tooMuch]);
      await expect.poll(() => counts(other, 'slow'), { timeout: 5000 }).toEqual({ success: before.success + 2, fail: before.fail });
      expect(await codeOf(infer(pinging, request('echo')))).toBe('OK');
    });

    test('a stopped process answers nothing; continued, it executes what came meanwhile', async () => {
      const calling = client();
      const before = await counts(calling, 'echo');
      server().signal('SIGSTOP');
      const call = unary(calling, service.ModelInfer, request('echo'), { deadline: Date.now() + 300 });
      expect(await codeOf(call)).toBe('DEADLINE_EXCEEDED');
      server().signal('SIGCONT');
      await expect.poll(() => counts(calling, 'echo')).toEqual({ success: before.success + 1, fail: before.fail });
    });

    test('a killed server drops its calls; the next one on the port knows neither counters nor regions', async () => {
      const first = client();
      writeFileSync(`/dev/shm${KEY}`, Buffer.alloc(4096));
      onTestFinished(() => rmSync(`/dev/shm${KEY}`, { force: true }));
      const register = (from: ReturnType<typeof client>) =>
        unary(from, service.SystemSharedMemoryRegister, { name: 'in', key: KEY, offset: 0, byte_size: 4096 });
      const placed = { model_name: 'echo', inputs: [{ name: 'IN', datatype: 'FP32', shape: [1], parameters: inRegion('in', 4) }] };
      await register(first);
      expect(await codeOf(infer(first, placed))).toBe('OK');
      await expect.poll(async () => (await counts(first, 'echo')).success).toBeGreaterThan(0);
      const open = [codeOf(infer(first, request('slow'))), codeOf(infer(first, request('slow')))];
      const stream = first.ModelStreamInfer();
      const streamEnd = new Promise<number>((resolve) => stream.once('status', ({ code }) => resolve(code)));
      stream.on('error', () => undefined); // comes as a status too
      stream.write(request('echo'));
      await taken();

      const restarted = server().restart();
      expect(await Promise.all(open)).toEqual(['UNAVAILABLE', 'UNAVAILABLE']);
      expect(await streamEnd).toBe(14);
      await expect
        .poll(async () => unary(client(), service.ServerLive, {}).catch((error: Error) => error.message))
        .toContain('ECONNREFUSED');
      await restarted;

      const next = client();
      expect(await unary(next, service.ServerReady, {})).toMatchObject({ ready: true });
      expect(await counts(next, 'echo')).toEqual({ success: 0, fail: 0 });
      expect(await counts(next, 'slow')).toEqual({ success: 0, fail: 0 });
      expect(await server().metric('nv_inference_request_success', 'echo')).toBe(0);
      expect((await unary(next, service.SystemSharedMemoryStatus, {})).regions).toEqual({});
      expect(await codeOf(infer(next, placed))).toBe('NOT_FOUND');
      await register(next);
      expect(await codeOf(infer(next, placed))).toBe('OK');
    });

    test('SIGTERM: what was accepted ends, what is new is refused, then the process is gone', async () => {
      const open = client();
      const accepted = ['one', 'two', 'three'].map((id) => infer(open, request('slow', floats(1), { id })));
      await expect.poll(() => server().metric('nv_inference_pending_request_count', 'slow')).toBe(2);
      server().signal('SIGTERM');
      await expect.poll(() => codeOf(unary(open, service.ServerReady, {}))).toBe('UNAVAILABLE');
      expect(await codeOf(infer(open, request('echo')))).toBe('NOT_FOUND');
      expect(await codeOf(unary(open, service.ModelReady, { name: 'echo' }))).toBe('UNAVAILABLE');
      expect(await codeOf(unary(open, service.ModelStatistics, {}))).toBe('UNAVAILABLE');
      expect(await codeOf(unary(open, service.RepositoryIndex, {}))).toBe('UNAVAILABLE');
      expect(await codeOf(unary(open, service.RepositoryModelLoad, { model_name: 'echo' }))).toBe('UNAVAILABLE');
      expect(await codeOf(unary(open, service.RepositoryModelUnload, { model_name: 'echo' }))).toBe('UNAVAILABLE');
      expect((await Promise.all(accepted)).map(({ id }) => id)).toEqual(['one', 'two', 'three']);
      await server().stop();
      expect(await codeOf(infer(open, request('echo')))).toBe('UNAVAILABLE');
    });
  });
}
