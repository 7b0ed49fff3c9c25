import { describe, expect, it } from 'vitest';
import type { StreamReport } from '../../src/replay/report.js';
import { textReport } from '../../src/replay/text-report.js';
import { headerBytes, type MadeMessage, madeBag, ns, replayed } from './made-bag.js';

interface World {
  readonly runtimeMs?: number;
  readonly backend?: string;
  readonly stream?: string;
  readonly contract?: string;
}

/** Runtimes are constant: the profile has no spread. */
function parameters({ runtimeMs = 10, backend = '', stream = '', contract = 'period_ms: 100.0, max_age_ms: 150.0' }: World = {}): string {
  const us = runtimeMs * 1000;
  return `scheduling: {policy: ordered}
learning: {margin_percent: 100.0, adapt: false}
overload: {enabled: false}
backends: {gpu: {slots: 1${backend}}}
models: {det: {backend: gpu, variants: {full: {backend_model: m, profile: {p50_us: ${us}, p95_us: ${us}, p99_us: ${us}}}}}}
streams: {cam: {topic: /cam, model: det, class: high, contract: {${contract}}${stream}}}`;
}

/** Every 100 ms from 0 on, logged 5 ms after their capture. */
function regular(count: number, except: readonly number[] = []): MadeMessage[] {
  return Array.from({ length: count }, (_, index) => index)
    .filter((index) => !except.includes(index))
    .map((index) => ({ topic: '/cam', logMs: 5 + index * 100, stampMs: index * 100 }));
}

async function reportOf(messages: readonly MadeMessage[], world: World = {}, type?: string): Promise<StreamReport> {
  const { report } = await replayed(await madeBag(messages, type), parameters(world));
  return report.streams['cam'] as StreamReport;
}

