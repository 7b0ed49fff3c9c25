/** The detector finds the face in a real picture, through the whole chain: a Python publisher, the node, Triton, a Python subscriber. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { decode } from 'fast-png';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onnxModel } from '../support/triton-models.js';
import { TritonServer } from '../support/triton-server.js';
import { GovernorProcess } from './governor-process.js';
import { IMAGE, outcomeOf, watchNode } from './node-view.js';
import { eventually, type PlainMessage, RosPeer } from './ros-peer.js';

const MODELS = new URL('../../.vig/models/', import.meta.url);
/** Left, top, right, bottom, in pixels of the picture. */
const FACE = [181, 58, 270, 178] as const;
const SIDE = 512;
const STREAMS = ['mapped', 'inline', 'letterbox'] as const;
type Stream = (typeof STREAMS)[number];

const output = (name: string, channels: number) => `{ name: "${name}" data_type: TYPE_FP32 dims: [1, ${channels}, -1, -1] }`;
const CENTERFACE = onnxModel(
  'centerface',
  fileURLToPath(new URL('centerface.onnx', MODELS)),
  '{ name: "input.1" data_type: TYPE_FP32 dims: [1, 3, -1, -1] }',
  [output('537', 1), output('538', 2), output('539', 2), output('540', 10)].join(', '),
);

function parameters(endpoint: string): object {
  const model = (backend: string, input: object) => ({
    backend,
    variants: { only: { backend_model: 'centerface' } },
    input: { layout: 'nchw', datatype: 'FP32', ...input },
    output: { decoder: 'centerface', labels: ['face'] },
  });
  const stream = (name: Stream) => ({ topic: `/${name}`, model: name, queue: { policy: 'never_drop' }, contract: { max_age_ms: 60_000 } });
  const backend = { endpoint, slots: 1, timeout_ms: 30_000 };
  return {
    metrics: { port: 0 },
    backends: { mapped: { ...backend, transport: 'shared_memory' }, inline: { ...backend, transport: 'inline' } },
    models: {
      mapped: model('mapped', { width: SIDE, height: SIDE }),
      inline: model('inline', { width: SIDE, height: SIDE }),
      letterbox: model('inline', { width: 640, height: 384, resize: 'letterbox' }),
    },
    streams: Object.fromEntries(STREAMS.map((name) => [name, stream(name)])),
  };
}

/** The picture in other layouts, as files that the publisher reads; padding is filled with what must not be looked at. */
function layOut(folder: string, name: string, order: readonly [number, number, number], padding: number): object {
  const { width, height, data, channels } = decode(readFileSync(new URL('astronaut.png', MODELS)));
  expect([width, height, channels]).toEqual([SIDE, SIDE, 3]);
  const step = width * 3 + padding;
  const bytes = Buffer.alloc(step * height, 0xa5);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      order.forEach((channel, i) => {
        bytes[y * step + x * 3 + i] = data[(y * width + x) * 3 + channel] ?? 0;
      });
    }
  }
  const file = path.join(folder, name);
  writeFileSync(file, bytes);
  return { header: { frame_id: 'camera' }, width, height, step, data: { file } };
}

interface Detection {
  readonly label: string;
  readonly score: number;
  readonly center_x: number;
  readonly center_y: number;
  readonly size_x: number;
  readonly size_y: number;
}

function overlap({ center_x: x, center_y: y, size_x: width, size_y: height }: Detection): number {
  const [left, top, right, bottom] = FACE;
  const common =
    Math.max(0, Math.min(right, x + width / 2) - Math.max(left, x - width / 2)) *
    Math.max(0, Math.min(bottom, y + height / 2) - Math.max(top, y - height / 2));
  return common / ((right - left) * (bottom - top) + width * height - common);
}

const RGB = [0, 1, 2] as const;
const BGR = [2, 1, 0] as const;

