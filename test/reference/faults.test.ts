import { readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ReferenceServer } from '../../src/reference/server.js';
import { codeOf, counts, infer, request, service, streamed, unary } from '../contract/client.js';
import { command, control } from '../support/faults.js';
import { modelMetric } from '../support/model-metric.js';
import { connectTo, startServer } from './reference-harness.js';

function openFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`);
    } catch {
      return []; // closed meanwhile
    }
  });
}

const NONE = { success: 0, fail: 0 };

/** Resolves when so many calls wait for an instance. */
async function pending(server: ReferenceServer, model: string, calls: number): Promise<void> {
  await expect.poll(() => modelMetric(server.metricsPort, 'nv_inference_pending_request_count', model), { timeout: 10_000 }).toBe(calls);
}

describe('hang', () => {
  test('at arrival: no answer, nothing runs; cleared, the call goes on', async () => {
    const { server, client } = await startServer();
    await command(server.metricsPort, { fault: 'hang', at: 'arrival' });
    const call = infer(client, request('echo'));
    expect(await Promise.race([call, sleep(100)])).toBe(undefined);
    expect(await counts(client, 'echo')).toEqual(NONE);
    await control(server.metricsPort, 'DELETE', '/faults');
    expect(await codeOf(call)).toBe('OK');
    expect(await counts(client, 'echo')).toEqual({ success: 1, fail: 0 });
  });

  test('at execution, as without "at": the instance stays taken, the next call waits', async () => {
    const { server, client } = await startServer();
    const id = await command(server.metricsPort, { fault: 'hang', model: 'echo', count: 1 });
    const calls = [infer(client, request('echo')), infer(client, request('echo'))];
    expect(await Promise.race([...calls, sleep(100)])).toBe(undefined);
    expect(await counts(client, 'echo')).toEqual(NONE);
    await control(server.metricsPort, 'DELETE', `/faults/${id}`);
    await Promise.all(calls);
    expect(await counts(client, 'echo')).toEqual({ success: 2, fail: 0 });
  });

  test('at answer: counted, not answered; the next call runs', async () => {
    const { server, client } = await startServer();
    await command(server.metricsPort, { fault: 'hang', at: 'answer', count: 1 });
    const call = infer(client, request('echo'));
    expect(await Promise.race([call, sleep(100)])).toBe(undefined);
    expect(await codeOf(infer(client, request('echo')))).toBe('OK');
    expect(await counts(client, 'echo')).toEqual({ success: 2, fail: 0 });
  });

  test('does not keep the server from its end', async () => {
    const { server, client } = await startServer();
    for (const at of ['arrival', 'execution', 'answer']) await command(server.metricsPort, { fault: 'hang', at, count: 1 });
    const calls = [1, 2, 3].map(() => codeOf(infer(client, request('echo'))));
    // Behind the one that hangs in its execution the third waits.
    const faults = async () => (await control(server.metricsPort, 'GET', '/faults')).body['faults'];
    await expect.poll(faults, { timeout: 10_000 }).toMatchObject([{ hits: 1 }, { hits: 1 }, { hits: 0 }]);
    await pending(server, 'echo', 1);
    await server.close();
    expect(await Promise.all(calls)).toEqual(['UNAVAILABLE', 'UNAVAILABLE', 'UNAVAILABLE']);
  });
});

describe('error', () => {
  test.each([
    ['arrival', NONE],
    ['execution', { success: 0, fail: 1 }],
    ['answer', { success: 1, fail: 0 }],
  ])('at %s: the call fails, counted %j', async (at, counted) => {
    const { server, client } = await startServer();
    await command(server.metricsPort, { fault: 'error', at, code: 'UNAVAILABLE', details: 'no room', count: 1 });
    await expect(infer(client, request('echo'))).rejects.toMatchObject({ code: 14, details: 'no room' });
    expect(await counts(client, 'echo')).toEqual(counted);
    expect(await codeOf(infer(client, request('echo')))).toBe('OK');
  });

  test('meets the model it names, until it is cleared; on a stream it is an answer', async () => {
    const { server, client } = await startServer();
    const id = await command(server.metricsPort, { fault: 'error', model: 'slow' });
    expect(await codeOf(infer(client, request('echo')))).toBe('OK');
    expect(await codeOf(infer(client, request('slow')))).toBe('INTERNAL');
    expect((await streamed(client, [request('slow')])).answers).toMatchObject([{ error_message: 'a fault on command' }]);
    expect(await control(server.metricsPort, 'GET', '/faults')).toMatchObject({ body: { faults: [{ id, fault: 'error', hits: 2 }] } });
    await control(server.metricsPort, 'DELETE', `/faults/${id}`);
    expect(await codeOf(infer(client, request('slow')))).toBe('OK');
  });
});

describe('disconnect', () => {
  test.each([
    ['arrival', NONE],
    ['execution', { success: 1, fail: 0 }],
    ['answer', { success: 1, fail: 0 }],
  ])('at %s: the connection of the call is reset, another is not; counted %j', async (at, counted) => {
    const { server, client } = await startServer();
    const other = connectTo(server);
    const elsewhere = infer(other, request('slow'));
    await command(server.metricsPort, { fault: 'disconnect', at, model: 'echo', count: 1 });
    expect(await codeOf(infer(client, request('echo')))).toBe('UNAVAILABLE');
    await elsewhere;
    await expect.poll(() => counts(other, 'echo')).toEqual(counted);
    expect(await codeOf(unary(client, service.ServerLive, {}))).toBe('OK');
  });
});

describe('reset', () => {
  test('cuts every connection; what runs runs on', async () => {
    const { server, client } = await startServer();
    const calls = [client, connectTo(server)].map((from) => codeOf(infer(from, request('slow'))));
    await pending(server, 'slow', 1); // and one runs
    await command(server.metricsPort, { fault: 'reset' });
    expect(await Promise.all(calls)).toEqual(['UNAVAILABLE', 'UNAVAILABLE']);
    await expect.poll(() => counts(client, 'slow')).toEqual({ success: 2, fail: 0 });
  });
});

describe('go_away', () => {
  test('ends calls with the code of a client that pinged too often; what runs runs on', async () => {
    const { server, client, executing } = await startServer();
    const ended = expect(infer(client, request('slow'))).rejects.toMatchObject({
      code: 8,
      details: 'Bandwidth exhausted or memory limit exceeded',
    });
    await executing(1);
    await command(server.metricsPort, { fault: 'go_away' });
    await ended;
    await expect.poll(() => counts(client, 'slow')).toEqual({ success: 1, fail: 0 });
  });
});

describe('restart', () => {
  test('drops calls, counters and registrations, refuses connections for its time, and has the same port', async () => {
    const { server, client } = await startServer();
    await infer(client, request('echo'));
    const { port } = server;
    const call = codeOf(infer(client, request('slow')));
    const stream = client.ModelStreamInfer();
    const ended = new Promise<{ code?: number }>((resolve) => stream.once('error', resolve));
    stream.write(request('slow'));
    await pending(server, 'slow', 1); // and one runs
    const restarted = command(server.metricsPort, { fault: 'restart', down_ms: 150 });
    expect(await call).toBe('UNAVAILABLE');
    expect(await ended).toMatchObject({ code: 14 });
    await expect(unary(client, service.ServerLive, {})).rejects.toMatchObject({ details: expect.stringContaining('ECONNREFUSED') });
    await restarted;
    expect(server.port).toBe(port);
    const next = connectTo(server);
    expect(await counts(next, 'echo')).toEqual(NONE);
    expect(await counts(next, 'slow')).toEqual(NONE);
    expect(await codeOf(infer(next, request('echo')))).toBe('OK');
  });

  test('forgets regions, and leaves none of their files open', async () => {
    const key = `/vig-reference-${process.pid}`;
    writeFileSync(`/dev/shm${key}`, Buffer.alloc(4096));
    onTestFinished(() => rmSync(`/dev/shm${key}`, { force: true }));
    const { server, client } = await startServer();
    await unary(client, service.SystemSharedMemoryRegister, { name: 'in', key, offset: 0, byte_size: 4096 });
    expect(openFiles()).toContain(`/dev/shm${key}`);
    await command(server.metricsPort, { fault: 'restart' });
    expect((await unary(connectTo(server), service.SystemSharedMemoryStatus, {})).regions).toEqual({});
    expect(openFiles()).not.toContain(`/dev/shm${key}`);
  });

  test('does not outlast the server', async () => {
    const { server, client } = await startServer();
    const restarted = codeOf(command(server.metricsPort, { fault: 'restart', down_ms: 600_000 }));
    const refuses = () => codeOf(unary(client, service.ServerLive, {}));
    await expect.poll(refuses, { timeout: 10_000 }).toBe('UNAVAILABLE');
    await server.close();
    await restarted;
  });

  test('one goes after the other', async () => {
    const { server } = await startServer();
    const restart = () => command(server.metricsPort, { fault: 'restart' });
    await Promise.all([restart(), restart(), restart()]);
    expect(await codeOf(infer(connectTo(server), request('echo')))).toBe('OK');
  });
});

describe('what a server says wrongly', () => {
  test('readiness: of one model, or of all and the server', async () => {
    const { server, client } = await startServer();
    const ready = async () =>
      Promise.all([
        unary(client, service.ServerReady, {}),
        ...['echo', 'slow', 'nobody'].map((name) => unary(client, service.ModelReady, { name })),
      ]).then((answers) => answers.map((answer) => answer.ready));
    expect(await ready()).toEqual([true, true, true, false]);
    await command(server.metricsPort, { fault: 'readiness', ready: false, model: 'slow' });
    expect(await ready()).toEqual([true, true, false, false]);
    await command(server.metricsPort, { fault: 'readiness', ready: true });
    expect(await ready()).toEqual([true, true, true, true]);
    await command(server.metricsPort, { fault: 'readiness', ready: false });
    expect(await ready()).toEqual([false, false, false, false]);
    expect(await codeOf(infer(client, request('echo')))).toBe('OK');
  });

  test('counters: they stay as they were, the metrics page goes on; cleared, they are right', async () => {
    const { server, client } = await startServer();
    await infer(client, request('echo'));
    const id = await command(server.metricsPort, { fault: 'counters', model: 'echo' });
    await infer(client, request('echo'));
    await infer(client, request('slow'));
    expect(await counts(client, 'echo')).toEqual({ success: 1, fail: 0 });
    expect(await counts(client, 'slow')).toEqual({ success: 1, fail: 0 });
    const page = await (await fetch(`http://127.0.0.1:${server.metricsPort}/metrics`)).text();
    expect(page).toContain('nv_inference_request_success{model="echo",version="1"} 2\n');
    await control(server.metricsPort, 'DELETE', `/faults/${id}`);
    expect(await counts(client, 'echo')).toEqual({ success: 2, fail: 0 });
  });
});

