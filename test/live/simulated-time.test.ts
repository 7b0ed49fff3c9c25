/** The node under a player of bags: at another rate, paused, in a loop, ended, and without simulated time. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { brightnessModel } from '../support/triton-models.js';
import { TritonServer } from '../support/triton-server.js';
import { GovernorProcess } from './governor-process.js';
import { type Diagnostic, diagnostics, IMAGE, streamStatus, watchNode } from './node-view.js';
import { eventually, type Outcome, RosPeer } from './ros-peer.js';

const PICTURE = { header: { frame_id: 'camera' }, width: 8, height: 8, encoding: 'rgb8', step: 24, data: { bytes: 192 } };
const SLOW_MS = 120;
/** Of a day long ago. */
const START_MS = 1_600_000_000_000;

let triton: TritonServer;
let peer: RosPeer;

beforeAll(async () => {
  triton = await TritonServer.start({ models: [brightnessModel('quick', 2), brightnessModel('slow', SLOW_MS)] });
  peer = new RosPeer();
  await watchNode(peer, []);
  await peer.advertise('/every', IMAGE);
  await peer.advertise('/newest', IMAGE);
  await peer.advertise('/queued', IMAGE);
  await peer.advertise('/clock', 'rosgraph_msgs/msg/Clock', 'best_effort');
});

afterAll(async () => {
  await peer?.end();
  await triton?.stop();
});

async function start(useSimTime: boolean): Promise<GovernorProcess> {
  const governor = new GovernorProcess({
    parameters: {
      use_sim_time: useSimTime,
      metrics: { port: 0 },
      drain_timeout_ms: 3000,
      backends: { gpu: { endpoint: triton.endpoint, slots: 2 } },
      models: {
        quick: { backend: 'gpu', variants: { only: { backend_model: 'quick' } } },
        slow: { backend: 'gpu', instances: 1, variants: { only: { backend_model: 'slow' } } },
      },
      streams: {
        every: { topic: '/every', model: 'quick', queue: { policy: 'never_drop', capacity: 100 }, contract: { max_age_ms: 2000 } },
        queued: { topic: '/queued', model: 'slow', queue: { policy: 'never_drop', capacity: 100 }, contract: { max_age_ms: 5000 } },
        newest: { topic: '/newest', model: 'slow', contract: { max_age_ms: 2000 } },
      },
    },
  });
  await governor.active();
  await Promise.all(['/every', '/newest', '/queued'].map((topic) => peer.subscribed(topic)));
  await peer.published('/governor/outcomes');
  return governor;
}

/** A report from now on that is like this. */
async function report(name: string, text: RegExp): Promise<Diagnostic> {
  const from = diagnostics(peer, name).length;
  let found: Diagnostic | undefined;
  await eventually(`${name}: ${text}`, () => {
    found = diagnostics(peer, name)
      .slice(from)
      .find(({ message, hint }) => text.test(`${message} ${hint}`));
    return found !== undefined;
  });
  if (found === undefined) throw new Error('unreachable');
  return found;
}

/** Outcomes of frames with these stamps, once each has one. */
async function outcomesOf(stream: string, from: number, stamps: readonly (readonly [number, number])[]): Promise<readonly Outcome[]> {
  const found = () => peer.outcomes(stream).slice(from);
  await eventually(`${stamps.length} outcomes`, () => found().length >= stamps.length);
  return found();
}

const causesOf = (outcomes: readonly Outcome[]): ReadonlySet<string> => new Set(outcomes.map((outcome) => outcome.cause_text));

