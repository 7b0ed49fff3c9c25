/** A model that is slower than its camera: what is replaced, how old results are, how many calls the server holds, and that it all adds up. */
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePorts } from '../../src/demo/free-ports.js';
import { fastDdsFilesOf } from '../../src/demo/shared-memory-files.js';
import { HELD_STATES } from '../../src/telemetry/held-calls.js';
import { unsteadyModel } from '../support/triton-models.js';
import { TritonServer } from '../support/triton-server.js';
import { GovernorProcess } from './governor-process.js';
import { IMAGE, outcomeOf, settled, streamStatus, watchNode } from './node-view.js';
import { type Arrival, eventually, type PlainMessage, RosPeer } from './ros-peer.js';

const MAX_AGE_MS = 400;
const [SHORT_MS, LONG_MS] = [100, 800];
/** Well between the two runtimes: what takes longer than this from capture to publication was not a short one that had bad luck. */
const SURELY_LATE_MS = 750;
const FRAMES = 210;
const PERIOD_MS = 1000 / 30;

const STATES = ['delivered', 'obsolete', 'superseded', 'stale', 'infeasible', 'cancelled', 'backend_timeout', 'backend_failed', 'invalid'];
/** One stream, model and backend of each name, with this pipelining depth. */
const DEPTHS = { exact: 0, ahead: 1 } as const;
type Stream = keyof typeof DEPTHS;
const STREAMS = Object.keys(DEPTHS) as readonly Stream[];

const PICTURE = {
  header: { frame_id: 'camera' },
  width: 64,
  height: 48,
  encoding: 'rgb8',
  step: 64 * 3,
  data: { bytes: 64 * 48 * 3 },
};

function parameters(endpoint: string, metricsPort: number): object {
  const each = (of: (name: Stream) => object) => Object.fromEntries(STREAMS.map((name) => [name, of(name)]));
  const profile = { p50_us: SHORT_MS * 1000, p95_us: LONG_MS * 1000, p99_us: LONG_MS * 1000 };
  return {
    metrics: { port: metricsPort },
    // The lead is longer than a short call, so that as many are sent ahead as may be.
    backends: each((name) => ({ endpoint, slots: 1, pipelining_depth: DEPTHS[name], pipelining_lead_ms: 150, timeout_ms: 10_000 })),
    models: each((name) => ({ backend: name, variants: { only: { backend_model: name, profile } } })),
    streams: each((name) => ({ topic: `/${name}`, model: name, contract: { max_age_ms: MAX_AGE_MS } })),
  };
}

/** A call that comes alone waits for a moment too, until the thread of its instance wakes up; one behind a running call waits for that. */
const MOMENT_MS = 100;

/** Watches how many calls wait at the server behind a running one: its calls in flight less its instances. */
class PendingWatch {
  readonly #server: TritonServer;
  readonly #done: Promise<void>;
  readonly #highest = new Map<Stream, number>();
  /** Since when at least so many wait. */
  readonly #sinceMs = new Map<string, number>();
  #ended = false;

  constructor(server: TritonServer) {
    this.#server = server;
    this.#done = this.#watch();
  }

  /** The most that have waited for longer than a moment. */
  highest(name: Stream): number {
    return this.#highest.get(name) ?? 0;
  }

  async end(): Promise<void> {
    this.#ended = true;
    await this.#done;
  }

  async #watch(): Promise<void> {
    while (!this.#ended) {
      for (const name of STREAMS) this.#note(name, await this.#server.metric('nv_inference_pending_request_count', name));
    }
  }

  #note(name: Stream, pending: number): void {
    const nowMs = performance.now();
    for (const level of [1, 2, 3]) {
      const key = `${name} ${level}`;
      if (pending < level) this.#sinceMs.delete(key);
      else this.#sinceMs.set(key, this.#sinceMs.get(key) ?? nowMs);
      if (nowMs - (this.#sinceMs.get(key) ?? nowMs) > MOMENT_MS) this.#highest.set(name, Math.max(this.highest(name), level));
    }
  }
}

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

async function readMetrics(port: number): Promise<readonly Sample[]> {
  const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const lines = page.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = '', text = '']) => [label, text] as const);
    return { name, labels: Object.fromEntries(pairs), value: Number(value) };
  });
}

function metric(samples: readonly Sample[], name: string, labels: Readonly<Record<string, string>>): number {
  return samples
    .filter((sample) => sample.name === name && Object.entries(labels).every(([label, text]) => sample.labels[label] === text))
    .reduce((sum, { value }) => sum + value, 0);
}

const microseconds = ({ stamp: { sec, nanosec } }: { stamp: { sec: number; nanosec: number } }) => sec * 1e6 + nanosec / 1000;
const countOf = <T>(items: readonly T[], keyOf: (item: T) => string) => {
  const counts: Record<string, number> = {};
  for (const item of items) counts[keyOf(item)] = (counts[keyOf(item)] ?? 0) + 1;
  return counts;
};

