/** What goes wrong on a robot, one thing after the other on one node: the outcome, the diagnostic and the hint, and that it serves again. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePorts } from '../../src/demo/free-ports.js';
import { brightnessModel, echoModel, facesOfNoSizeModel } from '../support/triton-models.js';
import { freePorts as freeTritonPorts, type TritonPorts, TritonServer } from '../support/triton-server.js';
import { GovernorProcess } from './governor-process.js';
import {
  backendStatus,
  changeState,
  type Diagnostic,
  diagnostics,
  IMAGE,
  outcomeAfter,
  outcomeOf,
  streamStatus,
  watchNode,
} from './node-view.js';
import { eventually, type Outcome, RosPeer, type Send } from './ros-peer.js';

const WIDTH = 64;
const HEIGHT = 48;
const DARK = { header: { frame_id: 'camera' }, ...picture(WIDTH, HEIGHT, 0) };
const BRIGHT = { ...DARK, ...picture(WIDTH, HEIGHT, 255) };
const FIXED = { dims: `1, ${HEIGHT}, ${WIDTH}, 3` };
const AWAY = brightnessModel('sleepy', 2, { instances: 2 });

/** Served by the server that is always there; `remote` alone by the one that comes and goes. */
const STREAMS = ['camera', 'unknown', 'mismatch', 'faces', 'picky', 'remote'] as const;
type Stream = (typeof STREAMS)[number];

function picture(width: number, height: number, value: number) {
  return { width, height, encoding: 'rgb8', step: width * 3, data: { bytes: width * height * 3, value } };
}

function parameters(endpoint: string, away: string, metricsPort: number): object {
  const model = (backend: string, backendModel: string, more: object = {}) => ({
    backend,
    variants: { only: { backend_model: backendModel } },
    ...more,
  });
  const stream = (name: Stream, more: object = {}) => ({ topic: `/${name}`, model: name, contract: { max_age_ms: 20_000 }, ...more });
  return {
    metrics: { port: metricsPort },
    drain_timeout_ms: 2000,
    backends: { near: { endpoint, slots: 4, timeout_ms: 20_000 }, away: { endpoint: away, slots: 2, timeout_ms: 4000 } },
    models: {
      camera: model('near', 'fixed'),
      picky: model('near', 'any'),
      unknown: model('near', 'nowhere'),
      mismatch: model('near', 'floats'),
      faces: model('near', 'faces', {
        input: { layout: 'nchw', datatype: 'FP32', width: 32, height: 32 },
        output: { decoder: 'centerface' },
      }),
      remote: model('away', 'sleepy'),
    },
    streams: {
      camera: stream('camera'),
      unknown: stream('unknown'),
      mismatch: stream('mismatch'),
      faces: stream('faces'),
      picky: stream('picky', { queue: { policy: 'never_drop' } }),
      remote: stream('remote'),
    },
  };
}

let near: TritonServer;
let peer: RosPeer;

beforeAll(async () => {
  near = await TritonServer.start({
    models: [
      brightnessModel('fixed', 2, FIXED),
      brightnessModel('any', 2),
      echoModel('floats', '1, -1, -1, 3'),
      facesOfNoSizeModel('faces'),
    ],
  });
  peer = new RosPeer();
  await watchNode(peer, STREAMS);
  for (const name of STREAMS) if (name !== 'picky') await peer.advertise(`/${name}`, IMAGE);
});

afterAll(async () => {
  await peer?.end();
  await near?.stop();
});

/** Sends a picture, and gives back how it ended. */
async function ended(stream: Stream, cause: string, fields: object = DARK, stamp: NonNullable<Send['stamp']> = 'now'): Promise<Outcome> {
  const outcome = await outcomeOf(peer, stream, { fields, stamp });
  expect([outcome.cause_text, outcome.detail]).toEqual([cause, expect.any(String)]);
  return outcome;
}

/** Sends until a picture is delivered: what stood in the way is over. */
async function served(stream: Stream): Promise<void> {
  await eventually(`${stream} is served`, async () => (await outcomeOf(peer, stream, { fields: DARK })).cause_text === 'delivered');
}

