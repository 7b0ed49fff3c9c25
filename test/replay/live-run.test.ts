import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { toCoreConfiguration } from '../../src/config/core-configuration.js';
import { micros } from '../../src/core/units.js';
import type { Call, CallEnd } from '../../src/governor/ports.js';
import { Bag } from '../../src/replay/bag/open-bag.js';
import { createMessageReader } from '../../src/replay/header-reader.js';
import { LiveClock } from '../../src/replay/live/live-clock.js';
import { ObservedSlots } from '../../src/replay/live/observed-slots.js';
import { type LiveRequest, runLive } from '../../src/replay/live/run-live.js';
import { replayPage } from '../../src/replay/plot/page.js';
import { RunRecord } from '../../src/replay/run-record.js';
import type { Replayed } from '../../src/replay/run-replay.js';
import { textReport } from '../../src/replay/text-report.js';
import type { ConnectServer } from '../../src/service/served-backend.js';
import { verifyTrace } from '../../src/trace/verify.js';
import { foreignBag, truth } from './foreign.js';
import { contractFrom, madeBag } from './made-bag.js';

const CAMERA = `scheduling: {policy: ordered}
backends: {gpu: {slots: 1}}
models: {det: {backend: gpu, variants: {full: {backend_model: m}}}}
streams:
  camera:
    topic: /camera/image_raw
    model: det
    class: high
    queue: {policy: never_drop, capacity: 1000}
    contract: {period_ms: 33.0, max_age_ms: 20000.0}`;

/** A server that answers on the next turn of the event loop. */
class PromptServer {
  readonly calls: Call[] = [];
  readonly log: string[] = [];
  readonly #unanswered: number | undefined;

  /** @param unanswered the call, from 1, that it never answers */
  constructor(unanswered?: number) {
    this.#unanswered = unanswered;
  }

