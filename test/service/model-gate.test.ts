import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ModelMetadata } from '../../src/governor/model-metadata.js';
import type { TensorSource } from '../../src/governor/ports.js';
import type { InferenceServer } from '../../src/service/inference-server.js';
import { ModelGate } from '../../src/service/model-gate.js';

const METADATA = { name: 'detector', instances: 2 } as ModelMetadata;

/** A server whose answers come when the test lets them. */
class ScriptedServer {
  readonly warmedUp: number[] = [];
  ready = true;

  health() {
    return { reachable: true, ready: this.ready, detail: '' };
  }

  readonly #describing: { resolve: (metadata: ModelMetadata) => void; reject: (error: Error) => void }[] = [];

  describe(): Promise<ModelMetadata> {
    return new Promise((resolve, reject) => this.#describing.push({ resolve, reject }));
  }

  /** What the next warm-ups fail with. */
  readonly warmUpFailures: string[] = [];

  warmUp(_model: string, _inputs: readonly TensorSource[], calls: number): Promise<void> {
    this.warmedUp.push(calls);
    const failure = this.warmUpFailures.shift();
    return failure === undefined ? Promise.resolve() : Promise.reject(new Error(failure));
  }

  async answer(index: number): Promise<void> {
    this.#describing[index]?.resolve(METADATA);
    await settled();
  }

  async fail(index: number, message: string): Promise<void> {
    this.#describing[index]?.reject(new Error(message));
    await settled();
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function setUp(mismatches: readonly string[] = []) {
  const server = new ScriptedServer();
  const log: string[] = [];
  const gate = new ModelGate(
    { backendModel: 'detector', mismatches: () => mismatches, warmUpInputs: () => [] },
    server as unknown as InferenceServer,
    {
      opened: ({ instances }) => log.push(`opened ${instances}`),
      closed: (reason, lasting) => log.push(`${lasting ? 'closed for good' : 'closed'}: ${reason}`),
    },
  );
  return { server, log, gate };
}

afterEach(() => {
  vi.useRealTimers();
});

describe('ModelGate', () => {
  it('opens after metadata and three warm-up calls, once active', async () => {
    const { server, log, gate } = setUp();
    gate.serverSays(true, '');
    await server.answer(0);
    expect(log).toEqual([]);
    gate.activate();
    await server.answer(0);
    expect(server.warmedUp).toEqual([3]);
    expect(log.at(-1)).toBe('opened 2');
    expect(gate.reason).toBeUndefined();
  });

  it('opens by itself when the server becomes ready after activation', async () => {
    const { server, log, gate } = setUp();
    gate.activate();
    expect(gate.reason).toContain('no connection');
    gate.serverSays(true, '');
    await server.answer(0);
    expect(log.at(-1)).toBe('opened 2');
  });

  it('stays closed over a mismatch and names it', async () => {
    const { server, gate, log } = setUp(['UINT8 where FP32 is taken']);
    gate.activate();
    gate.serverSays(true, '');
    await server.answer(0);
    expect(gate.reason).toBe('UINT8 where FP32 is taken');
    expect(log.at(-1)).toBe('closed for good: UINT8 where FP32 is taken');
    expect(server.warmedUp).toEqual([]);
  });

  it('stays closed when the server fails to describe the model, and tries again at its next change', async () => {
    const { server, log, gate } = setUp();
    gate.activate();
    gate.serverSays(true, '');
    await server.fail(0, 'unknown model');
    expect(gate.reason).toBe('unknown model');
    gate.serverSays(true, '');
    await server.answer(1);
    expect(log.at(-1)).toBe('opened 2');
  });

  it('tries again every second after a warm-up that failed, and says why once', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { server, log, gate } = setUp();
    server.warmUpFailures.push('the connection broke', 'the connection broke', 'the queue is full');
    gate.activate();
    gate.serverSays(true, '');
    await server.answer(0);
    for (const attempt of [1, 2, 3]) {
      vi.advanceTimersByTime(1000);
      await server.answer(attempt);
    }
    expect(log).toEqual([
      'closed: the model is being checked and warmed up',
      'closed for good: the connection broke',
      'closed for good: the queue is full',
      'opened 2',
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each<[string, (gate: ModelGate) => void]>([
    ['the server has changed', (gate) => gate.serverSays(false, 'gone')],
    ['the node is not active', (gate) => gate.deactivate()],
    ['it is stopped', (gate) => gate.stop()],
  ])('does not try again once %s', async (_, end) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { server, gate } = setUp();
    gate.activate();
    gate.serverSays(true, '');
    await server.fail(0, 'unknown model');
    expect(vi.getTimerCount()).toBe(1);
    end(gate);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('drops an answer that belongs to an earlier state of the server', async () => {
    const { server, log, gate } = setUp();
    gate.activate();
    gate.serverSays(true, '');
    gate.serverSays(false, 'connection lost');
    await server.answer(0);
    expect(gate.reason).toBe('connection lost');
    expect(log).not.toContain('opened 2');
  });

  it('closes when the node is deactivated', async () => {
    const { server, gate } = setUp();
    gate.activate();
    gate.serverSays(true, '');
    await server.answer(0);
    gate.deactivate();
    expect(gate.reason).toBe('the node is not active');
  });

  it('tells a model that a ready server does not have from a server that is away', () => {
    const { server, gate, log } = setUp();
    gate.activate();
    gate.serverSays(false, 'the server does not know it');
    server.ready = false;
    gate.serverSays(false, 'no connection');
    expect(log).toEqual(['closed for good: the server does not know it', 'closed: no connection']);
  });
});