/** Sends until the diagnostic of the stream is back to OK. */
async function well(stream: Stream): Promise<void> {
  await eventually(`the diagnostic of ${stream} is back to OK`, async () => {
    await peer.send({ topic: `/${stream}`, count: 1, periodMs: 0, fields: DARK });
    return diagnostics(peer, `stream ${stream}`).at(-1)?.level === 0;
  });
}

/** The first report from now on that contains a text. */
async function reported(name: string, text: string): Promise<Diagnostic> {
  const from = Math.max(0, diagnostics(peer, name).length - 1);
  let found: Diagnostic | undefined;
  await eventually(`the diagnostic "${name}" says "${text}"`, () => {
    found = diagnostics(peer, name)
      .slice(from)
      .find(({ message }) => message.includes(text));
    return found !== undefined;
  });
  if (found === undefined) throw new Error('unreachable');
  return found;
}

const WARN = 1;
const ERROR = 2;

describe('a node that serves several streams', () => {
  let governor: GovernorProcess;
  let wrongPublisher: RosPeer;
  let ports: TritonPorts;
  let away: TritonServer | undefined;
  let metricsPort: number;

  beforeAll(async () => {
    ports = await freeTritonPorts();
    [metricsPort = 0] = await freePorts(1);
    wrongPublisher = new RosPeer();
    await wrongPublisher.advertise('/picky', IMAGE, 'best_effort');
    governor = new GovernorProcess({ parameters: parameters(near.endpoint, `127.0.0.1:${ports.grpc}`, metricsPort) });
    await governor.active();
    await peer.published('/governor/outcomes');
    for (const name of STREAMS) if (name !== 'picky') await peer.subscribed(`/${name}`);
    await served('camera');
  });

  afterAll(async () => {
    await governor?.end();
    await wrongPublisher?.end();
    await away?.kill();
  });

  /** A metric of the server that comes and goes. */
  const metric = async (name: string) => {
    const page = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    return new RegExp(`^${name}\\{backend="away"\\} (\\d+)$`, 'm').exec(page)?.[1];
  };

  describe('refuses a message that is no request, and serves the next one', () => {
    it.each([
      ['a stamp of zero', 'stamp_zero', DARK, 'zero', 'zero', 'Zero timestamp seen.', 'stamp_source: receive'],
      [
        'a stamp of TAI',
        'stamp_future',
        DARK,
        { offset_ms: 37_000 },
        'in the future, tolerated are 50 ms',
        'Timestamps too far in future seen.',
        'probably TAI',
      ],
      [
        'a picture without its end',
        'malformed_message',
        { ...DARK, data: { bytes: 1000 } },
        'now',
        '1000',
        'malformed_message',
        'fault is in the publisher',
      ],
      ['an encoding of its own', 'unsupported_encoding', { ...DARK, encoding: 'yuv999' }, 'now', 'yuv999', 'unsupported_encoding', 'docs/'],
      [
        'a shape that the model does not take',
        'unsupported_type',
        { ...DARK, ...picture(32, 32, 0) },
        'now',
        '[1,32,32,3]',
        'unsupported_type',
        'shape',
      ],
    ] as const)('%s', async (_, cause, fields, stamp, detail, message, hint) => {
      const outcome = await ended('camera', cause, fields, stamp);
      expect(outcome).toMatchObject({ state_text: 'invalid', detail: expect.stringContaining(detail), service_us: -1 });
      const diagnostic = await reported('stream camera', message);
      expect(diagnostic.level).toBeGreaterThanOrEqual(WARN);
      expect(diagnostic.hint).toContain(hint);
      await ended('camera', 'delivered');
      await well('camera');
    });
  });

  it('names a model that the server does not have, while others of that server work, and uses it once it is loaded', async () => {
    const outcome = await ended('unknown', 'no_variant_ready');
    expect(outcome.state_text).toBe('infeasible');
    expect(outcome.detail).toContain('nowhere');
    expect(outcome.detail).toContain('near');
    const diagnostic = await reported('stream unknown', 'nowhere');
    expect(diagnostic.level).toBe(ERROR);
    expect(diagnostic.hint).toContain('load the model, or correct its name');
    await ended('camera', 'delivered');
    await near.load(brightnessModel('nowhere', 2));
    await served('unknown');
    await well('unknown');
  });

  it('does not use a model that takes another type, and says what both are and what to set', async () => {
    const outcome = await ended('mismatch', 'no_variant_ready');
    for (const text of ['floats', 'FP32', 'UINT8', 'models.mismatch.input']) expect(outcome.detail).toContain(text);
    const diagnostic = await reported('stream mismatch', 'FP32');
    expect(diagnostic.level).toBe(ERROR);
    expect(diagnostic.hint).not.toBe('');
    await ended('camera', 'delivered');
  });

  it('publishes no box that is not a number', async () => {
    const outcome = await ended('faces', 'bad_output', BRIGHT);
    expect(outcome).toMatchObject({ state_text: 'backend_failed', detail: expect.stringContaining('no finite box') });
    const diagnostic = await reported('stream faces', 'bad_output');
    expect(diagnostic.level).toBeGreaterThanOrEqual(WARN);
    expect(diagnostic.hint).toContain('decoder');
    await ended('faces', 'delivered');
    expect(peer.messages('/governor/faces/result').map((result) => result['detections'])).toEqual([[]]);
  });

  it('calls an incompatible publisher a warning, then an error, and serves one that fits', async () => {
    const diagnostic = await reported('stream picky', 'incompatible QoS');
    expect(diagnostic.message).toContain('offers best effort, this stream requests reliable: set qos.preset');
    expect(diagnostic.hint).toContain('/picky');
    await eventually('it has become an error', () => diagnostics(peer, 'stream picky').at(-1)?.level === ERROR);
    const levels = diagnostics(peer, 'stream picky').flatMap(({ level, message }) => (message.includes('incompatible') ? level : []));
    expect(levels.indexOf(WARN)).toBe(0);
    expect(streamStatus(peer, 'picky')).toMatchObject({ received: 0, waiting: 0 });
    await wrongPublisher.end();
    await peer.advertise('/picky', IMAGE);
    await peer.subscribed('/picky');
    await served('picky');
    await well('picky');
  });

  describe('and a server that comes and goes', () => {
    it('waits for it, and uses it when it is there', async () => {
      const outcome = await ended('remote', 'no_variant_ready');
      expect(outcome.state_text).toBe('infeasible');
      expect(outcome.detail).toContain('away');
      expect(await reported('backend away', 'not reachable')).toMatchObject({
        level: ERROR,
        hint: expect.stringContaining(`tritonserver --grpc-port ${ports.grpc}`),
      });
      expect(backendStatus(peer, 'away')).toMatchObject({ reachable: false, ready: false, in_flight: 0 });
      away = await TritonServer.start({ models: [AWAY], ports });
      await served('remote');
      await eventually('the backend is ready', () => backendStatus(peer, 'away')['ready'] === true);
      expect(await reported('backend away', 'in flight')).toMatchObject({ level: 0 });
    });

    it('holds the slot of a call that was running when it was killed, visibly, until it is there again', async () => {
      await killDuringCall();
      await eventually('the slot is held', () => backendStatus(peer, 'away')['held'] === 1);
      expect(backendStatus(peer, 'away')).toMatchObject({ slots: 2, in_flight: 1, reconciling: 1, quarantined: 0, reachable: false });
      expect(await metric('vig_quarantined_slots')).toBe('1');
      await ended('camera', 'delivered');
      await ended('remote', 'no_variant_ready');
      away = await TritonServer.start({ models: [AWAY], ports });
      await served('remote');
      await eventually('the slot is back', () => backendStatus(peer, 'away')['held'] === 0);
      expect(backendStatus(peer, 'away')).toMatchObject({ reconciled: 1, restarts: 1, trusted: true, ready: true });
      expect(streamStatus(peer, 'remote')).toMatchObject({ backend_failed: 1 });
      expect(await metric('vig_quarantined_slots')).toBe('0');
      expect(await metric('vig_execution_reconciled_total')).toBe('1');
      expect(await metric('vig_backend_restarts_total')).toBe('1');
    });

    it('sends nothing more once every slot is held, and says so', async () => {
      const before = peer.outcomes('remote').length;
      for (const held of [1, 2]) {
        await peer.send({ topic: '/remote', count: 1, periodMs: 0, fields: BRIGHT });
        await eventually('calls without an answer', () => backendStatus(peer, 'away')['timed_out'] === held);
      }
      await outcomeAfter(peer, 'remote', before, 'no_answer');
      const executed = await away?.metric('nv_inference_exec_count', 'sleepy');
      const outcome = await ended('remote', 'slots_quarantined');
      expect(outcome).toMatchObject({ state_text: 'infeasible', detail: expect.stringContaining('2 of 2 slots') });
      const hint = expect.stringContaining('docs/runbook.md#a-call-has-no-answer');
      expect(await reported('backend away', 'all 2 slots held without proof: 2 timed_out')).toMatchObject({ level: ERROR, hint });
      expect(await metric('vig_quarantined_slots')).toBe('2');
      expect(peer.messages('/governor/status').at(-1)?.['ready']).toBe(false);
      expect(await (await fetch(`http://127.0.0.1:${metricsPort}/readyz`)).text()).toContain('all 2 slots of away are held');
      expect(await away?.metric('nv_inference_exec_count', 'sleepy')).toBe(executed);
      await ended('camera', 'delivered');
    });

    it('refuses frames while inactive, saying how to activate it, and has forgotten held slots after cleanup', async () => {
      expect(await changeState(peer, 'deactivate')).toBe(true);
      const outcome = await ended('camera', 'inactive');
      expect(outcome).toMatchObject({ state_text: 'cancelled', detail: expect.stringContaining('not active') });
      const diagnostic = await reported('stream camera', 'inactive');
      expect(diagnostic.level).toBeGreaterThanOrEqual(WARN);
      expect(diagnostic.hint).toContain('activate');
      expect(await changeState(peer, 'cleanup')).toBe(true);
      expect(governor.log).toMatch(/WARN.*cleanup forgets calls.*calls=2, states=away: 2 timed_out/);
      await away?.kill();
      away = await TritonServer.start({ models: [AWAY], ports });
      for (const transition of ['configure', 'activate'] as const) expect(await changeState(peer, transition)).toBe(true);
      await served('camera');
      await served('remote');
      expect(backendStatus(peer, 'away')).toMatchObject({ held: 0, quarantined: 0 });
      expect(await metric('vig_quarantined_slots')).toBe('0');
    });

    async function killDuringCall(): Promise<void> {
      if (away === undefined) throw new Error('the server is not there');
      const before = peer.outcomes('remote').length;
      await peer.send({ topic: '/remote', count: 1, periodMs: 0, fields: BRIGHT });
      await eventually('the call runs', () => streamStatus(peer, 'remote')['in_flight'] === 1);
      await away.kill();
      const outcome = await outcomeAfter(peer, 'remote', before, 'execution_unknown');
      expect(outcome.state_text).toBe('backend_failed');
      expect(outcome.service_us).toBeGreaterThan(0);
    }
  });
});

