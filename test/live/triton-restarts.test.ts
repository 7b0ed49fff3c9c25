import { existsSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { credentials } from '@grpc/grpc-js';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { millis } from '../../src/core/units.js';
import { loadProtocol } from '../../src/triton/protocol.js';
import { delay, type EvidenceRecord, floats, floatsOf, outputsOf, TritonHarness } from '../support/triton-harness.js';
import { echoModel, slowModel } from '../support/triton-models.js';
import { freePorts, type TritonPorts, TritonServer } from '../support/triton-server.js';

const MODELS = [echoModel(), slowModel()];
const SOON = { timeout: 15_000, interval: 20 };

async function start(ports?: TritonPorts): Promise<TritonServer> {
  const server = await TritonServer.start({
    models: MODELS,
    extraArguments: ['--model-control-mode=explicit', '--load-model=*'],
    ...(ports === undefined ? {} : { ports }),
  });
  onTestFinished(() => server.kill());
  return server;
}

function connect(endpoint: string, models: readonly string[], transport: 'auto' | 'inline' = 'inline'): TritonHarness {
  const harness = new TritonHarness(endpoint, models, { transport });
  onTestFinished(() => harness.backend.close());
  return harness;
}

/** Names of the regions for tensors that the server knows, asked by another client. */
async function registeredRegions(endpoint: string): Promise<string[]> {
  return (await registered(endpoint)).filter((name) => !name.endsWith('-witness'));
}

function registered(endpoint: string): Promise<string[]> {
  const client = new (loadProtocol())(endpoint, credentials.createInsecure());
  return new Promise((resolve, reject) => {
    client.SystemSharedMemoryStatus({}, (error, status) => {
      client.close();
      if (error === null) resolve(Object.keys(status?.regions ?? {}));
      else reject(error);
    });
  });
}

describe('a server that is not there yet', () => {
  test('leaves the models not ready with the reason, and is used once it is there', async () => {
    const ports = await freePorts();
    const endpoint = `127.0.0.1:${ports.grpc}`;
    const harness = connect(endpoint, ['echo']);
    await vi.waitFor(() => expect(harness.last('echo')?.detail).toContain('ECONNREFUSED'), SOON);
    expect(harness.backend.health()).toMatchObject({ reachable: false, ready: false, detail: expect.stringContaining(endpoint) });
    expect(await harness.infer('echo', floats(1))).toMatchObject({
      result: 'not_started',
      detail: expect.stringContaining('ECONNREFUSED'),
    });

    await start(ports);
    await vi.waitFor(() => expect(harness.isReady('echo')).toBe(true), SOON);
    expect(harness.backend.health()).toEqual({ reachable: true, ready: true, detail: 'ready' });
    expect(floatsOf(outputsOf(await harness.infer('echo', floats(1)))[0])).toEqual([1]);
  });
});

const filesOf = (names: readonly string[]): string[] => names.filter((name) => existsSync(`/dev/shm/${name}`)).toSorted();

describe('regions of processes like this one that have ended', () => {
  test('are forgotten by the server too; those of living ones are not', async () => {
    const server = await start();
    const own = /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '';
    const names = [`vig-${own}-4194305-77-0badcafe-1`, `vig-1-4194305-77-0badcafe-1`, 'of-somebody-else'];
    onTestFinished(() => {
      for (const name of names) rmSync(`/dev/shm/${name}`, { force: true });
    });
    const client = new (loadProtocol())(server.endpoint, credentials.createInsecure());
    for (const name of names) {
      writeFileSync(`/dev/shm/${name}`, Buffer.alloc(4096));
      await new Promise((resolve) => client.SystemSharedMemoryRegister({ name, key: `/${name}`, byte_size: 4096 }, resolve));
    }
    client.close();
    expect(await registered(server.endpoint)).toHaveLength(3);
    const harness = connect(server.endpoint, ['echo']);
    await vi.waitFor(() => expect(harness.isReady('echo')).toBe(true), SOON);
    expect((await registeredRegions(server.endpoint)).toSorted()).toEqual(names.slice(1).toSorted());
  });
});

describe('a server that is killed', () => {
  test('leaves the fate of running calls unknown; the next one is used, with the regions made known to it', async () => {
    const first = await start();
    const harness = connect(first.endpoint, ['echo', 'slow'], 'auto');
    await vi.waitFor(() => expect(harness.isReady('echo') && harness.isReady('slow')).toBe(true), SOON);
    await harness.backend.warmUp('echo', [floats(0)], 1);
    await harness.backend.warmUp('slow', [delay(0)], 1);
    const before = await registeredRegions(first.endpoint);
    expect(before).toHaveLength(4); // two credits for each model

    const calls = [harness.infer('slow', delay(20_000)), harness.infer('slow', delay(20_000))];
    // One runs, since the other waits behind it.
    await vi.waitFor(async () => expect(await first.metric('nv_inference_pending_request_count', 'slow')).toBe(1), SOON);
    await first.kill();
    for (const call of calls) expect(await call).toMatchObject({ result: 'unknown' });
    expect(harness.isReady('echo')).toBe(false);
    expect(harness.last('slow')?.detail).toContain('no connection');
    expect(await harness.infer('echo', floats(1))).toMatchObject({ result: 'not_started' });

    const second = await start(first.ports);
    await vi.waitFor(() => expect(harness.isReady('echo') && harness.isReady('slow')).toBe(true), SOON);
    const after = (await registeredRegions(second.endpoint)).toSorted();
    expect(after).toHaveLength(2); // the regions of calls whose fate is unknown are never written again
    expect(before).toEqual(expect.arrayContaining(after));
    expect(floatsOf(outputsOf(await harness.infer('echo', floats(7)))[0])).toEqual([7]);

    expect(filesOf(before)).toEqual(after); // their memory is not kept for a process that has ended
    await harness.backend.warmUp('slow', [delay(0)], 1); // makes up for the lost ones
    expect(await registeredRegions(second.endpoint)).toHaveLength(4);
    await harness.backend.close();
    expect(await registered(second.endpoint)).toEqual([]);
  });
});

describe('a server that is stopped', () => {
  test('finishes the running call and is not ready meanwhile', async () => {
    const server = await start();
    const harness = connect(server.endpoint, ['echo', 'slow']);
    await vi.waitFor(() => expect(harness.isReady('slow')).toBe(true), SOON);
    const running = harness.infer('slow', delay(2500));
    void harness.infer('slow', delay(0)); // waits at the server, which shows that the first one runs
    await vi.waitFor(async () => expect(await server.metric('nv_inference_pending_request_count', 'slow')).toBe(1), SOON);
    server.signal('SIGTERM');
    await vi.waitFor(() => expect(harness.isReady('slow')).toBe(false), SOON);
    expect(await harness.infer('echo', floats(1))).toMatchObject({ result: 'not_counted' });
    expect(await running).toMatchObject({ result: 'ok' });
  });

  test('that hangs is not ready, and its calls go on when it goes on', async () => {
    const server = await start();
    const harness = connect(server.endpoint, ['slow']);
    await vi.waitFor(() => expect(harness.isReady('slow')).toBe(true), SOON);
    server.signal('SIGSTOP');
    const running = harness.infer('slow', delay(1));
    await vi.waitFor(
      () => expect(harness.last('slow')).toMatchObject({ ready: false, detail: expect.stringContaining('does not answer') }),
      SOON,
    );
    server.signal('SIGCONT');
    expect(await running).toMatchObject({ result: 'ok' });
    await vi.waitFor(() => expect(harness.isReady('slow')).toBe(true), SOON);
  });
});

test('the round trip is measured on calls that execute nothing', async () => {
  const server = await start();
  const harness = connect(server.endpoint, ['echo', 'slow']);
  expect(harness.backend.roundTripP90()).toBeUndefined();
  await vi.waitFor(() => expect(harness.backend.roundTripP90()).toBeGreaterThan(0), SOON);
});

describe('what proves an end', () => {
  const told = (harness: TritonHarness, kind: EvidenceRecord['kind']) => harness.evidence.filter((record) => record.kind === kind);
  const lastCount = (harness: TritonHarness, model: string) =>
    harness.evidence.findLast((record) => record.kind === 'counter' && record.backendModel === model);

  test('is told when a server is met: that it holds our witness, what it has counted, and only then that it is ready', async () => {
    const server = await start();
    const harness = connect(server.endpoint, ['echo', 'slow']);
    await vi.waitFor(() => expect(harness.isReady('echo') && harness.isReady('slow')).toBe(true), SOON);
    const order = harness.evidence.filter((record) => record.kind !== 'readiness' || record.ready);
    expect(order[0]).toMatchObject({ kind: 'witness', present: true });
    const counts = order.flatMap((record, index) => (record.kind === 'counter' ? [[record.backendModel, record.completed, index]] : []));
    const ready = order.findIndex(({ kind }) => kind === 'readiness');
    expect(counts.filter(([, , index]) => Number(index) < ready).map(([model]) => model)).toEqual(expect.arrayContaining(['echo', 'slow']));
    expect(counts.every(([, completed]) => completed === 0)).toBe(true);
    expect(await registered(server.endpoint)).toEqual([expect.stringMatching(/^vig-.*-witness$/)]);
  });

  test('are the calls outside all counts, too', async () => {
    const server = await start();
    const harness = connect(server.endpoint, ['echo']);
    await vi.waitFor(() => expect(harness.isReady('echo')).toBe(true), SOON);
    await harness.backend.warmUp('echo', [floats(0)], 2);
    expect(told(harness, 'warm_up')).toEqual([
      { kind: 'warm_up', backendModel: 'echo', call: 1 },
      { kind: 'warm_up', backendModel: 'echo', call: 1, end: { result: 'ok' } },
      { kind: 'warm_up', backendModel: 'echo', call: 2 },
      { kind: 'warm_up', backendModel: 'echo', call: 2, end: { result: 'ok' } },
    ]);
    await harness.infer('echo', floats(1));
    harness.backend.poll('echo', millis(20));
    await vi.waitFor(() => expect(lastCount(harness, 'echo')).toMatchObject({ completed: 3 }), SOON);
  });

  test('of calls on a killed server: they were witnessed, and the next one does not list our witness', async () => {
    const first = await start();
    const harness = connect(first.endpoint, ['slow']);
    await vi.waitFor(() => expect(harness.isReady('slow')).toBe(true), SOON);
    await harness.infer('slow', delay(0));
    const call = harness.infer('slow', delay(20_000));
    harness.backend.poll('slow', millis(20));
    await vi.waitFor(() => expect(lastCount(harness, 'slow')).toMatchObject({ completed: 1 }), SOON);
    await first.kill();
    expect(await call).toMatchObject({ result: 'unknown', witnessed: true, detail: expect.stringContaining('UNAVAILABLE') });

    harness.evidence.length = 0;
    await start(first.ports);
    await vi.waitFor(() => expect(harness.isReady('slow')).toBe(true), SOON);
    const kinds = harness.evidence.map((record) => (record.kind === 'witness' ? `witness ${record.present}` : record.kind));
    expect(kinds.slice(0, 2)).toEqual(['witness false', 'witness true']);
    expect(kinds.indexOf('counter')).toBeGreaterThan(1);
    expect(lastCount(harness, 'slow')).toMatchObject({ completed: 0 });
  });

  test('is told of a restart while nothing is sent and nothing is asked', async () => {
    const first = await start();
    const harness = connect(first.endpoint, ['echo']);
    await vi.waitFor(() => expect(harness.isReady('echo')).toBe(true), SOON);
    harness.evidence.length = 0;
    await first.kill();
    await start(first.ports);
    await vi.waitFor(() => expect(told(harness, 'witness')).toMatchObject([{ present: false }, { present: true }]), SOON);
  });

  test('of a model loaded anew: its counter falls, and the witness is still there', async () => {
    const server = await start();
    const harness = connect(server.endpoint, ['echo']);
    await vi.waitFor(() => expect(harness.isReady('echo')).toBe(true), SOON);
    await harness.infer('echo', floats(1));
    harness.backend.poll('echo', millis(20));
    await vi.waitFor(() => expect(lastCount(harness, 'echo')).toMatchObject({ completed: 1 }), SOON);
    harness.evidence.length = 0;
    await server.load({ ...echoModel(), python: `${echoModel().python}\n# anew\n` });
    await vi.waitFor(() => expect(lastCount(harness, 'echo')).toMatchObject({ completed: 0 }), SOON);
    await vi.waitFor(() => expect(told(harness, 'witness')).toMatchObject([{ present: true }]), SOON);
  });
});