describe('crash', () => {
  test('the model fails its calls though it is ready, until it is loaded again', async () => {
    const { server, client, executing } = await startServer();
    const running = codeOf(infer(client, request('slow')));
    await executing(1);
    await command(server.metricsPort, { fault: 'crash', model: 'slow' });
    expect(await running).toBe('INTERNAL');
    expect(await unary(client, service.ModelReady, { name: 'slow' })).toMatchObject({ ready: true });
    expect(await codeOf(infer(client, request('echo')))).toBe('OK');
    await unary(client, service.RepositoryModelUnload, { model_name: 'slow' });
    await unary(client, service.RepositoryModelLoad, { model_name: 'slow' });
    expect(await codeOf(infer(client, request('slow')))).toBe('OK');
  });
});

describe('slow_load', () => {
  test('a load by command takes its time: the model is not ready meanwhile, another is', async () => {
    const { server, client } = await startServer();
    await command(server.metricsPort, { fault: 'slow_load', ms: 200 });
    await unary(client, service.RepositoryModelUnload, { model_name: 'slow' });
    const loaded = unary(client, service.RepositoryModelLoad, { model_name: 'slow' });
    const states = async () => (await unary(client, service.RepositoryIndex, {})).models.map(({ state }) => state);
    await expect.poll(states).toEqual(['READY', 'LOADING']);
    expect(await codeOf(infer(client, request('slow')))).toBe('NOT_FOUND');
    await loaded;
    expect(await states()).toEqual(['READY', 'READY']);
  });

  test('a restarted server listens while its models load', async () => {
    const { server } = await startServer();
    await command(server.metricsPort, { fault: 'slow_load', ms: 200, model: 'slow' });
    await command(server.metricsPort, { fault: 'restart' });
    const client = connectTo(server);
    const ready = async () =>
      Promise.all([unary(client, service.ServerReady, {}), unary(client, service.ModelReady, { name: 'slow' })]).then((answers) =>
        answers.map((answer) => answer.ready),
      );
    expect(await unary(client, service.ServerLive, {})).toMatchObject({ live: true });
    expect(await ready()).toEqual([false, false]);
    expect(await codeOf(infer(client, request('slow')))).toBe('NOT_FOUND');
    expect(await codeOf(infer(client, request('echo')))).toBe('OK');
    await expect.poll(ready).toEqual([true, true]);
  });
});
