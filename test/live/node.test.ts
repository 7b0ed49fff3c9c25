import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { brightnessModel } from '../support/triton-models.js';
import { TritonServer } from '../support/triton-server.js';
import { GovernorProcess } from './governor-process.js';
import { changeState, diagnostics, IMAGE, settled, stateOf, streamStatus, watchNode } from './node-view.js';
import { eventually, type Outcome, RosPeer } from './ros-peer.js';

const WIDTH = 64;
const HEIGHT = 48;
const PICTURE = {
  header: { frame_id: 'caméra_avant' },
  width: WIDTH,
  height: HEIGHT,
  encoding: 'rgb8',
  step: WIDTH * 3,
  data: { bytes: WIDTH * HEIGHT * 3 },
};

function parameters(endpoint: string): object {
  return {
    metrics: { port: 0 },
    drain_timeout_ms: 3000,
    backends: { gpu: { endpoint, slots: 2 } },
    models: {
      quick: { backend: 'gpu', variants: { only: { backend_model: 'quick' } } },
      slow: { backend: 'gpu', variants: { only: { backend_model: 'slow' } } },
    },
    streams: {
      every: { topic: '/every', model: 'quick', queue: { policy: 'never_drop', capacity: 100 }, contract: { max_age_ms: 3000 } },
      newest: { topic: '/newest', model: 'slow', contract: { max_age_ms: 1000, period_ms: 33 } },
    },
  };
}

/** Outcomes of a stream with this cause. */
function ended(peer: RosPeer, stream: string, cause: string): number {
  return peer.outcomes(stream).filter((outcome) => outcome.cause_text === cause).length;
}

function byStamp(headers: readonly Outcome['header'][]): readonly Outcome['header'][] {
  return headers.toSorted((a, b) => a.stamp.sec - b.stamp.sec || a.stamp.nanosec - b.stamp.nanosec);
}

/** Sends until a frame of each stream is delivered: the models are warm, and the topics matched. */
async function serving(): Promise<void> {
  for (const [stream, topic] of [
    ['every', '/every'],
    ['newest', '/newest'],
  ] as const) {
    const before = ended(peer, stream, 'delivered');
    await peer.subscribed(topic);
    await eventually(`${stream} is served`, async () => {
      await peer.send({ topic, count: 1, periodMs: 0, fields: PICTURE });
      return ended(peer, stream, 'delivered') > before;
    });
  }
  await settled(peer, ['every', 'newest']);
}

let triton: TritonServer;
let peer: RosPeer;

beforeAll(async () => {
  triton = await TritonServer.start({ models: [brightnessModel('quick', 2), brightnessModel('slow', 120)] });
  peer = new RosPeer();
  await watchNode(peer, ['every']);
  await peer.advertise('/every', IMAGE);
  await peer.advertise('/newest', IMAGE);
});

afterAll(async () => {
  await peer?.end();
  await triton?.stop();
});