  readonly connect: ConnectServer = ({ listener }) => ({
    start: () => {
      this.log.push('connected');
      listener.readiness('m', true, '');
    },
    close: async () => {
      this.log.push('closed');
    },
    describe: async () => ({
      name: 'm',
      versions: ['1'],
      inputs: [{ name: 'x', datatype: 'UINT8', shape: [1, -1, -1, 3] }],
      outputs: [{ name: 'y', datatype: 'FP32', shape: [1] }],
      maxBatchSize: 0,
      decoupled: false,
    }),
    warmUp: async () => {},
    health: () => ({ reachable: true, ready: true, detail: '' }),
    roundTripP90: () => undefined,
    poll: () => {},
    infer: (call) => {
      this.calls.push(call);
      const data = new Uint8Array(call.inputs[0]?.byteLength ?? 0);
      call.inputs[0]?.write(data);
      const outputs = [{ name: 'y', datatype: 'UINT8' as const, shape: [data.byteLength], data }];
      if (this.calls.length === this.#unanswered) return new Promise(() => {});
      return new Promise<CallEnd>((resolve) => setImmediate(() => resolve({ result: 'ok', outputs, modelVersion: '7' })));
    },
  });
}

/** Has a server answer the recording. */
function live(server: PromptServer, changes: Partial<LiveRequest> = {}): Promise<Replayed> {
  return runLive({
    bag: foreignBag('zstd.mcap'),
    contract: contractFrom(CAMERA, false),
    compare: [],
    timelines: false,
    connect: server.connect,
    fast: true,
    log: pino({ level: 'silent' }),
    progress: () => {},
    ...changes,
  });
}

const sent = truth.messages.filter(([topic]) => topic === '/camera/image_raw');

describe('a replay on real servers', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'vig-live-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('sends what the bag has, in the time of the bag, and writes the answers beside the outcomes', async () => {
    const server = new PromptServer();
    const output = path.join(folder, 'out');
    const { report } = await live(server, { output });
    expect(report).toMatchObject({ seed: null, problems: [] });
    expect(report.streams['camera']).toMatchObject({ received: sent.length, causes: { delivered: sent.length } });
    expect(report.backends['gpu']).toMatchObject({ executions: sent.length, stale_compute_permille: 0 });
    expect(server.calls).toHaveLength(sent.length);
    expect(server.log).toEqual(['connected', 'closed']);

    const bag = await Bag.open(output);
    const stamps: string[] = [];
    const sizes = new Set<number>();
    for await (const { block, from, to } of bag.messages((topic) => topic === '/governor/camera/result')) {
      for (let index = from; index < to; index += 1) {
        const message = createMessageReader(block.channel(index))(block, index) as {
          header: { stamp: { sec: number; nanosec: number } };
          outputs: { data: Uint8Array }[];
        };
        stamps.push(`${message.header.stamp.sec}.${message.header.stamp.nanosec}`);
        sizes.add(message.outputs[0]?.data.byteLength ?? 0);
      }
    }
    await bag.close();
    expect(stamps.sort()).toEqual(sent.map(([, , sec, nanosec]) => `${sec}.${nanosec}`).sort());
    expect([...sizes]).toEqual([8 * 12 * 3]);
  });

  /** Status and diagnostics as they were written, in order. */
  async function told(output: string): Promise<{ topic: string; message: unknown }[]> {
    const bag = await Bag.open(output);
    const messages: { topic: string; message: unknown }[] = [];
    for await (const { block, from, to } of bag.messages((topic) => ['/governor/status', '/diagnostics'].includes(topic))) {
      for (let index = from; index < to; index += 1) {
        const channel = block.channel(index);
        messages.push({ topic: channel.topic, message: createMessageReader(channel)(block, index) });
      }
    }
    await bag.close();
    return messages;
  }

  it('tells in the end what became of every message', async () => {
    const output = path.join(folder, 'out');
    await live(new PromptServer(), { output });
    const messages = await told(output);
    const [status, diagnostics] = messages.slice(-2);
    const count = BigInt(sent.length);
    expect(status).toMatchObject({
      topic: '/governor/status',
      message: { ready: true, streams: [{ stream: 'camera', received: count, delivered: count, in_flight: 0n }] },
    });
    expect(diagnostics).toMatchObject({ topic: '/diagnostics', message: { status: [{ level: 0 }, { level: 0 }] } });
    expect(JSON.stringify(messages[1]?.message)).toContain('fresh results of');
  });

  it('tells also what only the drain ended', async () => {
    const output = path.join(folder, 'out');
    const hanging = CAMERA.replace(
      '{gpu: {slots: 1}}',
      '{gpu: {slots: 1, pipelining_depth: 0, timeout_ms: 60000.0}}\ndrain_timeout_ms: 100.0',
    );
    const { report } = await live(new PromptServer(sent.length - 1), { output, contract: contractFrom(hanging, false) });
    const { received = 0, outcomes } = report.streams['camera'] ?? {};
    expect(outcomes?.cancelled).toBeGreaterThan(0);
    const counts = Object.entries({ received, ...outcomes }).map(([state, number]) => [state, BigInt(number)]);
    expect((await told(output)).at(-1)).toMatchObject({
      topic: '/governor/status',
      message: { streams: [{ stream: 'camera', ...Object.fromEntries(counts) }] },
    });
  });

  it('sends nothing of another type than the stream expects, and says so once: the node would not receive it', async () => {
    const contract = contractFrom(CAMERA.replace('/camera/image_raw', '/camera/compressed'), false);
    const { report } = await live(new PromptServer(), { contract, compare: [contract] });
    expect(report.streams['camera']?.received).toBe(0);
    expect(report.problems).toEqual([expect.stringMatching(/topic \/camera\/compressed: .*expects sensor_msgs\/msg\/Image: .*; left out/)]);
  });

  it('says what it cannot decode, and has no use for its reception alone', async () => {
    const bag = path.join(folder, 'json.mcap');
    writeFileSync(bag, await madeBag([{ topic: '/camera/image_raw', logMs: 0, stampMs: 0 }], 'sensor_msgs/msg/Image', 'json'));
    const contract = contractFrom(`${CAMERA}\n    stamp_source: receive`, false);
    const { report } = await live(new PromptServer(), { bag, contract });
    expect(report.streams['camera']?.received).toBe(0);
    expect(report.problems).toEqual([
      expect.stringMatching(
        /json\.mcap: topic \/camera\/image_raw: offset \d+: .* cannot be read, stream 'camera' goes without: .*serialised as 'json', which is unknown; known is cdr$/,
      ),
    ]);
  });

  it('passes a gap of hours step by step, and tells of it', async () => {
    const [bag, output, hours] = [path.join(folder, 'gap.mcap'), path.join(folder, 'out'), 12];
    const messages = [0, 100, hours * 3_600_000].map((logMs) => ({ topic: '/camera/image_raw', logMs, stampMs: logMs }));
    writeFileSync(bag, await madeBag(messages));
    const shown: number[] = [];
    const { report } = await live(new PromptServer(), { bag, output, progress: (done) => shown.push(done) });
    expect(Math.max(...shown.map((done, index) => done - (shown[index - 1] ?? 0)))).toBeLessThanOrEqual(2);
    expect(report.problems.join('\n')).toMatch(/gap\.mcap: offset \d+: no stream has a message for 12\.0 h before this/);
    const written = (await told(output)).filter(({ topic }) => topic === '/diagnostics').length;
    expect(written).toBeGreaterThan(hours * 60);
    expect(written).toBeLessThan(hours * 60 + 100);
  });

  it('keeps for plots when messages ended, how old results were, and which slot was busy', async () => {
    const { report, timelines } = await live(new PromptServer(), { timelines: true });
    const [timeline] = timelines;
    const camera = timeline?.streams.get('camera');
    expect(camera?.causes.get('delivered')?.reduce((sum, count) => sum + count)).toBe(sent.length);
    expect(camera?.peakAgesNs.some((age) => age > 0)).toBe(true);
    expect(timeline?.executions.length).toBeGreaterThan(0);
    expect(timeline?.executions.every(({ job, slot }) => job.fresh && slot === 0)).toBe(true);
    expect(timeline?.busyNs.get('gpu')?.some((ns) => ns > 0)).toBe(true);
    const page = replayPage(report, timelines);
    expect(page.match(/<svg /g)).toHaveLength(4);
    expect(page).not.toMatch(/NaN|undefined/);
  });

  it('records what the core runs again to the same actions: of the first contract, with what the server answered', async () => {
    const trace = path.join(folder, 'run.trace');
    await live(new PromptServer(), { trace, compare: [contractFrom(CAMERA, false)] });
    expect(readdirSync(folder)).toEqual(['run.trace']);
    expect((await verifyTrace(trace)).difference).toBeUndefined();
    const arrivals = readFileSync(trace, 'utf8')
      .split('\n')
      .filter((line) => line.includes('"type":"arrival"'));
    expect(arrivals).toHaveLength(sent.length);
  });

  it('gives each contract the servers for itself, one after the other, on the same messages', async () => {
    const server = new PromptServer();
    const never = contractFrom(`${CAMERA}\n    stamp_offset_ms: 5000.0`, false);
    const shown: [number, number][] = [];
    const progress = (done: number, of: number) => shown.push([done, of]);
    const { report, timelines } = await live(server, { compare: [never, contractFrom(CAMERA, false)], timelines: true, progress });
    expect(server.log).toEqual(['connected', 'closed', 'connected', 'closed', 'connected', 'closed']);
    expect(report.streams['camera']?.causes).toEqual({ delivered: sent.length });
    expect(report.compare?.map(({ streams }) => streams['camera']?.causes)).toEqual([
      { stamp_future: sent.length },
      { delivered: sent.length },
    ]);
    expect(server.calls).toHaveLength(2 * sent.length);
    expect(timelines.map((timeline) => [...(timeline.streams.get('camera')?.causes.keys() ?? [])])).toEqual([
      ['delivered'],
      ['stamp_future'],
      ['delivered'],
    ]);
    expect(textReport(report)).toMatch(/real servers, one contract after the other: what calls take differs from pass to pass/);
    expect(shown.map(([done]) => done)).toEqual(shown.map(([done]) => done).sort((a, b) => a - b));
    expect(new Set(shown.map(([, of]) => of))).toEqual(new Set([15]));
    expect(shown.at(-1)?.[0]).toBeGreaterThanOrEqual(14); // it ends in its fifth second
  });

  it('receives what came while it was held up when it does, as old as it is then', async () => {
    const machineMs = performance.now.bind(performance);
    let heldUpMs = 0;
    const now = vi.spyOn(performance, 'now').mockImplementation(() => machineMs() + heldUpMs);
    try {
      const progress = (done: number) => {
        if (done === 2) heldUpMs = 700;
      };
      const { report } = await live(new PromptServer(), { progress });
      const { arrival_age_ms, response_age_ms, received } = report.streams['camera'] ?? {};
      expect(received).toBe(sent.length);
      expect(arrival_age_ms?.max).toBeGreaterThan(600);
      expect(arrival_age_ms?.min).toBeLessThan(50);
      expect(response_age_ms?.p99).toBeGreaterThan(600);
    } finally {
      now.mockRestore();
    }
  });

  it('says when calls of one contract still ran under the next', async () => {
    const hanging = CAMERA.replace(
      '{gpu: {slots: 1}}',
      '{gpu: {slots: 1, pipelining_depth: 0, timeout_ms: 50.0}}\ndrain_timeout_ms: 100.0',
    );
    const contract = contractFrom(hanging, false);
    const last = sent.length - 1;
    const { report } = await live(new PromptServer(last), { contract, compare: [contractFrom(hanging, false)] });
    expect(report.problems).toEqual([expect.stringMatching(/p\.yaml: not every call had ended when the next contract began/)]);
    expect(report.streams['camera']?.causes.no_answer).toBeGreaterThan(0);
    // It was never answered, and kept its slot all the same.
    expect(report.backends['gpu']?.executions).toBe(last);
    expect(report.backends['gpu']?.stale_compute_permille).toBeGreaterThan(0);
    expect(report.compare?.[0]?.backends['gpu']?.executions).toBe(sent.length);
  });
});