describe('a node that takes its time from /clock', () => {
  it('says that it waits for it, and serves when it comes', async () => {
    const [metricsPort = 0] = await freePorts(1);
    const simulated = { ...parameters(near.endpoint, near.endpoint, metricsPort), use_sim_time: true };
    const governor = new GovernorProcess({ parameters: simulated });
    try {
      await governor.active();
      await peer.subscribed('/camera');
      await peer.published('/governor/outcomes');
      const outcome = await ended('camera', 'no_clock');
      expect(outcome).toMatchObject({ state_text: 'cancelled', detail: expect.stringContaining('/clock') });
      const diagnostic = await reported('stream camera', '/clock');
      expect(diagnostic.level).toBeGreaterThanOrEqual(WARN);
      expect(diagnostic.hint).toContain('--clock');
      await peer.advertise('/clock', 'rosgraph_msgs/msg/Clock', 'best_effort');
      await peer.subscribed('/clock');
      const delivered = () => peer.outcomes('camera').filter(({ cause_text }) => cause_text === 'delivered').length;
      const before = delivered();
      await eventually('it serves', async () => {
        const clock = { sec: Math.floor(Date.now() / 1000), nanosec: 0 };
        await peer.send({ topic: '/clock', count: 1, periodMs: 0, fields: { clock } });
        await peer.send({ topic: '/camera', count: 1, periodMs: 0, fields: DARK, stamp: { offset_ms: -5000 } });
        return delivered() > before;
      });
    } finally {
      await governor.end();
    }
  });
});
