import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { MessageReader } from '@foxglove/rosmsg2-serialization';
import { type Logger, pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { GovernorNode } from '../../src/ros/governor-node.js';
import { Inputs } from '../../src/ros/inputs.js';
import { readDefinitions } from '../../src/ros/interface-definitions.js';
import { OperatorLog } from '../../src/ros/operator-log.js';
import { GovernorService } from '../../src/service/governor-service.js';
import type { ConnectServer } from '../../src/service/served-backend.js';
import { verifyTrace } from '../../src/trace/verify.js';
import { configureText, fileWith } from '../config/configure.js';
import { ManualClock } from '../governor/manual-clock.js';
import { ManualServer } from '../support/manual-server.js';
import { fakeBinding } from './fake-binding.js';
import { installInterfaces } from './interfaces.js';

const DRAIN_MS = 500;
let prefix: string;

beforeEach(() => {
  prefix = installInterfaces();
  vi.stubEnv('AMENT_PREFIX_PATH', prefix);
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(prefix, { recursive: true });
});

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function nodeWith(changes: Readonly<Record<string, string>> = {}, operatorLog?: Logger) {
  const binding = fakeBinding();
  const node = {
    ...binding.node,
    getFullyQualifiedName: () => '/governor',
    getClock: () => ({ now: () => ({ nanoseconds: 100_005_000_000n }) }),
    getPublishersInfoByTopic: () => [],
  };
  const configuration = configureText(fileWith({ 'metrics.port': '0', drain_timeout_ms: String(DRAIN_MS), ...changes }));
  const clock = new ManualClock();
  const server = new ManualServer();
  const connect: ConnectServer = (request) => {
    if (request.parameters.endpoint.startsWith('elsewhere')) throw new Error('no way there');
    return server.connect(request);
  };
  const lines: { level: number; msg: string; [fact: string]: unknown }[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line)) });
  const governor = new GovernorNode({ rcl: binding.rcl, node, configuration, clock, connect, log: operatorLog ?? log });
  return { governor, binding, clock, server, lines };
}

/** It serves. */
async function bench(operatorLog?: Logger) {
  const made = benchOf({}, operatorLog);
  await made.governor.configure();
  await made.governor.activate();
  await turn();
  return made;
}

function benchOf(changes: Readonly<Record<string, string>>, operatorLog?: Logger) {
  const { governor, binding, clock, server, lines } = nodeWith(changes, operatorLog);
  const reader = new MessageReader<{ request_id: bigint; state_text: string; cause_text: string }>(
    readDefinitions('vigilant_governor/msg/Outcome', [prefix]),
  );
  return {
    governor,
    clock,
    server,
    /** Sends a picture, and lets it be dispatched. */
    send: async (ms: number) => {
      const header = { stamp: { sec: 100, nanosec: ms * 1_000_000 }, frame_id: 'camera' };
      const callback = binding.subscriptions.get('/front/image_raw')?.callback as (message: unknown) => void;
      callback({ header, width: 1, height: 1, encoding: 'rgb8', is_bigendian: 0, step: 3, data: new Uint8Array(3) });
      await turn();
    },
    outcomes: () =>
      (binding.topics.get('~/outcomes')?.sent ?? [])
        .map((bytes) => reader.readMessage(bytes))
        .map((outcome) => `${outcome.request_id} ${outcome.state_text}/${outcome.cause_text}`),
    warnings: () =>
      lines.filter(({ msg }) => msg.includes('not proven')).map(({ calls, states, msg, hint }) => ({ calls, states, msg, hint })),
  };
}

