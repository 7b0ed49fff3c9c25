import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { micros } from '../../src/core/units.js';
import type { Call, CallEnd } from '../../src/governor/ports.js';
import { Bag } from '../../src/replay/bag/open-bag.js';
import { createMessageReader } from '../../src/replay/header-reader.js';
import { LiveClock } from '../../src/replay/live/live-clock.js';
import { runLive } from '../../src/replay/live/run-live.js';
import type { ConnectServer } from '../../src/service/served-backend.js';
import { foreignBag, truth } from './foreign.js';
import { contractFrom } from './made-bag.js';

const CAMERA = `scheduling: {policy: ordered}
backends: {gpu: {slots: 1}}
models: {det: {backend: gpu, variants: {full: {backend_model: m}}}}
streams: {camera: {topic: /camera/image_raw, model: det, class: high, contract: {period_ms: 33.0, max_age_ms: 80.0}}}`;

/** A server that answers on the next turn of the event loop. */
class PromptServer {
  readonly calls: Call[] = [];
  closed = false;

  readonly connect: ConnectServer = ({ listener }) => ({
    start: () => listener.readiness('m', true, ''),
    close: async () => {
      this.closed = true;
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
      return new Promise<CallEnd>((resolve) => setImmediate(() => resolve({ result: 'ok', outputs, modelVersion: '7' })));
    },
  });
}

describe('a replay on real servers', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'vig-live-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('sends what the bag has, in the time of the bag, and writes the answers beside the outcomes', async () => {
    const server = new PromptServer();
    const output = path.join(folder, 'out');
    const report = await runLive({
      bag: foreignBag('zstd.mcap'),
      contract: contractFrom(CAMERA, false),
      connect: server.connect,
      fast: true,
      output,
      log: pino({ level: 'silent' }),
      progress: () => {},
    });
    const sent = truth.messages.filter(([topic]) => topic === '/camera/image_raw');
    expect(report).toMatchObject({ seed: null, problems: [] });
    expect(report.streams['camera']).toMatchObject({
      received: sent.length,
      causes: { delivered: sent.length },
      window_uncovered_permille: 0,
    });
    expect(server.calls).toHaveLength(sent.length);
    expect(server.closed).toBe(true);

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

  it('sends nothing of another type than the stream expects: the node would not receive it', async () => {
    const server = new PromptServer();
    const report = await runLive({
      bag: foreignBag('zstd.mcap'),
      contract: contractFrom(CAMERA.replace('/camera/image_raw', '/camera/compressed'), false),
      connect: server.connect,
      fast: true,
      output: undefined,
      log: pino({ level: 'silent' }),
      progress: () => {},
    });
    expect(report.streams['camera']?.received).toBe(0);
    expect(report.problems).toEqual([expect.stringMatching(/topic \/camera\/compressed: .*expects sensor_msgs\/msg\/Image: .*; left out/)]);
  });
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
