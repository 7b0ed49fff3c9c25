/** How a node ends while calls hang at the server, and what cleanup forgets. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { freePorts } from '../../src/demo/free-ports.js';
import { command, control } from '../support/faults.js';
import { ReferenceProcess } from '../support/reference-server.js';
import { GovernorProcess } from './governor-process.js';
import { backendStatus, changeState, IMAGE, outcomeAfter, streamStatus, watchNode } from './node-view.js';
import { eventually, RosPeer } from './ros-peer.js';

const MODELS = `
models:
  quick:
    behaviour: constant
    runtime: { fixed_ms: 2 }
    inputs: [{ name: image, datatype: UINT8, shape: [1, H, W, 3] }]
    outputs: [{ name: mean, datatype: FP32, shape: [1], fill: 0 }]
`;
const PICTURE = { header: { frame_id: 'camera' }, width: 4, height: 2, encoding: 'rgb8', step: 12, data: { bytes: 24 } };
/** Preloaded into a node: an error in a timer, as a programming mistake would be. */
const CRASH = `data:text/javascript,process.on('SIGUSR2',()=>{throw new Error('nobody foresaw this')})`;

let peer: RosPeer;
let server: ReferenceProcess;
let governor: GovernorProcess;
let metricsPort: number;

beforeAll(async () => {
  peer = new RosPeer();
  await watchNode(peer, ['camera']);
  await peer.advertise('/camera', IMAGE);
});

afterAll(async () => {
  await peer?.end();
});

beforeEach(async () => {
  server = await ReferenceProcess.start(MODELS);
  [metricsPort = 0] = await freePorts(1);
});

afterEach(async () => {
  governor?.signal('SIGKILL');
  await governor?.exited();
  server?.signal('SIGKILL'); // it would wait for what hangs
  await server?.stop();
});

async function serving(drainTimeoutMs: number, environment: NodeJS.ProcessEnv = {}): Promise<void> {
  governor = new GovernorProcess({
    parameters: {
      metrics: { port: metricsPort },
      drain_timeout_ms: drainTimeoutMs,
      backends: { gpu: { type: 'reference', endpoint: server.endpoint, slots: 1, timeout_ms: 600_000 } },
      models: { quick: { backend: 'gpu', variants: { only: { backend_model: 'quick' } } } },
      streams: { camera: { topic: '/camera', model: 'quick', queue: { policy: 'never_drop' }, contract: { max_age_ms: 60_000 } } },
    },
    environment,
  });
  await governor.active();
  await peer.subscribed('/camera');
  await peer.published('/governor/outcomes');
  await served();
}

const send = () => peer.send({ topic: '/camera', count: 1, periodMs: 0, fields: PICTURE });
const count = (cause: string) => peer.outcomes('camera').filter(({ cause_text }) => cause_text === cause).length;
const ready = async () => {
  const response = await fetch(`http://127.0.0.1:${metricsPort}/readyz`);
  return `${response.status} ${(await response.text()).trim()}`;
};

async function served(): Promise<void> {
  const before = count('delivered');
  await eventually('a picture is delivered', async () => {
    await send();
    return count('delivered') > before;
  });
  await eventually('nothing is open', () => streamStatus(peer, 'camera')['in_flight'] === 0);
}

/** One call hangs at the server, and a second picture waits behind it. */
async function hang(): Promise<void> {
  await command(server.metricsPort, { fault: 'hang', count: 1 });
  await send();
  await eventually('a call hangs', () => streamStatus(peer, 'camera')['in_flight'] === 1);
}

it('ends at the limit of its drain with status 3, every picture with its outcome, the call named with its state', async () => {
  await serving(300);
  await hang();
  const from = peer.outcomes('camera').length;
  governor.signal('SIGTERM');
  expect(await governor.exited()).toBe(3);
  expect(peer.outcomes('camera').slice(from)).toMatchObject([{ state_text: 'cancelled', cause_text: 'drain_limit' }]);
  expect(governor.log).toMatch(/WARN.*the drain is not complete.*calls=1, states=gpu: 1 timed_out, hint=docs\/runbook\.md#/);
});

it('drains when the hanging call ends within the limit', async () => {
  await serving(20_000);
  await hang();
  governor.signal('SIGTERM');
  await eventually('it drains', async () => (await ready()) === '503 the node is not active');
  await control(server.metricsPort, 'DELETE', '/faults');
  expect(await governor.exited()).toBe(0);
  expect(peer.outcomes('camera').at(-1)).toMatchObject({ cause_text: 'delivered' });
});

it('forgets held calls at cleanup, says how many and why, and serves with every slot after configure', async () => {
  await serving(300);
  expect(await ready()).toBe('200 ready');
  await hang();
  const from = peer.outcomes('camera').length;
  expect(await changeState(peer, 'deactivate')).toBe(true);
  await outcomeAfter(peer, 'camera', from, 'drain_limit');
  expect(await changeState(peer, 'activate')).toBe(true);
  await eventually('the slot is held', () => backendStatus(peer, 'gpu')['timed_out'] === 1);
  expect(await ready()).toContain('503 all 1 slots of gpu are held');
  for (const transition of ['deactivate', 'cleanup'] as const) expect(await changeState(peer, transition)).toBe(true);
  expect(governor.log).toMatch(/WARN.*cleanup forgets calls.*calls=1, states=gpu: 1 timed_out/);
  for (const transition of ['configure', 'activate'] as const) expect(await changeState(peer, transition)).toBe(true);
  await control(server.metricsPort, 'DELETE', '/faults');
  await served();
  expect(await ready()).toBe('200 ready');
  governor.signal('SIGINT');
  expect(await governor.exited()).toBe(0);
});

it('ends in order after an error that nobody foresaw, with status 1', async () => {
  await serving(20_000, { NODE_OPTIONS: `--import=${JSON.stringify(CRASH)}` });
  await hang();
  governor.signal('SIGUSR2');
  await eventually('it drains', async () => (await ready()) === '503 the node is not active');
  await control(server.metricsPort, 'DELETE', '/faults');
  expect(await governor.exited()).toBe(1);
  expect(governor.log).toContain('nobody foresaw this');
  expect(peer.outcomes('camera').at(-1)).toMatchObject({ cause_text: 'delivered' });
});