describe('a replay', () => {
  it('arrives at log times, captures at stamps, and takes as long as the profile says', async () => {
    const { report } = await replayed(await madeBag(regular(11)), parameters());
    expect(report).toMatchObject({ start_ns: String(ns(5)), duration_ms: 1000, problems: [] });
    expect(report.streams['cam']).toMatchObject({
      received: 11,
      causes: { delivered: 11 },
      arrival_age_ms: { min: 5, max: 5 },
      response_age_ms: { p50: 15, p95: 15, p99: 15 },
      window_uncovered_permille: 0,
      consumer_uncovered_permille: 0,
      longest_gap_ms: 10,
      compute_ms: 110,
    });
    // The last one runs past the end of the bag: only what lies in it keeps a slot busy.
    expect(report.backends['gpu']).toEqual({ slots: 1, executions: 11, slot_busy_permille: 100, stale_compute_permille: 0 });
  });

  it('measures both views and the longest gap where frames are missing', async () => {
    // No message between 305 and 705: the last result, of the capture at 300, is fresh until 450; the next comes at 715.
    const report = await reportOf(regular(11, [4, 5, 6]));
    expect(report.longest_gap_ms).toBe(715 - 450);
    // Ten windows of 100 ms from the first message on, three without a result.
    expect(report.window_uncovered_permille).toBe(300);
    // Looked at 105, 205, … 1005: what is newest is too old at 505, 605 and 705.
    expect(report.consumer_uncovered_permille).toBe(300);
  });

  it('counts the cycles of a consumer by its own clock, in ROS time', async () => {
    const cycles = (phaseMs: number) => ({
      contract: `max_age_ms: 112.0, extension: {consumer_period_ms: 100.0, phase_ms: ${phaseMs}.0}`,
    });
    // Stamps are whole multiples of 100 ms of ROS time; results come 15 ms after them.
    expect((await reportOf(regular(11), cycles(10))).consumer_uncovered_permille).toBe(0);
    expect((await reportOf(regular(11), cycles(14))).consumer_uncovered_permille).toBe(1000);
    expect((await reportOf(regular(11), cycles(16))).consumer_uncovered_permille).toBe(0);
    expect((await reportOf(regular(11), cycles(10))).window_uncovered_permille).toBeNull();
  });

  it('ends a call that takes too long, and holds its slot until it is over', async () => {
    const report = await reportOf(regular(4), { runtimeMs: 130, backend: ', timeout_ms: 50.0' });
    expect(report.causes.no_answer).toBeGreaterThanOrEqual(2);
    expect(report.outcomes.delivered).toBe(0);
  });

  it('counts compute that brought nothing fresh', async () => {
    const { report } = await replayed(await madeBag(regular(4)), parameters({ runtimeMs: 60, backend: ', timeout_ms: 50.0' }));
    expect(report.streams['cam']?.causes).toEqual({ no_answer: 4 });
    expect(report.backends['gpu']).toMatchObject({ executions: 4, stale_compute_permille: 1000 });
  });

  it('ends what is open after the bag, too', async () => {
    const messages = [0, 1, 2, 3].map((logMs) => ({ topic: '/cam', logMs, stampMs: logMs }));
    const queue = ', queue: {policy: never_drop, capacity: 10}';
    const report = await reportOf(messages, { runtimeMs: 1000, backend: ', timeout_ms: 5000.0', stream: queue });
    expect(report.causes).toEqual({ obsolete: 4 });
  });

  it('sends nothing ahead: there is no round trip to hide, and until the slot is free a newer frame wins', async () => {
    const messages = [0, 1, 9].map((logMs) => ({ topic: '/cam', logMs, stampMs: logMs }));
    const report = await reportOf(messages, { contract: 'max_age_ms: 150.0' });
    expect(report.causes).toEqual({ delivered: 2, newer_capture: 1 });
  });

  it('refuses a message whose header cannot be read', async () => {
    const broken = { topic: '/cam', logMs: 150, stampMs: 150 };
    const messages = [
      ...regular(2),
      { ...broken, data: new Uint8Array([0, 1, 0, 0, 7]) },
      { ...broken, data: headerBytes(ns(1), 'cam').fill(9, 1, 2) },
      { ...broken, data: headerBytes(ns(1), 'cam').fill(255, 12, 16) },
    ];
    expect((await reportOf(messages)).causes).toEqual({ delivered: 2, malformed_message: 3 });
  });

  it('takes the reception of messages without a header', async () => {
    const report = await reportOf(regular(3), {}, 'std_msgs/msg/String');
    expect(report).toMatchObject({ causes: { delivered: 3 }, arrival_age_ms: { min: 0, max: 0 } });
  });

  it.each([1, 2, 100])('tells receptions of one log time apart: %i of them are no repetitions', async (at) => {
    const messages = Array.from({ length: 2000 }, (_, index) => Math.floor(index / at) * 100 * at).map((logMs) => ({
      topic: '/cam',
      logMs,
      stampMs: 0,
    }));
    const stream = ', stamp_source: receive, queue: {policy: never_drop, capacity: 1000}';
    const { report } = await replayed(await madeBag(messages), parameters({ stream, contract: 'max_age_ms: 100000.0' }));
    expect(report.streams['cam']).toMatchObject({ causes: { delivered: 2000 }, arrival_age_ms: { min: 0, max: 0 } });
    expect({ problems: report.problems, findings: report.findings }).toEqual({ problems: [], findings: [] });
  });

  it('needs no definition where the reception is the capture, and names one where it is not', async () => {
    const unknown = await madeBag(regular(3), 'acme_msgs/msg/Thing');
    const without = parameters({ stream: ', type: acme_msgs/msg/Thing, stamp_source: receive' });
    const { report } = await replayed(unknown, without);
    expect(report.problems).toEqual([]);
    expect(report.streams['cam']).toMatchObject({ causes: { delivered: 3 }, arrival_age_ms: { min: 0, max: 0 } });

    const stamped = without.replace('receive', 'header').replace('{cam: {topic', '{stamped: {topic');
    const both = (await replayed(unknown, stamped, without)).report;
    expect(both.streams['stamped']?.received).toBe(0);
    expect(both.compare?.[0]?.streams['cam']?.received).toBe(3);
    expect(both.problems).toEqual([
      expect.stringMatching(
        /bag\.mcap: topic \/cam: offset \d+: .* stream 'stamped' goes without: .* acme_msgs\/msg\/Thing is not installed .* install the package acme_msgs .* or set stamp_source: receive/,
      ),
    ]);
  });

  it('finds the topics of names that ROS would resolve', async () => {
    const messages = (topic: string) => regular(2).map((message) => ({ ...message, topic }));
    for (const [written, there] of [
      ['cam', '/cam'],
      ['~/cam', '/governor/cam'],
    ]) {
      const { report } = await replayed(await madeBag(messages(there ?? '')), parameters().replace('topic: /cam', `topic: ${written}`));
      expect(report.streams['cam']?.received).toBe(2);
    }
  });

  it('says of stamps of another clock what they are', async () => {
    const shifted = regular(5).map((message) => ({ ...message, stampMs: message.stampMs - 37_000 }));
    const { report } = await replayed(await madeBag(shifted), parameters());
    expect(report.problems).toEqual([expect.stringMatching(/stream cam: no message was younger than 37\.0 s .* set stamp_offset_ms$/)]);
    const future = regular(5).map((message) => ({ ...message, stampMs: message.stampMs + 37_000 }));
    expect((await replayed(await madeBag(future), parameters())).report.problems).toEqual([
      expect.stringMatching(/in the future .*\(by 37\.0 s\)/),
    ]);
  });

  it('shows by how much tolerated stamps lie in the future: the lowest age is a constant offset', async () => {
    const ahead = regular(5).map((message) => ({ ...message, stampMs: message.stampMs + 25 }));
    const report = await reportOf(ahead, { stream: ', future_tolerance_ms: 20.0' });
    expect(report).toMatchObject({ causes: { delivered: 5 }, arrival_age_ms: { min: -20, max: -20 }, response_age_ms: { p50: 10 } });
  });

  it('says once of two contracts that the bag has another type than they expect', async () => {
    const contract = parameters({ stream: ', type: sensor_msgs/msg/Imu' });
    const { report } = await replayed(await madeBag(regular(2)), contract, contract);
    expect(report.problems).toEqual([expect.stringMatching(/expects sensor_msgs\/msg\/Imu: .*; replayed all the same$/)]);
    expect(report.compare?.[0]?.streams['cam']?.received).toBe(2);
  });

  it('leaves out messages whose log times cannot be', async () => {
    const { report } = await replayed(await madeBag([...regular(2), { topic: '/cam', logMs: 1e11, stampMs: 0 }]), parameters());
    expect(report.streams['cam']?.received).toBe(2);
    expect(report.problems).not.toEqual([]);
  });

  it('has nothing to say of a bag without messages', async () => {
    const { report } = await replayed(await madeBag([]), parameters());
    expect(report).toMatchObject({ start_ns: null, duration_ms: 0, streams: { cam: { received: 0, window_uncovered_permille: null } } });
    expect(report.problems).toEqual([expect.stringMatching(/topic \/cam: is not in the bag; it has no topics/)]);
  });
});