describe('a node under use_sim_time', () => {
  let governor: GovernorProcess;

  beforeAll(async () => {
    governor = await start(true);
    await peer.subscribed('/clock');
    await eventually('both models are used', () => governor.log.match(/model in use/g)?.length === 2);
  });

  afterAll(async () => {
    await governor?.end();
  });

  it('waits for /clock, says so once, and in diagnostics', async () => {
    await peer.send({ topic: '/every', count: 5, periodMs: 20, fields: PICTURE });
    await eventually('refused', () => peer.outcomes('every').filter((outcome) => outcome.cause_text === 'no_clock').length === 5);
    expect(await report('clock', /waiting for \/clock/)).toMatchObject({ level: 1, hint: expect.stringMatching(/ros2 bag play --clock/) });
    expect(governor.log.match(/waiting for \/clock/g)).toHaveLength(1);
  });

  it('reads ages and runtimes by a clock at twice the rate', async () => {
    const from = peer.outcomes('newest').length;
    const stamps = await peer.play({ startMs: START_MS, forMs: 3000, rate: 2, topic: '/newest', periodMs: 1000, fields: PICTURE });
    const outcomes = await outcomesOf('newest', from, stamps);
    // The first frame comes before the rate is known, and the clock ends with the last one.
    for (const { cause_text, service_us, age_us } of outcomes.slice(1, -1)) {
      expect(cause_text).toBe('delivered');
      expect(service_us).toBeGreaterThan(1.6 * SLOW_MS * 1000);
      expect(age_us).toBeGreaterThanOrEqual(service_us);
    }
  });

  it('does not grow anything older in a pause, and reports it', async () => {
    expect(await report('clock', /\/clock has been standing for/)).toMatchObject({ level: 1, hint: expect.stringMatching(/paused/) });
    // Its publisher is there, and nobody can expect it to publish.
    expect(await report('stream queued', /\/clock stands, too/)).toMatchObject({ level: 1 });
    const from = peer.outcomes('every').length;
    const stamps = await peer.send({ topic: '/every', count: 3, periodMs: 300, fields: PICTURE, stamp: { ms: START_MS + 5950 } });
    const [first] = await outcomesOf('every', from, stamps);
    expect(first).toMatchObject({ cause_text: 'delivered' });
    expect(first?.age_us).toBeLessThan(200_000);
    const resumed = peer.outcomes('every').length;
    const more = await peer.play({ startMs: START_MS + 6000, forMs: 2500, topic: '/every', periodMs: 50, fields: PICTURE });
    expect(causesOf(await outcomesOf('every', resumed, more))).toEqual(new Set(['delivered']));
    await report('clock', /runs at/);
  });

  it('starts over with a bag in a loop: what waits is cancelled, what was seen before is served again', async () => {
    const from = peer.outcomes('queued').length;
    const played = await peer.play({ startMs: START_MS + 9000, forMs: 500, topic: '/queued', periodMs: 20, fields: PICTURE });
    const again = await peer.play({ startMs: START_MS, forMs: 1000, topic: '/queued', periodMs: 400, fields: PICTURE });
    const outcomes = await outcomesOf('queued', from, [...played, ...again]);
    const last = outcomes.filter(({ header }) => header.stamp.sec === again.at(-1)?.[0]).at(-1);
    expect(last?.cause_text).toBe('delivered');
    expect(causesOf(outcomes)).toContain('clock_jump');
    await eventually('it is logged', () => governor.log.includes('/clock jumped'));
  });

  it('names the clock behind stamps of the time of the day, and recovers', async () => {
    const from = peer.outcomes('every').length;
    const sending = peer.send({ topic: '/every', count: 30, periodMs: 100, fields: PICTURE });
    expect(await report('stream every', /set use_sim_time for their publisher/)).toMatchObject({
      message: expect.stringMatching(/^Timestamps too far in future seen/),
    });
    expect(causesOf(await outcomesOf('every', from, await sending))).toEqual(new Set(['stamp_future']));
    const recovered = peer.outcomes('every').length;
    const stamps = await peer.play({ startMs: START_MS + 2000, forMs: 1000, topic: '/every', periodMs: 100, fields: PICTURE });
    expect(causesOf(await outcomesOf('every', recovered, stamps))).toEqual(new Set(['delivered']));
  });
});

describe('a node without use_sim_time', () => {
  let governor: GovernorProcess;

  beforeAll(async () => {
    governor = await start(false);
    await eventually('both models are used', () => governor.log.match(/model in use/g)?.length === 2);
  });

  afterAll(async () => {
    await governor?.end();
  });

  it.each([
    ['a bag of long ago', { ms: START_MS }, 'stale_on_arrival', /played without simulated time.*set use_sim_time here/],
    ['TAI', { offset_ms: 37_000 }, 'stamp_future', /probably TAI/],
    ['time since boot', { ms: 400_000 }, 'stale_on_arrival', /time since boot/],
    ['another machine', { offset_ms: -5200 }, 'stale_on_arrival', /another machine.*stamp_offset_ms: 5\d{3} /],
  ] as const)('names %s behind its stamps', async (_, stamp, cause, hint) => {
    const from = peer.outcomes('newest').length;
    const sending = peer.send({ topic: '/newest', count: 30, periodMs: 100, fields: PICTURE, stamp });
    await report('stream newest', hint);
    await sending;
    const causes = causesOf(peer.outcomes('newest').slice(from));
    expect(causes).toContain(cause);
    expect(causes).not.toContain('delivered');
  });

  it('recovers, and has kept the lowest age that it saw', async () => {
    const from = peer.outcomes('newest').length;
    const sending = peer.send({ topic: '/newest', count: 30, periodMs: 100, fields: PICTURE });
    await eventually('delivered', () =>
      peer
        .outcomes('newest')
        .slice(from)
        .some(({ cause_text }) => cause_text === 'delivered'),
    );
    await sending;
    await report('stream newest', /fresh results/);
    expect(streamStatus(peer, 'newest')['age_min_us']).toBeLessThan(0);
  });
});