describe('the slots of a server, as its client sees them', () => {
  const ok = { result: 'ok', outputs: [], modelVersion: '1' } as const;

  /** Calls of requests 1, 2, … as they are sent; `executions` is what they made of the slots. */
  function observed(slots: number) {
    const configuration = toCoreConfiguration(contractFrom(CAMERA.replace('slots: 1', `slots: ${slots}`), false).parameters, micros(0));
    let nowNs = 0;
    const record = new RunRecord({ configuration, originUs: micros(0), endNs: 1000, nowNs: () => nowNs, timeline: true });
    const own = new ObservedSlots({ backend: 'gpu', slots, record, nowNs: () => nowNs });
    let requests = 0;
    return {
      sendAt: (atNs: number) => {
        nowNs = atNs;
        record.received('camera', 0);
        requests += 1;
        const ended = own.sent(requests);
        return (endNs: number, end: CallEnd = ok) => {
          nowNs = endNs;
          ended(end);
        };
      },
      closeAt: (atNs: number) => {
        nowNs = atNs;
        own.close();
      },
      executions: () => record.timeline?.executions.map(({ job, slot, startNs, endNs }) => [job.number, slot, startNs, endNs]),
      report: () => record.report([]).backends['gpu'],
    };
  }

  it('run what was sent ahead from the end of the call before it', () => {
    const { sendAt, executions, report } = observed(1);
    const first = sendAt(0);
    const second = sendAt(80);
    first(100);
    second(150);
    expect(executions()).toEqual([
      [0, 0, 0, 100],
      [1, 0, 100, 150],
    ]);
    expect(report()).toMatchObject({ executions: 2, slot_busy_permille: 150 });
  });

  it('are as many as there are, and the free one with the lowest number is taken', () => {
    const { sendAt, executions } = observed(2);
    const first = sendAt(0);
    const second = sendAt(10);
    first(30);
    const third = sendAt(40);
    second(50);
    third(60);
    expect(executions()).toEqual([
      [0, 0, 0, 30],
      [1, 1, 10, 50],
      [2, 0, 40, 60],
    ]);
  });

  it('may have run in another order than calls were sent in', () => {
    const { sendAt, executions } = observed(1);
    const overtaken = sendAt(0);
    const overtaking = sendAt(10);
    overtaking(50);
    overtaken(90);
    expect(executions()).toEqual([
      [1, 0, 10, 50],
      [0, 0, 50, 90],
    ]);
  });

  it('are not taken by a call that never started, and are kept by one that has not ended', () => {
    const { sendAt, closeAt, executions } = observed(1);
    const failed = { result: 'not_started', detail: '' } as const;
    const first = sendAt(0);
    const second = sendAt(5);
    const third = sendAt(6);
    second(7, failed);
    first(20);
    third(30, failed);
    const fourth = sendAt(40);
    closeAt(60);
    fourth(70);
    expect(executions()).toEqual([
      [0, 0, 0, 20],
      [3, 0, 40, 60],
    ]);
  });
});