describe('the face in the picture', () => {
  let triton: TritonServer;
  let governor: GovernorProcess;
  let peer: RosPeer;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'vig-pictures-'));
    triton = await TritonServer.start({ models: [CENTERFACE] });
    peer = new RosPeer();
    await watchNode(peer, STREAMS);
    for (const name of STREAMS) await peer.advertise(`/${name}`, IMAGE);
    governor = new GovernorProcess({ parameters: parameters(triton.endpoint) });
    await governor.active();
    await peer.published('/governor/outcomes');
    const picture = layOut(folder, 'first', RGB, 0);
    for (const name of STREAMS) {
      await peer.subscribed(`/${name}`);
      await peer.published(`/governor/${name}/result`);
      const fields = { ...picture, encoding: 'rgb8' };
      await eventually(`${name} is served`, async () => (await outcomeOf(peer, name, { fields })).cause_text === 'delivered');
    }
  });

  afterAll(async () => {
    await governor?.end();
    await peer?.end();
    await triton?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function resultOf(stream: Stream, encoding: string, picture: object): Promise<PlainMessage> {
    const outcome = await outcomeOf(peer, stream, { fields: { ...picture, encoding } });
    expect(outcome.cause_text).toBe('delivered');
    const find = () => peer.messages(`/governor/${stream}/result`).find((result) => result['request_id'] === outcome.request_id);
    await eventually('the result', () => find() !== undefined);
    const result = find() ?? {};
    expect(result).toMatchObject({ header: outcome.header, stream, model: stream, variant: 'only', model_version: '1', obsolete: false });
    return result;
  }

  it('is found where it is, whatever the encoding, the row padding and the way to the server', async () => {
    const padded = layOut(folder, 'padded', RGB, 52);
    const reversed = layOut(folder, 'reversed', BGR, 0);
    const mirrored = layOut(folder, 'mislabelled', BGR, 52);
    const results = [
      await resultOf('mapped', 'rgb8', padded),
      await resultOf('mapped', 'bgr8', reversed),
      await resultOf('inline', 'rgb8', padded),
      await resultOf('inline', 'bgr8', reversed),
    ];
    for (const result of results) {
      const [face, ...others] = result['detections'] as readonly Detection[];
      expect(others).toEqual([]);
      expect(face).toMatchObject({ class_id: 0, label: 'face' });
      expect(face?.score).toBeGreaterThan(0.8);
      expect(face === undefined ? 0 : overlap(face)).toBeGreaterThan(0.6);
      expect(result['outputs']).toEqual(results[0]?.['outputs']); // the network has seen the same numbers
    }
    expect(results[0]?.['outputs']).toMatchObject([
      { name: '537', datatype: 'FP32', shape: [1, 1, 128, 128], data: { length: 65_536 } },
      { name: '538', shape: [1, 2, 128, 128] },
      { name: '539', shape: [1, 2, 128, 128] },
      { name: '540', shape: [1, 10, 128, 128] },
    ]);
    // and would have told red from blue, and a row from its padding
    expect((await resultOf('inline', 'rgb8', mirrored))['outputs']).not.toEqual(results[0]?.['outputs']);
  });

  it('is given in pixels of the picture where the network has another shape', async () => {
    const result = await resultOf('letterbox', 'rgb8', layOut(folder, 'letterbox', RGB, 0));
    const [face, ...others] = result['detections'] as readonly Detection[];
    expect(others).toEqual([]);
    expect(face === undefined ? 0 : overlap(face)).toBeGreaterThan(0.6);
    expect(result['outputs']).toMatchObject([{ name: '537', shape: [1, 1, 96, 160] }, {}, {}, {}]);
  });

  it('travelled by shared memory on the one backend and not on the other, and nothing of it is left behind', async () => {
    const regions = () => readdirSync('/dev/shm').filter((name) => name.startsWith('vig-') && name.includes(`-${governor.pid}-`));
    expect(regions()).toHaveLength(2 + 2); // slots + pipelining_depth of the one backend, and the boot witness of each
    await governor.end();
    expect(regions()).toEqual([]);
  });
});
