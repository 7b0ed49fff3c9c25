import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Parameters } from '../../src/config/schema.js';
import type { Micros } from '../../src/core/units.js';
import type { ModelMetadata } from '../../src/governor/model-metadata.js';
import type { Call, CallEnd, OutcomeRecord, ResultRecord } from '../../src/governor/ports.js';
import { GovernorService } from '../../src/service/governor-service.js';
import type { InferenceServer, ServerHealth, ServerListener } from '../../src/service/inference-server.js';
import { explainFile } from '../../src/trace/explain-file.js';
import { verifyTrace } from '../../src/trace/verify.js';
import { configure } from '../config/configure.js';
import { ManualClock } from '../governor/manual-clock.js';
import { METADATA } from '../support/manual-server.js';

/** Answers every call at once. */
class EchoServer implements InferenceServer {
  readonly calls: Call[] = [];
  closed = false;
  metadata = METADATA;
  state: ServerHealth = { reachable: true, ready: true, detail: 'ready' };
  #listener: ServerListener | undefined;

  connect = (listener: ServerListener): this => {
    this.#listener = listener;
    return this;
  };

  say(ready: boolean, detail = ''): void {
    this.#listener?.readiness('centerface', ready, detail);
  }

  start(): void {}

  close(): Promise<void> {
    this.closed = true;
    return Promise.resolve();
  }

  describe(): Promise<ModelMetadata> {
    return Promise.resolve(this.metadata);
  }

  warmUp(): Promise<void> {
    return Promise.resolve();
  }

  health(): ServerHealth {
    return this.state;
  }

  roundTripP90(): Micros | undefined {
    return undefined;
  }

  poll(): void {}

  infer(call: Call): Promise<CallEnd> {
    this.calls.push(call);
    return Promise.resolve({ result: 'ok', outputs: [], modelVersion: '1' });
  }
}

const HEADER = { stamp: { sec: 100, nanosec: 0 }, frameId: 'camera' };
const NOW_NS = 100_005_000_000n;
const image = (width: number, height: number, encoding = 'rgb8') => ({
  header: { stamp: { sec: 100, nanosec: 0 }, frame_id: 'camera' },
  height,
  width,
  encoding,
  is_bigendian: 0,
  step: width * 3,
  data: new Uint8Array(width * height * 3),
});