describe('a node that ends', () => {
  it('is drained when its calls have ended within the limit', async () => {
    const { governor, server, send, outcomes, warnings } = await bench();
    await send(0);
    const ended = governor.shutdown();
    server.calls[0]?.end({ result: 'ok', outputs: [], modelVersion: '1' });
    await ended;
    expect(outcomes()).toEqual(['1 delivered/delivered']);
    expect([governor.drained, warnings(), server.closed]).toEqual([true, [], true]);
  });

  it('gives what hangs its outcome at the limit, and names its call', async () => {
    const { governor, clock, send, outcomes, warnings } = await bench();
    await send(0);
    await send(1);
    const ended = governor.shutdown();
    clock.moveTo(DRAIN_MS);
    await ended;
    expect(outcomes()).toEqual(['2 cancelled/shutdown', '1 cancelled/drain_limit']);
    expect(governor.drained).toBe(false);
    const [left] = warnings();
    expect(left).toMatchObject({ calls: 1, states: 'gpu: 1 timed_out', msg: expect.stringContaining('drain') });
  });

  it('does not wait when it is hurried, before or in its drain', async () => {
    const before = await bench();
    await before.send(0);
    before.governor.hurry();
    await before.governor.shutdown();
    const during = await bench();
    await during.send(0);
    const ended = during.governor.shutdown();
    during.governor.hurry();
    await ended;
    for (const { governor, outcomes } of [before, during])
      expect([governor.drained, outcomes()]).toEqual([false, ['1 cancelled/drain_limit']]);
  });

  it('is drained when a call that was left at deactivation has ended since', async () => {
    const { governor, clock, server, send } = await bench();
    await send(0);
    const inactive = governor.deactivate();
    clock.moveTo(DRAIN_MS);
    await inactive;
    server.calls[0]?.end({ result: 'ok', outputs: [], modelVersion: '1' });
    await turn();
    await governor.shutdown();
    expect(governor.drained).toBe(true);
  });
});

/** A port that is taken until the test is over, or until `free`. */
async function takenPort(): Promise<{ readonly port: string; free(): Promise<void> }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('it does not listen on a port');
  const free = async (): Promise<void> => {
    server.close();
    await once(server, 'close');
  };
  return { port: String(address.port), free };
}

const openDescriptors = (): number => readdirSync('/proc/self/fd').length;

describe('a configure that fails', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'vig-node-'));
  });
  afterEach(() => {
    vi.restoreAllMocks();
    rmSync(folder, { recursive: true });
  });

  it('leaves nothing open, nor what was learned overwritten, while the metrics port is taken', async () => {
    const { port, free } = await takenPort();
    const learned = path.join(folder, 'learned.json');
    writeFileSync(learned, 'of another run');
    const { governor } = nodeWith({
      'metrics.port': port,
      'trace.file': path.join(folder, 'drive.trace'),
      'learning.state_file': learned,
    });
    const before = openDescriptors();
    for (let attempt = 0; attempt < 3; attempt += 1) await expect(governor.configure()).rejects.toThrow(/metrics\.port/);
    expect(openDescriptors()).toBe(before);
    expect(readFileSync(learned, 'utf8')).toBe('of another run');
    await free();
    await governor.configure();
    await governor.shutdown();
  });

  it('leaves nothing open when a backend cannot be made', async () => {
    const { governor } = nodeWith({
      'trace.file': path.join(folder, 'drive.trace'),
      'backends.gpu.endpoint': 'elsewhere:8001',
    });
    const before = openDescriptors();
    for (let attempt = 0; attempt < 3; attempt += 1) await expect(governor.configure()).rejects.toThrow('no way there');
    expect(openDescriptors()).toBe(before);
  });

  it('gives port and servers back when something after the service fails', async () => {
    const { port, free } = await takenPort();
    await free();
    const { governor, server } = nodeWith({ 'metrics.port': port });
    vi.spyOn(Inputs.prototype, 'open').mockImplementationOnce(() => {
      throw new Error('no middleware');
    });
    await expect(governor.configure()).rejects.toThrow('no middleware');
    expect(server.closed).toBe(true);
    await governor.configure();
    await governor.shutdown();
  });

  it('is followed by one that works although the state machine had not taken it', async () => {
    const { port, free } = await takenPort();
    await free();
    const { governor, server } = nodeWith({ 'metrics.port': port });
    await governor.configure();
    await governor.configure();
    expect(server.closed).toBe(true);
    await governor.shutdown();
  });
});

