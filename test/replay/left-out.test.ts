import { describe, expect, it } from 'vitest';
import { createHeaderReader } from '../../src/replay/header-reader.js';
import { headerBytes, type MadeMessage, madeBag, ns, replayed } from './made-bag.js';

/** @param stream more parameters of the stream */
function parameters(stream = ''): string {
  return `scheduling: {policy: ordered}
backends: {gpu: {slots: 1}}
models: {det: {backend: gpu, variants: {full: {backend_model: m, profile: {p50_us: 9000, p95_us: 9000, p99_us: 9000}}}}}
streams: {cam: {topic: /cam, model: det, class: high, contract: {period_ms: 100.0, max_age_ms: 150.0}${stream}}}`;
}

/** Every 100 ms, captured when they are logged. @param change of each */
function messages(count: number, change: (index: number) => Partial<MadeMessage> = () => ({})): MadeMessage[] {
  return Array.from({ length: count }, (_, index) => ({ topic: '/cam', logMs: index * 100, stampMs: index * 100, ...change(index) }));
}

async function replay(made: readonly MadeMessage[], stream?: string) {
  const { report } = await replayed(await madeBag(made), parameters(stream));
  const { received, causes } = report.streams['cam'] ?? {};
  return { received, causes, problems: report.problems, findings: report.findings, durationMs: report.duration_ms };
}

describe('channels of one topic', () => {
  const IMU = 'sensor_msgs/msg/Imu';

  it('are told one by one: of an encoding nobody reads', async () => {
    const { received, problems } = await replay(messages(10, (index) => (index < 4 ? {} : { encoding: 'json' })));
    expect(received).toBe(4);
    expect(problems).toEqual([
      expect.stringMatching(
        /topic \/cam: offset \d+: 6 messages of type sensor_msgs\/msg\/Image \(json\), which cannot be read, stream 'cam' goes without: /,
      ),
    ]);
  });

  it.each([0, 1])(
    'are left out with another type where there is one with the type of the stream, whichever comes first: %i',
    async (first) => {
      const { received, problems } = await replay(messages(10, (index) => (index % 2 === first ? { type: IMU } : {})));
      expect(received).toBe(5);
      expect(problems).toEqual([
        expect.stringMatching(
          /5 messages of type sensor_msgs\/msg\/Imu \(cdr\); stream 'cam' expects sensor_msgs\/msg\/Image: .*; left out$/,
        ),
      ]);
    },
  );

  it('of another type count until the right one is met, in a file without an index', async () => {
    const made = await madeBag(
      messages(10, (index) => (index < 4 || index % 2 === 0 ? { type: IMU } : {})),
      undefined,
      undefined,
      10,
    );
    const { report } = await replayed(made.subarray(0, made.byteLength - 10), parameters());
    expect(report.streams['cam']?.received).toBe(5 + 3);
    expect(report.problems).toEqual([
      expect.stringMatching(/5 messages of type sensor_msgs\/msg\/Imu \(cdr\); .*; replayed all the same$/),
      expect.stringMatching(/2 messages of type sensor_msgs\/msg\/Imu \(cdr\); .*; left out$/),
    ]);
  });

  it('have one line where nobody knows their type, or they have none', async () => {
    const unknown = await replay(messages(3, () => ({ type: 'acme_msgs/msg/Thing' })));
    expect(unknown.problems).toEqual([
      expect.stringMatching(/3 messages of type acme_msgs\/msg\/Thing \(cdr\), which cannot be read, stream 'cam' goes without: /),
    ]);
    const none = await replay(messages(1, () => ({ type: '' })));
    expect(none.problems).toEqual([
      expect.stringMatching(/1 message without a type \(cdr\), which cannot be read, .*: their channel has no schema, or set/),
    ]);
    expect(none.received).toBe(0);
  });
});

it('a definition that is damaged in the bag is taken from elsewhere', () => {
  const definition = { encoding: 'ros2msg', text: 'this is % no definition ((' };
  expect(() => createHeaderReader({ topic: '/cam', type: 'sensor_msgs/msg/Image', encoding: 'cdr', definition })).not.toThrow();
  expect(() => createHeaderReader({ topic: '/cam', type: 'acme_msgs/msg/Thing', encoding: 'cdr', definition })).toThrow(/acme_msgs/);
});