describe('a node that serves', () => {
  let governor: GovernorProcess;

  beforeAll(async () => {
    governor = new GovernorProcess({ parameters: parameters(triton.endpoint) });
    await governor.active();
    await peer.published('/governor/outcomes');
    await serving();
  });

  afterAll(async () => {
    await governor?.end();
  });

  it('answers each frame with a result under its own header, and one outcome', async () => {
    const outcomes = () => peer.outcomes('every').slice(before.outcomes);
    const results = () => peer.messages('/governor/every/result').slice(before.results);
    const before = { outcomes: peer.outcomes('every').length, results: peer.messages('/governor/every/result').length };
    const stamps = await peer.send({ topic: '/every', count: 40, periodMs: 20, fields: PICTURE });
    await eventually('40 results and outcomes', () => results().length >= 40 && outcomes().length >= 40);
    const headers = stamps.map(([sec, nanosec]) => ({ stamp: { sec, nanosec }, frame_id: 'caméra_avant' }));
    // Two slots: of two frames that run side by side either may be answered first.
    expect(byStamp(results().map((result) => result['header'] as Outcome['header']))).toEqual(headers);
    expect(byStamp(outcomes().map((outcome) => outcome.header))).toEqual(headers);
    expect(new Set(outcomes().map((outcome) => outcome.cause_text))).toEqual(new Set(['delivered']));
    const outputs = results()[0]?.['outputs'];
    expect(outputs).toEqual([{ name: 'mean', datatype: 'FP32', shape: [1], data: [0, 0, 0, 0] }]);
  });

  it('replaces frames that wait for a slow model by newer ones, and says so', async () => {
    const before = peer.outcomes('newest').length;
    const counted = streamStatus(peer, 'newest');
    const since = (name: string) => Number(streamStatus(peer, 'newest')[name]) - Number(counted[name]);
    await peer.send({ topic: '/newest', count: 45, periodMs: 33, fields: PICTURE });
    await eventually('each frame is counted and decided', () => {
      const all = since('received') + since('lost_before_node') === 45;
      return all && peer.outcomes('newest').length - before === since('received');
    });
    expect(ended(peer, 'newest', 'newer_capture')).toBeGreaterThan(10);
    expect(ended(peer, 'newest', 'delivered')).toBeGreaterThan(3);
    const stamps = peer.outcomes('newest').map(({ header }) => `${header.stamp.sec}.${header.stamp.nanosec}`);
    expect(new Set(stamps).size).toBe(stamps.length);
  });

  it('explains on request what became of a frame, and of the frames of a stream', async () => {
    const explain = async (subject: string) =>
      String((await peer.call('/governor/explain', 'vigilant_governor/srv/Explain', { subject }))['text']);
    const last = peer.outcomes('newest').at(-1);
    const story = await explain(String(last?.request_id));
    expect(story).toContain(`request ${last?.request_id} of newest: ${last?.state_text}/${last?.cause_text}`);
    expect(story).toContain('sent to');
    expect(await explain('newest')).toContain('superseded/newer_capture');
    expect(await explain('nobody')).toContain('there is no stream "nobody"; it has every, newest');
  });

  it('ends what is no request with its reason', async () => {
    await peer.send({ topic: '/every', count: 1, periodMs: 0, fields: PICTURE, stamp: 'zero' });
    await peer.send({ topic: '/every', count: 1, periodMs: 0, fields: PICTURE, stamp: { offset_ms: 37_000 } });
    await peer.send({ topic: '/every', count: 1, periodMs: 0, fields: { ...PICTURE, data: { bytes: 10 } } });
    await peer.send({ topic: '/every', count: 1, periodMs: 0, fields: { ...PICTURE, encoding: 'yuv999' } });
    await eventually('4 refusals', () => peer.outcomes('every').filter((outcome) => outcome.state_text === 'invalid').length >= 4);
    const causes = peer
      .outcomes('every')
      .filter((outcome) => outcome.state_text === 'invalid')
      .map((outcome) => outcome.cause_text);
    expect(causes).toEqual(['stamp_zero', 'stamp_future', 'malformed_message', 'unsupported_encoding']);
  });

  it('shows its parameters with types and ranges, changes contracts, and refuses the rest with a reason', async () => {
    const names = ['streams.newest.contract.max_age_ms', 'backends.gpu.slots'];
    const got = await peer.call('/governor/get_parameters', 'rcl_interfaces/srv/GetParameters', { names });
    expect(got['values']).toMatchObject([
      { type: 3, double_value: 1000 },
      { type: 2, integer_value: 2 },
    ]);
    const described = await peer.call('/governor/describe_parameters', 'rcl_interfaces/srv/DescribeParameters', { names });
    expect(described['descriptors']).toMatchObject([
      { read_only: false, floating_point_range: [{ from_value: 0.001, to_value: 3_600_000 }] },
      { read_only: true, integer_range: [{ from_value: 1, to_value: 256 }] },
    ]);
    const set = async (name: string, value: object) => {
      const answer = await peer.call('/governor/set_parameters', 'rcl_interfaces/srv/SetParameters', { parameters: [{ name, value }] });
      return answer['results'];
    };
    expect(await set('streams.newest.contract.max_age_ms', { type: 3, double_value: 900 })).toMatchObject([{ successful: true }]);
    expect(await set('streams.newest.contract.max_age_ms', { type: 3, double_value: 1000 })).toMatchObject([{ successful: true }]);
    expect(await set('streams.newest.contract.max_age_ms', { type: 3, double_value: -1 })).toMatchObject([
      { successful: false, reason: expect.stringMatching(/max_age_ms|range/) },
    ]);
    expect(await set('backends.gpu.slots', { type: 2, integer_value: 1 })).toMatchObject([
      { successful: false, reason: expect.stringMatching(/read.?only/i) },
    ]);
  });

  it('names an incompatible publisher in its diagnostics, with both policies, until it is gone', async () => {
    const other = new RosPeer();
    const message = () => diagnostics(peer, 'stream every').at(-1)?.message ?? '';
    try {
      await other.advertise('/every', IMAGE, 'best_effort');
      await eventually('the mismatch is named', () => message().includes('offers best effort, this stream requests reliable'));
    } finally {
      await other.end();
    }
    await eventually('the mismatch is over', () => !message().includes('incompatible'));
  });

  it('is led through its lifecycle by services, and refuses frames while it is not active', async () => {
    const before = peer.outcomes('every').length;
    expect([await changeState(peer, 'deactivate'), await stateOf(peer)]).toEqual([true, 'inactive']);
    expect(await changeState(peer, 'deactivate')).toBe(false);
    await peer.send({ topic: '/every', count: 5, periodMs: 10, fields: PICTURE });
    await eventually('5 outcomes', () => peer.outcomes('every').length >= before + 5);
    expect(ended(peer, 'every', 'inactive')).toBe(5);
    expect([await changeState(peer, 'cleanup'), await stateOf(peer)]).toEqual([true, 'unconfigured']);
    expect([await changeState(peer, 'configure'), await changeState(peer, 'activate'), await stateOf(peer)]).toEqual([
      true,
      true,
      'active',
    ]);
    await serving();
  });

  it('ends on SIGINT with status 0, and with an outcome for every frame it took', async () => {
    const outcomes = () =>
      peer
        .messages('/governor/outcomes')
        .slice(before)
        .map((outcome) => Number(outcome['request_id']));
    const before = peer.messages('/governor/outcomes').length;
    const lastId = Number(peer.messages('/governor/outcomes').at(-1)?.['request_id']);
    const sending = peer.send({ topic: '/newest', count: 30, periodMs: 20, fields: PICTURE });
    await eventually('work is under way', () => outcomes().length > 5);
    governor.signal('SIGINT');
    expect(await governor.exited()).toBe(0);
    await sending;
    // What is in flight at the signal has lower numbers than what waits: a frame without its outcome would be a gap.
    const ids = outcomes().sort((a, b) => a - b);
    expect(ids).toEqual(ids.map((_, index) => lastId + 1 + index));
  });
});