it('a clock waits for what is farther off than a timer can be', () => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  try {
    const timers = vi.spyOn(globalThis, 'setTimeout');
    const clock = new LiveClock();
    const task = vi.fn();
    const monthMs = 30 * 24 * 3_600_000;
    clock.schedule(micros(clock.now() + monthMs * 1000), task);
    vi.advanceTimersByTime(monthMs - 1);
    expect(task).not.toHaveBeenCalled();
    expect(timers.mock.calls.length).toBeLessThan(5);
    vi.advanceTimersByTime(2);
    expect(task).toHaveBeenCalledOnce();
    clock.close();
  } finally {
    vi.useRealTimers();
  }
});

it('a clock that skips keeps its appointments in order, each at its time', () => {
  const clock = new LiveClock();
  const start = clock.now();
  const kept: [string, boolean][] = [];
  const at = (us: number, name: string) => clock.schedule(micros(start + us), () => kept.push([name, clock.now() >= start + us]));
  at(9_000_000, 'last');
  at(5_000_000, 'first');
  const cancel = at(6_000_000, 'never');
  at(5_000_000, 'second');
  clock.skip(micros(start + 8_000_000));
  expect(kept).toEqual([
    ['first', true],
    ['second', true],
  ]);
  expect(clock.now()).toBeLessThan(start + 6_000_000);
  cancel();
  clock.skip(micros(start + 8_000_000));
  expect(clock.now()).toBeGreaterThanOrEqual(start + 8_000_000);
  clock.skip(micros(start + 20_000_000));
  expect(kept.at(-1)).toEqual(['last', true]);
  clock.close();
});