describe('messages that are malformed', () => {
  it('are a problem, with how many they are and where the first one stands', async () => {
    const half = await replay(messages(10, (index) => (index % 2 === 0 ? {} : { data: new Uint8Array(50).fill(255) })));
    expect(half.causes).toEqual({ delivered: 5, malformed_message: 5 });
    expect(half.problems).toEqual([
      expect.stringMatching(
        /topic \/cam: offset \d+: 5 messages, the first of them here, are no sensor_msgs\/msg\/Image and malformed for stream 'cam'; .*unknown kind 255$/,
      ),
    ]);
    expect((await replay(messages(3, (index) => (index === 1 ? { data: new Uint8Array(2) } : {})))).problems).toEqual([
      expect.stringMatching(/this message is no sensor_msgs\/msg\/Image and malformed .*2 bytes are too few for a header/),
    ]);
  });
});

describe('log times', () => {
  it.each([
    ['zero', -1_700_000_000_000],
    ['years later', 1e11],
    ['beyond what 63 bits hold', 1e13],
    ['three months earlier', -8e9],
  ])('far from all others cost their own messages: %s', async (_what, logMs) => {
    const { received, problems, durationMs } = await replay(messages(10, (index) => (index === 4 ? { logMs } : {})));
    expect({ received, durationMs }).toEqual({ received: 9, durationMs: 900 });
    expect(problems).toEqual([
      expect.stringMatching(
        new RegExp(`topic /cam: offset \\d+: this message is left out, with a log time outside of the bag: .*: log time ${ns(logMs)} ns$`),
      ),
    ]);
  });

  it('that no clock has cost all messages', async () => {
    const { received, problems } = await replay(messages(10, (index) => ({ logMs: 1e13 + index })));
    expect(received).toBe(0);
    expect(problems[0]).toMatch(/10 messages, the first of them here, are left out, with a log time outside/);
  });
});

describe('stamps', () => {
  const stamped = (at: (index: number) => number) => messages(100, (index) => ({ stampMs: at(index) }));
  const zero = (index: number) => ({ data: headerBytes(0n, 'cam'), stampMs: index });

  it.each<[string, MadeMessage[], RegExp]>([
    ['repeated', stamped(() => 0), /the stamps of 99 of 100 messages repeat the one before them: .* set stamp_source: receive$/],
    [
      'backwards',
      stamped((index) => -index),
      /the stamps of 99 of 100 messages are older than one that came before: .* set stamp_source: receive$/,
    ],
    ['zero', messages(100, zero), /the stamps of all messages are zero: .* set stamp_source: receive$/],
    ['half zero', messages(100, (index) => (index % 2 === 0 ? zero(index) : {})), /the stamps of 50 of 100 messages are zero: /],
  ])('that end half of a stream or more are a problem: %s', async (_what, made, words) => {
    const { problems, findings } = await replay(made);
    expect(problems).toEqual([expect.stringMatching(words)]);
    expect(findings).toEqual([]);
    expect((await replay(made, ', stamp_source: receive')).problems).toEqual([]);
  });

  it('that end fewer are a finding, and a few are none', async () => {
    const some = await replay(messages(100, (index) => (index % 3 === 1 ? zero(index) : {})));
    expect(some).toMatchObject({
      problems: [],
      findings: [expect.stringMatching(/^stream cam: the stamps of 33 of 100 messages are zero: /)],
    });
    const few = await replay(messages(201, (index) => (index === 7 ? zero(index) : {})));
    expect(few).toMatchObject({ causes: { stamp_zero: 1 }, problems: [], findings: [] });
  });

  it.each([
    [-37_000, /the future .*\(by 37\.0 s\).* set stamp_offset_ms$/],
    [37_000, /no message was younger than 37\.0 s .* set stamp_offset_ms$/],
    [-90_000_000, /the future .*\(by 90000\.0 s\).* set stamp_source: receive \(stamp_offset_ms corrects 24 h at most\)$/],
    [90_000_000, /no message was younger than 90000\.0 s .* set stamp_source: receive \(stamp_offset_ms corrects 24 h at most\)$/],
  ])('of another clock are corrected by what can correct them: %i ms old', async (ageMs, words) => {
    expect((await replay(stamped((index) => index * 100 - ageMs))).problems).toEqual([expect.stringMatching(words)]);
  });
});