describe('a node whose call hangs at the server', () => {
  const BRIGHT = { ...PICTURE, data: { bytes: WIDTH * HEIGHT * 3, value: 255 } };
  let hanging: TritonServer;

  beforeEach(async () => {
    hanging = await TritonServer.start({ models: [brightnessModel('quick', 2), brightnessModel('slow', 2)] });
  });

  afterEach(async () => {
    await hanging?.kill(); // it would end its call first
  });

  async function hang(drainTimeoutMs: number): Promise<GovernorProcess> {
    const governor = new GovernorProcess({ parameters: { ...parameters(hanging.endpoint), drain_timeout_ms: drainTimeoutMs } });
    await governor.active();
    await peer.published('/governor/outcomes');
    await serving();
    await peer.send({ topic: '/every', count: 1, periodMs: 0, fields: BRIGHT });
    await eventually('the call is in flight', () => streamStatus(peer, 'every')['in_flight'] === 1);
    return governor;
  }

  it('ends after drain_timeout_ms with status 3, the frame with its outcome', async () => {
    const governor = await hang(300);
    governor.signal('SIGTERM');
    expect(await governor.exited()).toBe(3);
    expect(peer.outcomes('every').at(-1)).toMatchObject({ state_text: 'cancelled', cause_text: 'drain_limit' });
    expect(governor.log).toMatch(/the drain is not complete.*calls=1, states=gpu: /);
  });

  it('ends at a second signal without waiting for the drain', async () => {
    const governor = await hang(50_000);
    governor.signal('SIGINT');
    await eventually('it drains', () => peer.messages('/governor/status').at(-1)?.['ready'] === false);
    governor.signal('SIGINT');
    expect(await governor.exited()).toBe(3);
    expect(peer.outcomes('every').at(-1)).toMatchObject({ state_text: 'cancelled', cause_text: 'drain_limit' });
  });
});