describe('null stands where there is nothing to measure by', () => {
  const UNMEASURED = {
    window_uncovered_permille: null,
    consumer_uncovered_permille: null,
    phase_free_uncovered_permille: null,
    longest_gap_ms: null,
    age_mean_ms: null,
    age_peak_ms: null,
  };

  it('of a stream of which nothing came', async () => {
    const others = regular(11).map((message) => ({ ...message, topic: '/other' }));
    const { report } = await replayed(await madeBag(others), parameters());
    const ages = { p50: null, p95: null, p99: null };
    expect(report.streams['cam']).toMatchObject({
      received: 0,
      ...UNMEASURED,
      response_age_ms: ages,
      arrival_age_ms: { min: null, max: null },
    });
    expect(report.backends['gpu']).toEqual({ slots: 1, executions: 0, slot_busy_permille: 0, stale_compute_permille: null });
    expect(textReport(report)).toMatch(/cam +0 +0 +0 +0( +–){8} +0\n/);
  });

  it('of one instant, and shares of less than a period', async () => {
    expect(await reportOf(regular(1))).toMatchObject({ received: 1, ...UNMEASURED, response_age_ms: { p50: 15 } });
    const short = await reportOf(regular(2), { contract: 'period_ms: 500.0, max_age_ms: 150.0' });
    expect(short).toMatchObject({ window_uncovered_permille: null, consumer_uncovered_permille: null, longest_gap_ms: 10 });
  });
});

describe('a timeline', () => {
  it('has every end, every busy moment, and the age that the newest result reached', async () => {
    const { timelines } = await replayed(await madeBag(regular(11, [4, 5, 6])), parameters());
    const [timeline] = timelines;
    const cam = timeline?.streams.get('cam');
    expect(cam?.causes.get('delivered')?.reduce((sum, count) => sum + count)).toBe(8);
    expect(Math.max(...(cam?.peakAgesNs ?? []).filter((age) => !Number.isNaN(age)))).toBe(415e6); // from the capture at 300 to the result at 715
    expect(timeline?.busyNs.get('gpu')?.reduce((sum, ns) => sum + ns)).toBeCloseTo(70e6, -3); // the eighth runs past the end
    expect(timeline?.executions.every(({ job }) => job.fresh)).toBe(true);
  });
});
