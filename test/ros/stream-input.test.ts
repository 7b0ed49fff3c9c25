import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { streamSchema } from '../../src/config/stream-schema.js';
import { StreamInput } from '../../src/ros/stream-input.js';

const PARAMETERS = streamSchema.parse({ topic: '/front', model: 'detector', contract: { max_age_ms: 100, period_ms: 33 } });
const HEADER = { stamp: { sec: 7, nanosec: 8 }, frame_id: 'front_optical' };
const MESSAGE = { header: HEADER, width: 1 };
const READ = { stamp: { sec: 7, nanosec: 8 }, frameId: 'front_optical' };

interface Bench {
  readonly input: StreamInput;
  /** What the service was told. */
  readonly told: unknown[];
  readonly warnings: string[];
  state: { active: boolean; nowNs: bigint | undefined };
}

function bench(): Bench {
  const told: unknown[] = [];
  const warnings: string[] = [];
  const state: Bench['state'] = { active: true, nowNs: 9_000_000_000n };
  const input = new StreamInput('front', PARAMETERS, {
    service: {
      receive: (stream, { header, rosNowNs, message }) => told.push(['receive', stream, header, rosNowNs, message]),
      refuse: (stream, header, cause) => told.push(['refuse', stream, header, cause]),
      countLost: (stream, frames) => told.push(['lost', stream, frames]),
    },
    rosNowNs: () => state.nowNs,
    isActive: () => state.active,
    log: pino({ level: 'warn' }, { write: (line: string) => warnings.push(String(JSON.parse(line).msg)) }),
  });
  return { input, told, warnings, state };
}

function info(sequence: bigint): { publicationSequenceNumber: bigint; publisherGid: Uint8Array } {
  return { publicationSequenceNumber: sequence, publisherGid: Uint8Array.of(1, 2, 3) };
}

describe('StreamInput', () => {
  it('hands a message to the service with its own header and the ROS time of its reception', () => {
    const { input, told } = bench();
    input.receive(MESSAGE);
    expect(told).toEqual([['receive', 'front', READ, 9_000_000_000n, MESSAGE]]);
  });

  it('gives a message without a header the time of its reception', () => {
    const { input, told } = bench();
    input.receive({ data: [1] });
    expect(told).toEqual([['receive', 'front', { stamp: { sec: 9, nanosec: 0 }, frameId: '' }, 9_000_000_000n, { data: [1] }]]);
  });

  it('tells the service what was lost before a message', () => {
    const { input, told } = bench();
    input.receive(MESSAGE, info(4n));
    input.receive(MESSAGE, info(7n));
    expect(told.filter((entry) => Array.isArray(entry) && entry[0] === 'lost')).toEqual([['lost', 'front', 2]]);
  });

  it('refuses what comes while the node is not active, with one warning until it is', () => {
    const { input, told, warnings, state } = bench();
    state.active = false;
    input.receive(MESSAGE);
    input.receive(MESSAGE);
    expect(told).toEqual([
      ['refuse', 'front', READ, 'inactive'],
      ['refuse', 'front', READ, 'inactive'],
    ]);
    expect(warnings).toHaveLength(1);
    state.active = true;
    input.receive(MESSAGE);
    state.active = false;
    input.receive(MESSAGE);
    expect(warnings).toHaveLength(2);
  });

  it('refuses what comes before the first /clock, its header untouched', () => {
    const { input, told, state } = bench();
    state.nowNs = undefined;
    input.receive(MESSAGE);
    expect(told).toEqual([['refuse', 'front', READ, 'no_clock']]);
  });

  it.each([[null], [{}], [{ header: null }], [{ header: { stamp: { sec: 'x' }, frame_id: 3 } }]])(
    'survives %j, of which nothing can be read',
    (message) => {
      const { input, told } = bench();
      input.receive(message);
      expect(told).toHaveLength(1);
    },
  );

  it('reads a header without a stamp as a zero stamp', () => {
    const { input, told } = bench();
    input.receive({ header: { frame_id: 'front' } });
    expect(told).toMatchObject([['receive', 'front', { stamp: { sec: 0, nanosec: 0 }, frameId: 'front' }, 9_000_000_000n, {}]]);
  });

  it('lets no exception out: one in a callback would end the process', () => {
    const told: string[] = [];
    const input = new StreamInput('front', PARAMETERS, {
      service: {
        receive: () => {
          throw new Error('unexpected');
        },
        refuse: () => {},
        countLost: () => {},
      },
      rosNowNs: () => 1n,
      isActive: () => true,
      log: pino({ level: 'error' }, { write: (line: string) => told.push(line) }),
    });
    input.receive(MESSAGE);
    expect(told).toHaveLength(1);
  });
});