it('puts contracts in force that change while it is configured, and its trace tells of it', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'vig-node-'));
  const trace = path.join(folder, 'drive.trace');
  const { port, free } = await takenPort();
  await free();
  const { governor, send, outcomes } = benchOf({ 'metrics.port': port, 'trace.file': trace });
  const configured = governor.configure();
  governor.change([{ name: 'streams.front.contract.max_age_ms', value: 4 }]);
  await configured;
  await governor.activate();
  await turn();
  await send(0); // 5 ms old
  expect(outcomes()).toEqual(['1 stale/stale_on_arrival']);
  await governor.shutdown();
  expect(await verifyTrace(trace)).toMatchObject({ difference: undefined });
  rmSync(folder, { recursive: true });
});

describe('an end that fails', () => {
  it.each(['cleanup', 'shutdown'] as const)('gives everything else back all the same: %s', async (end) => {
    const { port, free } = await takenPort();
    await free();
    const { governor, server } = nodeWith({ 'metrics.port': port });
    await governor.configure();
    server.close = () => Promise.reject(new Error('it hangs'));
    await expect(governor[end]()).rejects.toThrow('it hangs');
    const taken = createServer().listen(Number(port), '127.0.0.1');
    await once(taken, 'listening');
    taken.close();
  });

  it('closes the servers when the drain fails, and is not drained', async () => {
    const { governor, server } = nodeWith();
    await governor.configure();
    await governor.activate();
    vi.spyOn(GovernorService.prototype, 'deactivate').mockRejectedValueOnce(new Error('a defect'));
    await expect(governor.shutdown()).rejects.toThrow('a defect');
    expect([server.closed, governor.drained]).toEqual([true, false]);
  });
});

describe('cleanup and configure', () => {
  it('forget held calls, and say how many and why', async () => {
    const { governor, clock, server, send, outcomes, warnings } = await bench();
    await send(0);
    const inactive = governor.deactivate();
    clock.moveTo(DRAIN_MS);
    await inactive;
    expect(warnings()).toHaveLength(1);
    await governor.cleanup();
    expect(warnings().at(-1)).toMatchObject({
      calls: 1,
      states: 'gpu: 1 timed_out',
      msg: expect.stringContaining('cleanup forgets'),
    });
    await governor.configure();
    await governor.activate();
    await turn();
    await send(1);
    expect(server.calls).toHaveLength(2); // the only slot is free again
    server.calls[1]?.end({ result: 'ok', outputs: [], modelVersion: '1' });
    await turn();
    expect(outcomes()).toEqual(['1 cancelled/drain_limit', '1 delivered/delivered']);
    await governor.shutdown();
    expect(governor.drained).toBe(true);
  });

  it('say nothing when nothing is held', async () => {
    const { governor, warnings } = await bench();
    await governor.deactivate();
    await governor.cleanup();
    expect(warnings()).toEqual([]);
    await governor.shutdown();
  });
});

it('says what an operator did, and what came of it, each time', async () => {
  const said: string[] = [];
  const say = (text: string): void => void said.push(text.split(/[:(]/, 1)[0] ?? '');
  const log = new OperatorLog('info');
  log.attach({ info: say, warn: say, error: say });
  const { governor, clock, send } = await bench(log.logger);
  for (const round of [1, 2]) {
    if (round === 2) {
      await governor.configure();
      await governor.activate();
      await turn();
    }
    for (const value of [90, 80]) governor.change([{ name: 'streams.front.contract.max_age_ms', value }]);
    await send(round);
    const inactive = governor.deactivate();
    clock.moveTo(round * DRAIN_MS);
    await inactive;
    await governor.cleanup();
  }
  const ofOneRound = [
    'contract changed ',
    'contract changed ',
    'the drain is not complete',
    'cleanup forgets calls whose end is not proven',
  ];
  expect(said.filter((text) => ofOneRound.includes(text))).toEqual([...ofOneRound, ...ofOneRound]);
});