describe('30 frames a second for a model that takes 100 ms, and sometimes 800', () => {
  let triton: TritonServer;
  let governor: GovernorProcess;
  let peer: RosPeer;
  let metricsPort: number;
  let pending: PendingWatch;
  let executedBefore: Record<Stream, number>;
  let executedAfter: Record<Stream, number>;
  let sent: Record<Stream, readonly number[]>;

  /** Seen before the load, with the first frames. */
  let before: Record<Stream, { readonly status: PlainMessage; readonly outcomes: number; readonly results: number }>;

  const allResults = (stream: Stream): readonly Arrival[] => peer.arrivals(`/governor/${stream}/result`);
  const status = (stream: Stream, field: string) => Number(streamStatus(peer, stream)[field]);
  /** Of the load alone. */
  const counted = (stream: Stream, field: string) => status(stream, field) - Number(before[stream].status[field]);
  const outcomes = (stream: Stream) => peer.outcomes(stream).slice(before[stream].outcomes);
  const results = (stream: Stream) => allResults(stream).slice(before[stream].results);
  const executed = async () => ({
    exact: await triton.metric('nv_inference_exec_count', 'exact'),
    ahead: await triton.metric('nv_inference_exec_count', 'ahead'),
  });

  async function load(frames: number): Promise<Record<Stream, readonly number[]>> {
    const send = async (name: Stream) => {
      const stamps = await peer.send({ topic: `/${name}`, count: frames, periodMs: PERIOD_MS, fields: PICTURE });
      return stamps.map(([sec, nanosec]) => microseconds({ stamp: { sec, nanosec } }));
    };
    const [exact, ahead] = await Promise.all([send('exact'), send('ahead')]);
    return { exact, ahead };
  }

  beforeAll(async () => {
    triton = await TritonServer.start({ models: STREAMS.map((name) => unsteadyModel(name, SHORT_MS, LONG_MS, 5)) });
    [metricsPort = 0] = await freePorts(1);
    peer = new RosPeer();
    await watchNode(peer, STREAMS);
    for (const name of STREAMS) await peer.advertise(`/${name}`, IMAGE);
    governor = new GovernorProcess({ parameters: parameters(triton.endpoint, metricsPort) });
    await governor.active();
    await peer.published('/governor/outcomes');
    for (const name of STREAMS) {
      await peer.subscribed(`/${name}`);
      await peer.published(`/governor/${name}/result`);
      await eventually(`${name} is served`, async () => (await outcomeOf(peer, name, { fields: PICTURE })).cause_text === 'delivered');
    }
    await settled(peer, STREAMS);
    const seen = (name: Stream) => ({
      status: streamStatus(peer, name),
      outcomes: peer.outcomes(name).length,
      results: allResults(name).length,
    });
    before = { exact: seen('exact'), ahead: seen('ahead') };
    executedBefore = await executed();
    pending = new PendingWatch(triton);
    sent = await load(FRAMES);
    await settled(peer, STREAMS);
    await pending.end();
    executedAfter = await executed();
  });

  afterAll(async () => {
    await governor?.end();
    await peer?.end();
    await triton?.stop();
  });

  it.each(STREAMS)('%s: each frame received has exactly one outcome', (stream) => {
    expect(counted(stream, 'received') + counted(stream, 'lost_before_node')).toBe(FRAMES);
    expect(outcomes(stream).length).toBe(counted(stream, 'received'));
    const stamps = outcomes(stream).map(({ header }) => microseconds(header));
    expect(new Set(stamps).size).toBe(stamps.length);
    expect(sent[stream]).toEqual(expect.arrayContaining(stamps));
    const states = countOf(outcomes(stream), ({ state_text }) => state_text);
    expect(Object.fromEntries(STATES.map((state) => [state, counted(stream, state)]))).toEqual({
      ...Object.fromEntries(STATES.map((state) => [state, 0])),
      ...states,
    });
  });

  it.each(STREAMS)('%s: waiting frames are replaced by newer ones, which are named', (stream) => {
    const replaced = outcomes(stream).filter(({ cause_text }) => cause_text === 'newer_capture');
    expect(replaced.length).toBeGreaterThan(outcomes(stream).length / 3);
    for (const { header, superseded_by } of replaced) {
      const newer = outcomes(stream).find(({ request_id }) => request_id === superseded_by);
      expect(newer === undefined ? 0 : microseconds(newer.header)).toBeGreaterThan(microseconds(header));
    }
  });

  it.each(STREAMS)('%s: there is a result for each outcome that says so, and no result is late without its flag', (stream) => {
    const withResult = outcomes(stream).filter(({ state_text }) => state_text === 'delivered' || state_text === 'obsolete');
    expect(results(stream).map(({ message }) => [message['request_id'], message['header'], message['obsolete']])).toEqual(
      withResult.map(({ request_id, header, state_text }) => [request_id, header, state_text === 'obsolete']),
    );
    // How old each was when the middleware sent it, by the publisher's own stamps.
    const ages = results(stream).map(({ message, sentUs }) => ({
      flagged: message['obsolete'] === true,
      saidMs: Number(message['age_us']) / 1000,
      ageMs: (sentUs - microseconds(message['header'] as { stamp: { sec: number; nanosec: number } })) / 1000,
    }));
    const [flagged, fresh] = [ages.filter((age) => age.flagged), ages.filter((age) => !age.flagged)];
    expect(flagged.length).toBeGreaterThan(1);
    expect(fresh.length).toBeGreaterThan(5);
    expect(Math.max(...fresh.map(({ saidMs }) => saidMs))).toBeLessThanOrEqual(MAX_AGE_MS);
    expect(Math.max(...fresh.map(({ ageMs }) => ageMs))).toBeLessThan(SURELY_LATE_MS);
    expect(Math.min(...flagged.map(({ ageMs }) => ageMs))).toBeGreaterThan(MAX_AGE_MS);
    for (const { saidMs, ageMs } of ages) expect(saidMs).toBeLessThan(ageMs + 1); // a clock that is slewed
  });

  it.each(STREAMS)('%s: the server never holds more than slots + pipelining_depth calls, by its own count', (stream) => {
    expect(pending.highest(stream)).toBe(DEPTHS[stream]); // one slot, one instance
    const dispatched = outcomes(stream).filter(({ service_us }) => service_us >= 0).length;
    expect(executedAfter[stream] - executedBefore[stream]).toBe(dispatched);
  });

  it('shows the same counts on its metrics page, under labels that cannot grow', async () => {
    const samples = await readMetrics(metricsPort);
    for (const stream of STREAMS) {
      expect(metric(samples, 'vig_received_total', { stream })).toBe(status(stream, 'received'));
      expect(metric(samples, 'vig_lost_before_node_total', { stream })).toBe(status(stream, 'lost_before_node'));
      for (const state of STATES) expect(metric(samples, 'vig_outcomes_total', { stream, state })).toBe(status(stream, state));
      for (const [cause, count] of Object.entries(countOf(peer.outcomes(stream), ({ cause_text }) => cause_text))) {
        expect(metric(samples, 'vig_outcomes_total', { stream, cause })).toBe(count);
      }
      const withResult = status(stream, 'delivered') + status(stream, 'obsolete');
      expect(metric(samples, 'vig_result_age_seconds_count', { stream })).toBe(withResult);
      expect(metric(samples, 'vig_service_seconds_count', { stream })).toBe(withResult);
      expect(metric(samples, 'vig_waiting_requests', { stream })).toBe(0);
      expect(metric(samples, 'vig_in_flight', { backend: stream })).toBe(0);
    }
    const used = (label: string) => [...new Set(samples.flatMap(({ labels }) => labels[label] ?? []))].sort();
    expect([...new Set(samples.flatMap(({ labels }) => Object.keys(labels)))].sort()).toEqual([
      'backend',
      'cause',
      'le',
      'state',
      'stream',
    ]);
    expect([used('stream'), used('backend')]).toEqual([[...STREAMS].sort(), [...STREAMS].sort()]);
    expect([...STATES, ...HELD_STATES]).toEqual(expect.arrayContaining(used('state')));
  });

  it('ends under load on SIGINT: status 0, each frame with its outcome, no process and no file in /dev/shm left', async () => {
    const { pid } = governor;
    const files = () => readdirSync('/dev/shm').filter((name) => own.has(name) || (name.startsWith('vig-') && name.includes(`-${pid}-`)));
    const own = new Set(fastDdsFilesOf(pid).filter((name) => !name.includes('port'))); // ports belong to all participants
    expect(own.size).toBeGreaterThan(0);
    expect(files().filter((name) => name.startsWith('vig-'))).toHaveLength(1 + 2 + 2); // slots + pipelining_depth of each backend, and its boot witness
    const all = () => peer.messages('/governor/outcomes');
    const seen = all().length;
    const sending = load(90);
    await eventually('work is under way', () => all().length > seen + 20);
    governor.signal('SIGINT');
    expect(await governor.exited()).toBe(0);
    await sending;
    // Numbers are given in order of reception: one without its outcome would be a gap, or the status would know of more.
    const ids = all().map((outcome) => Number(outcome['request_id']));
    expect([...ids].sort((a, b) => a - b)).toEqual(ids.map((_, index) => index + 1));
    expect(ids.length).toBeGreaterThanOrEqual(status('exact', 'received') + status('ahead', 'received'));
    const causes = countOf(all().slice(seen), (outcome) => String(outcome['cause_text']));
    expect(['delivered', 'obsolete', 'newer_capture', 'shutdown', 'predicted_stale', 'expired_waiting']).toEqual(
      expect.arrayContaining(Object.keys(causes)),
    );
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    expect(files()).toEqual([]);
  });
});