describe('a node that starts', () => {
  it('ends with status 1 and the reason when it cannot serve its metrics', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    try {
      const governor = new GovernorProcess({ parameters: { ...parameters(triton.endpoint), metrics: { port } } });
      expect(await governor.exited()).toBe(1);
      expect(governor.log).toContain(String(port));
    } finally {
      taken.close();
    }
  });

  it('can be stopped while its models still warm up', async () => {
    const warming = await TritonServer.start({ models: [brightnessModel('quick', 2), brightnessModel('slow', 60_000)] });
    try {
      const governor = new GovernorProcess({ parameters: { ...parameters(warming.endpoint), autostart: false } });
      expect(await changeState(peer, 'configure')).toBe(true);
      await eventually('the server is seen', () => governor.log.includes('model "slow" is ready'));
      expect(await changeState(peer, 'activate')).toBe(true);
      await eventually(
        'the slow model warms up',
        async () =>
          (await warming.metric('nv_inference_pending_request_count', 'slow')) === 0 &&
          (await warming.metric('nv_inference_exec_count', 'quick')) >= 3,
      );
      expect(await stateOf(peer)).toBe('active');
      governor.signal('SIGINT');
      expect(await governor.exited()).toBe(0);
    } finally {
      await warming.kill();
    }
  });

  it('has the name and namespace it is given', async () => {
    const governor = new GovernorProcess({
      parameters: parameters(triton.endpoint),
      block: '/**',
      rosArguments: ['-r', '__ns:=/robot', '-r', '__node:=watcher'],
    });
    await governor.active();
    expect(await stateOf(peer, '/robot/watcher')).toBe('active');
    governor.signal('SIGTERM');
    expect(await governor.exited()).toBe(0);
  });

  it('waits for /clock when use_sim_time is on, then takes ages from it', async () => {
    const governor = new GovernorProcess({ parameters: { ...parameters(triton.endpoint), use_sim_time: true } });
    await governor.active();
    await peer.subscribed('/every');
    await peer.published('/governor/outcomes');
    await eventually('no_clock', async () => {
      await peer.send({ topic: '/every', count: 1, periodMs: 0, fields: PICTURE });
      return ended(peer, 'every', 'no_clock') > 0;
    });
    await peer.advertise('/clock', 'rosgraph_msgs/msg/Clock', 'best_effort');
    await peer.subscribed('/clock');
    const sent = { ...PICTURE, header: { frame_id: 'simulated' } };
    await peer.send({ topic: '/clock', count: 3, periodMs: 20, fields: { clock: { sec: 5, nanosec: 0 } } });
    await eventually('the future stamp is seen against /clock', async () => {
      await peer.send({ topic: '/every', count: 1, periodMs: 0, fields: sent });
      return peer.outcomes('every').some((outcome) => outcome.header.frame_id === 'simulated' && outcome.cause_text === 'stamp_future');
    });
    await governor.end();
  });
});