function portOf(server: Server): number {
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server does not listen on a port');
  return address.port;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  server.close();
  await once(server, 'close');
  return port;
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const opened: GovernorService[] = [];

afterEach(async () => {
  for (const service of opened.splice(0)) await service.cleanup();
});

async function setUp(parameters: Parameters = configure({ 'metrics.port': '0' })) {
  const server = new EchoServer();
  const outcomes: OutcomeRecord[] = [];
  const results: ResultRecord[] = [];
  const service = new GovernorService(parameters, {
    clock: new ManualClock(),
    connect: ({ listener }) => server.connect(listener),
    log: pino({ level: 'silent' }),
    publisher: { received: () => {}, result: (record) => results.push(record), outcome: (record) => outcomes.push(record) },
  });
  opened.push(service);
  await service.configure();
  return { service, server, outcomes, results };
}

async function active(parameters?: Parameters) {
  const made = await setUp(parameters);
  made.server.say(true);
  made.service.activate();
  await settled();
  return made;
}

describe('GovernorService', () => {
  it('takes a message to a result with its age', async () => {
    const { service, outcomes, results } = await active();
    service.receive('front', { header: HEADER, rosNowNs: NOW_NS, message: image(4, 2) });
    await settled();
    expect(results[0]).toMatchObject({ header: HEADER, stream: 'front', ageUs: 5000 });
    expect(outcomes.map((outcome) => outcome.cause)).toEqual(['delivered']);
    expect(service.status().streams[0]).toMatchObject({ received: 1, outcomes: { delivered: 1 } });
  });

  it('ends what cannot become a request as invalid, and goes on', async () => {
    const { service, outcomes } = await active();
    const receive = (message: unknown, header = HEADER) => service.receive('front', { header, rosNowNs: NOW_NS, message });
    receive(image(4, 2), { ...HEADER, stamp: { sec: 0, nanosec: 0 } });
    receive(image(4, 2), { ...HEADER, stamp: { sec: 137, nanosec: 0 } });
    receive(image(4, 2, 'bayer_rggb16'));
    receive({ ...image(4, 2), data: new Uint8Array(3) });
    receive(null);
    receive(image(4, 2));
    await settled();
    expect(outcomes.map((outcome) => outcome.cause)).toEqual([
      'stamp_zero',
      'stamp_future',
      'unsupported_encoding',
      'malformed_message',
      'malformed_message',
      'delivered',
    ]);
    expect(service.status().streams[0]?.received).toBe(6);
  });

  it('refuses frames while no variant is ready, says why, and recovers by itself', async () => {
    const { service, server, outcomes } = await active();
    server.say(false, 'model "centerface" is UNAVAILABLE: unloaded');
    service.receive('front', { header: HEADER, rosNowNs: NOW_NS, message: image(4, 2) });
    expect(outcomes[0]?.cause).toBe('no_variant_ready');
    expect(outcomes[0]?.detail).toContain('unloaded');
    server.say(true);
    await settled();
    service.receive('front', { header: { ...HEADER, stamp: { sec: 100, nanosec: 1 } }, rosNowNs: NOW_NS, message: image(4, 2) });
    await settled();
    expect(outcomes.at(-1)?.cause).toBe('delivered');
  });

  it('keeps a model that does not take what the stream sends closed, in diagnostics too; the node itself stays ready', async () => {
    const made = await setUp();
    made.server.metadata = { ...METADATA, inputs: [{ name: 'x', datatype: 'FP32', shape: [1, 3, -1, -1] }] };
    made.server.say(true);
    made.service.activate();
    await settled();
    made.service.receive('front', { header: HEADER, rosNowNs: NOW_NS, message: image(4, 2) });
    expect(made.outcomes[0]?.detail).toContain("input 'x' is FP32");
    const report = made.service.diagnostics().find((entry) => entry.name === 'governor: stream front');
    expect(report?.level).toBe(2);
    expect(report?.message).toContain("input 'x' is FP32");
    expect(made.service.status().ready).toBe(true);
  });

  it('is not ready before activation, without its server, or after deactivation', async () => {
    const { service, server } = await setUp();
    expect(service.status().ready).toBe(false);
    service.activate();
    expect(service.status().ready).toBe(true);
    server.state = { reachable: false, ready: false, detail: 'refused' };
    expect(service.status().ready).toBe(false);
    const backend = service.diagnostics().find((entry) => entry.name === 'governor: backend gpu');
    expect(backend?.message).toBe('not reachable: refused');
    expect(backend?.values[0]?.[1]).toContain('tritonserver --grpc-port');
    server.state = { reachable: true, ready: true, detail: 'ready' };
    await service.deactivate();
    expect(service.status().ready).toBe(false);
  });

  it('names the server of the reference type in its hint', async () => {
    const { service, server } = await setUp(configure({ 'metrics.port': '0', 'backends.gpu.type': 'reference' }));
    server.state = { reachable: false, ready: false, detail: 'refused' };
    const backend = service.diagnostics().find((entry) => entry.name === 'governor: backend gpu');
    expect(backend?.values[0]?.[1]).toContain('vig serve-reference --port');
  });

  it('serves the metrics it counted', async () => {
    const port = await freePort();
    const { service } = await active(configure({ 'metrics.port': String(port) }));
    service.receive('front', { header: HEADER, rosNowNs: NOW_NS, message: image(4, 2) });
    service.refuse('front', HEADER, 'inactive', 'the node is not active');
    service.countLost('front', 3);
    await settled();
    const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(page).toContain('vig_received_total{stream="front"} 2');
    expect(page).toContain('vig_lost_before_node_total{stream="front"} 3');
    expect(page).toContain('vig_outcomes_total{stream="front",state="delivered",cause="delivered"} 1');
    expect(page).toContain('vig_outcomes_total{stream="front",state="cancelled",cause="inactive"} 1');
    expect(page).toContain('vig_result_age_seconds_sum{stream="front"} 0.005');
    expect(page).toContain('vig_in_flight{backend="gpu"} 0');
    expect(page).toContain('vig_backend_ready{backend="gpu"} 1');
    expect((await fetch(`http://127.0.0.1:${port}/other`)).status).toBe(404);
  });

  it('tells a supervisor why it cannot serve, from configure on', async () => {
    const port = await freePort();
    const { service, server } = await setUp(configure({ 'metrics.port': String(port) }));
    const ready = async () => {
      const response = await fetch(`http://127.0.0.1:${port}/readyz`);
      return `${response.status} ${await response.text()}`;
    };
    expect(await ready()).toBe('503 the node is not active\n');
    service.activate();
    expect(await ready()).toBe('200 ready\n');
    server.state = { reachable: false, ready: false, detail: 'refused' };
    expect(await ready()).toBe('503 gpu is not reachable\n');
    server.state = { reachable: true, ready: true, detail: 'ready' };
    await service.deactivate();
    expect(await ready()).toBe('503 the node is not active\n');
  });

  it('reports a port that is taken with the remedy', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    await expect(setUp(configure({ 'metrics.port': String(portOf(taken)) }))).rejects.toThrow(/metrics\.port/);
    taken.close();
  });

  it('puts another contract in force while it serves', async () => {
    const { service, outcomes } = await active();
    const receive = (nanosec: number) =>
      service.receive('front', { header: { ...HEADER, stamp: { sec: 100, nanosec } }, rosNowNs: NOW_NS, message: image(4, 2) });
    receive(0);
    await settled();
    const contract = {
      'streams.front.contract.max_age_ms': '4',
      'streams.front.contract.extension.contract_version': '2',
      'streams.front.contract.extension.consumer_period_ms': '30',
      'streams.front.contract.extension.miss_budget.max_misses': '1',
      'streams.front.contract.extension.miss_budget.window_cycles': '10',
    };
    service.reconfigure(configure({ 'metrics.port': '0', ...contract }));
    receive(1);
    await settled();
    expect(outcomes.map((outcome) => outcome.cause)).toEqual(['delivered', 'stale_on_arrival']);
    expect(service.status().streams[0]).toMatchObject({ received: 2, weaklyHardMisses: 0 });
    expect(service.diagnostics()[0]?.values).toContainEqual(['contract_version', '2']);
  });

  it('keeps what it learned in a file, and starts from it', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'vig-service-'));
    const file = path.join(folder, 'learned.json');
    const parameters = configure({ 'metrics.port': '0', 'learning.state_file': file });
    const teach = async () => {
      const { service } = await active(parameters);
      service.receive('front', { header: HEADER, rosNowNs: NOW_NS, message: image(4, 2) });
      await settled();
      await service.deactivate();
      return JSON.parse(readFileSync(file, 'utf8')).variants[0].occupancies[0].runtimesUs.length;
    };
    expect([await teach(), await teach()]).toEqual([1, 2]);
    rmSync(folder, { recursive: true });
  });

  it('records its decisions, to be run again', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'vig-service-'));
    const file = path.join(folder, 'drive.trace');
    const { service } = await active(configure({ 'metrics.port': '0', 'trace.file': file }));
    service.receive('front', { header: HEADER, rosNowNs: NOW_NS, message: image(4, 2) });
    await settled();
    await service.deactivate();
    await service.cleanup();
    expect(await verifyTrace(file)).toMatchObject({ difference: undefined });
    expect(await service.explain('1')).toContain('request 1 of front: delivered/delivered');
    rmSync(folder, { recursive: true });
  });

  describe('the trace of a node that runs', () => {
    let folder = '';
    beforeEach(() => {
      folder = mkdtempSync(path.join(tmpdir(), 'vig-service-'));
    });
    afterEach(() => rmSync(folder, { recursive: true }));
    const traced = (changes: Readonly<Record<string, string>> = {}) =>
      configure({ 'metrics.port': '0', 'trace.file': path.join(folder, 'drive.trace'), ...changes });
    const frames = (service: GovernorService, count: number) => {
      for (let frame = 0; frame < count; frame += 1) service.receive('front', { header: HEADER, rosNowNs: NOW_NS, message: image(4, 2) });
    };
    const end = async (service: GovernorService) => {
      await service.deactivate();
      await service.cleanup();
    };

    it('is its own: another node with it is refused, and does no harm', async () => {
      const first = await active(traced());
      frames(first.service, 1);
      await expect(active(traced())).rejects.toThrow(/drive\.trace: another process writes this trace and holds .*drive\.trace\.lock/);
      frames(first.service, 1);
      await settled();
      await end(first.service);
      const file = path.join(folder, 'drive.trace');
      expect(readdirSync(folder)).toEqual(['drive.trace']);
      expect(readFileSync(file).includes(0)).toBe(false);
      expect(await verifyTrace(file)).toMatchObject({ difference: undefined });
      expect(await explainFile(file, 'front')).toMatchObject({ received: 2 });
    });

    it('is not begun by a configure that fails', async () => {
      const before = await active(traced());
      await end(before.service);
      const text = readFileSync(path.join(folder, 'drive.trace'), 'utf8');
      const taken = createServer().listen(0, '127.0.0.1');
      await once(taken, 'listening');
      await expect(active(traced({ 'metrics.port': String(portOf(taken)) }))).rejects.toThrow('EADDRINUSE');
      taken.close();
      expect(readdirSync(folder)).toEqual(['drive.trace']);
      expect(readFileSync(path.join(folder, 'drive.trace'), 'utf8')).toBe(text);
    });

    it('is set aside at the next configure, refusals and all', async () => {
      const { service } = await active(traced());
      service.refuse('front', HEADER, 'no_clock', 'there is no clock');
      await end(service);
      const again = await active(traced());
      frames(again.service, 1);
      await settled();
      await end(again.service);
      const file = path.join(folder, 'drive.trace');
      expect(await explainFile(`${file}.1`, '1')).toMatchObject({ end: 'cancelled/no_clock' });
      expect(await explainFile(file, '1')).toMatchObject({ end: 'delivered/delivered' });
      expect(await again.service.explain('1')).toContain('delivered/delivered');
    });
  });

  it('refuses a trace file that it cannot write', async () => {
    const parameters = configure({ 'metrics.port': '0', 'trace.file': '/nowhere/at/all.trace' });
    await expect(active(parameters)).rejects.toThrow('/nowhere/at/all.trace cannot be written');
  });

  it('ends everything at cleanup, whatever of it fails, and tells the first failure', async () => {
    const port = await freePort();
    const { service, server } = await setUp(configure({ 'metrics.port': String(port) }));
    server.close = () => Promise.reject(new Error('it hangs'));
    await expect(service.cleanup()).rejects.toThrow('it hangs');
    const again = createServer().listen(port, '127.0.0.1');
    await once(again, 'listening');
    again.close();
    server.close = () => Promise.resolve();
  });

  it('ends its servers at cleanup', async () => {
    const { service, server } = await active();
    await service.deactivate();
    await service.cleanup();
    expect(server.closed).toBe(true);
  });
});
