import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { parametersSchema } from '../../src/config/schema.js';
import { type Micros, micros } from '../../src/core/units.js';
import { demoParameters, FRONT, REAR } from '../../src/demo/demo-parameters.js';
import { UngovernedService } from '../../src/demo/ungoverned-service.js';
import type { ModelMetadata } from '../../src/governor/model-metadata.js';
import type { Call, CallEnd, OutcomeRecord } from '../../src/governor/ports.js';
import type { InferenceServer, ServerListener } from '../../src/service/inference-server.js';

const SIZED = { input: { width: 128, height: 96 }, profile: { p50Us: 1, p95Us: 1, p99Us: 1 } };
const SETTINGS = { endpoint: '127.0.0.1:1', backend: 'triton', slots: 1, front: SIZED, rear: SIZED } as const;
const NOW_NS = 1_000_000_000_000n;

/** A server whose calls end when the test says so. */
class HeldServer implements InferenceServer {
  readonly calls: Call[] = [];
  readonly #ends: ((end: CallEnd) => void)[] = [];
  readonly #listener: ServerListener;

  constructor(listener: ServerListener) {
    this.#listener = listener;
  }

  start(): void {
    for (const model of [FRONT.model, REAR.model]) this.#listener.readiness(model, true, '');
  }

  async close(): Promise<void> {}

  describe(name: string): Promise<ModelMetadata> {
    const input = { name: name === FRONT.model ? 'input.1' : 'x', datatype: 'FP32' as const, shape: [1, 3, -1, -1] };
    const outputs = ['537', '538', '539', '540'].map((output) => ({ name: output, datatype: 'FP32' as const, shape: [1, -1, -1, -1] }));
    return Promise.resolve({ name, versions: ['1'], inputs: [input], outputs, maxBatchSize: 0, decoupled: false, instances: 1 });
  }

  async warmUp(): Promise<void> {}

  health() {
    return { reachable: true, ready: true, detail: '' };
  }

  roundTripP90(): undefined {}

  poll(): void {}

  infer(call: Call): Promise<CallEnd> {
    this.calls.push(call);
    return new Promise((resolve) => this.#ends.push(resolve));
  }

  /** Ends the oldest open call. */
  async end(end: CallEnd = { result: 'ok', outputs: [], modelVersion: '1' }): Promise<void> {
    this.#ends.shift()?.(end);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

class World {
  now: Micros = micros(0);
  readonly outcomes: OutcomeRecord[] = [];
  server!: HeldServer;
  readonly service: UngovernedService;

  constructor() {
    const parameters = parametersSchema.parse(demoParameters(SETTINGS, false));
    this.service = new UngovernedService(parameters, {
      clock: { now: () => this.now, schedule: () => () => {} },
      publisher: { received: () => {}, result: () => {}, outcome: (record) => void this.outcomes.push(record) },
      connect: ({ listener }) => {
        this.server = new HeldServer(listener);
        return this.server;
      },
      log: pino({ level: 'silent' }),
    });
  }

  receive(stream: string, some: { ageMs?: number; data?: Uint8Array } = {}): void {
    const stampNs = NOW_NS - BigInt(some.ageMs ?? 0) * 1_000_000n;
    const header = { stamp: { sec: Number(stampNs / 1_000_000_000n), nanosec: Number(stampNs % 1_000_000_000n) }, frameId: 'camera' };
    const data = some.data ?? new Uint8Array(128 * 96 * 3);
    const message = { width: 128, height: 96, encoding: 'rgb8', is_bigendian: 0, step: 128 * 3, data };
    this.service.receive(stream, { header, rosNowNs: NOW_NS, message });
  }

  causes(stream: string): readonly string[] {
    return this.outcomes.filter((record) => record.stream === stream).map((record) => record.cause);
  }
}

async function started(): Promise<World> {
  const world = new World();
  world.service.start();
  await new Promise((resolve) => setImmediate(resolve)); // the models warm up
  return world;
}

describe('UngovernedService', () => {
  it('sends every frame at once, in order of arrival', async () => {
    const world = await started();
    for (const stream of ['front', 'rear', 'front']) world.receive(stream);
    expect(world.server.calls.map((call) => [call.stream, call.backendModel, Number(call.request)])).toEqual([
      ['front', FRONT.model, 1],
      ['rear', REAR.model, 2],
      ['front', FRONT.model, 3],
    ]);
    expect(world.outcomes).toEqual([]);
  });

  it('lets one run and ten wait for each topic, and drops the rest', async () => {
    const world = await started();
    for (let frame = 0; frame < 13; frame += 1) world.receive('front');
    world.receive('rear');
    expect(world.server.calls.length).toBe(12);
    expect(world.causes('front')).toEqual(['queue_full', 'queue_full']);
    await world.server.end();
    world.receive('front');
    expect(world.causes('front')).toEqual(['queue_full', 'queue_full', 'delivered']);
  });

  it('judges the age when the result is there: exactly max_age is fresh', async () => {
    const world = await started();
    world.receive('front', { ageMs: 60 });
    world.receive('front', { ageMs: 61 });
    world.now = micros(40_000);
    await world.server.end();
    await world.server.end();
    expect(world.causes('front')).toEqual(['delivered', 'obsolete']);
    expect(world.outcomes.map((record) => [record.ageUs, record.serviceUs])).toEqual([
      [100_000, 40_000],
      [101_000, 40_000],
    ]);
  });

  it.each([
    [{ result: 'failed', cause: 'model_error', detail: 'it broke' }, 'model_error'],
    [{ result: 'not_counted', detail: '' }, 'rejected_by_server'],
    [{ result: 'not_started', detail: '' }, 'unavailable'],
    [{ result: 'unknown', detail: '' }, 'execution_unknown'],
  ] as const)('says that a call failed: %o', async (end, cause) => {
    const world = await started();
    world.receive('rear');
    await world.server.end(end);
    expect(world.outcomes[0]).toMatchObject({ state: 'backend_failed', cause });
  });

  it('refuses what is no image, and goes on', async () => {
    const world = await started();
    world.receive('front', { data: new Uint8Array(5) });
    world.receive('front');
    expect(world.outcomes[0]).toMatchObject({ state: 'invalid', cause: 'malformed_message' });
    expect(world.server.calls.length).toBe(1);
  });

  it('sends nothing to a model that is not ready', () => {
    const world = new World();
    world.receive('front');
    expect(world.causes('front')).toEqual(['no_variant_ready']);
    expect(world.service.status().ready).toBe(false);
  });

  it('accounts for every frame at every moment', async () => {
    const world = await started();
    const { service } = world;
    for (let frame = 0; frame < 40; frame += 1) {
      world.receive(frame % 3 === 0 ? 'rear' : 'front', frame === 7 ? { data: new Uint8Array(1) } : {});
      if (frame % 4 === 0) await world.server.end();
      for (const { received, inFlight, outcomes } of service.status().streams) {
        expect(Object.values(outcomes).reduce((sum, count) => sum + count, inFlight)).toBe(received);
      }
    }
    const { ready, backends, streams } = service.status();
    expect(ready).toBe(true);
    expect(backends[0]?.inFlight).toBe(streams.reduce((sum, stream) => sum + stream.inFlight, 0));
  });
});
