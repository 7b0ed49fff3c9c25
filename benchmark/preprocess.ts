/**
 * Time from a received image to its tensor, on the main thread: five repeats of 60 images each. The fastest of all, which other load on the
 * machine hardly moves; the range of the medians and of the 95th percentiles of the repeats. usage: npx jiti benchmark/preprocess.ts
 */
import { type InputParameters, parametersSchema } from '../src/config/schema.js';
import { createCodec } from '../src/tensor/codec.js';

const REPEATS = 5;
const IMAGES = 60;

interface Case {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  readonly encoding: 'rgb8' | 'bgr8';
  readonly input: Partial<InputParameters>;
}

const FLOAT_NCHW = { datatype: 'FP32', layout: 'nchw', scale: 1 / 255 } as const;

const CASES: readonly Case[] = [
  { name: '640x480 rgb8, as it is', width: 640, height: 480, encoding: 'rgb8', input: {} },
  { name: '640x480 bgr8 to rgb UINT8', width: 640, height: 480, encoding: 'bgr8', input: {} },
  { name: '640x480 rgb8 to FP32 NCHW', width: 640, height: 480, encoding: 'rgb8', input: FLOAT_NCHW },
  { name: '1920x1080 rgb8, as it is', width: 1920, height: 1080, encoding: 'rgb8', input: {} },
  { name: '1920x1080 rgb8 to FP32 NCHW', width: 1920, height: 1080, encoding: 'rgb8', input: FLOAT_NCHW },
  ...(['stretch', 'letterbox', 'crop'] as const).map((resize) => ({
    name: `1920x1080 rgb8 to 640x640 FP32 NCHW, ${resize}`,
    width: 1920,
    height: 1080,
    encoding: 'rgb8' as const,
    input: { ...FLOAT_NCHW, width: 640, height: 640, resize },
  })),
  { name: '1920x1080 rgb8 to 640x640 UINT8', width: 1920, height: 1080, encoding: 'rgb8', input: { width: 640, height: 640 } },
  {
    name: '1920x1080 rgb8 to 640x640 grey FP32',
    width: 1920,
    height: 1080,
    encoding: 'rgb8',
    input: { ...FLOAT_NCHW, width: 640, height: 640, color_order: 'gray' },
  },
];

function writerOf({ width, height, encoding, input }: Case): () => void {
  const { models, streams } = parametersSchema.parse({
    backends: { gpu: { slots: 1 } },
    models: { model: { backend: 'gpu', variants: { only: { backend_model: 'model' } }, input: { name: 'input', ...input } } },
    streams: { camera: { topic: '/camera', model: 'model', contract: { max_age_ms: 100 } } },
  });
  const [stream, model] = [streams['camera'], models['model']];
  if (stream === undefined || model === undefined) throw new Error('the schema lost a group');
  const codec = createCodec({ ...stream, name: 'camera' }, { ...model, name: 'model' });
  const data = Uint8Array.from({ length: width * height * 3 }, (_, i) => Math.imul(i, 2_654_435_761) >>> 24);
  const message = { width, height, encoding, is_bigendian: 0, step: width * 3, data };
  const header = { stamp: { sec: 1, nanosec: 0 }, frameId: 'camera' };
  let target: Uint8Array | undefined;
  return () => {
    for (const source of codec.frame(header, message).inputs('only')) {
      target ??= new Uint8Array(source.byteLength);
      source.write(target);
    }
  };
}

function rangeOf(values: readonly number[]): string {
  return `${Math.min(...values).toFixed(2)} … ${Math.max(...values).toFixed(2)}`;
}

for (const one of CASES) {
  const write = writerOf(one);
  for (let i = 0; i < IMAGES; i++) write();
  const medians: number[] = [];
  const slow: number[] = [];
  let fastest = Number.POSITIVE_INFINITY;
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    const times: number[] = [];
    for (let i = 0; i < IMAGES; i++) {
      const start = performance.now();
      write();
      times.push(performance.now() - start);
    }
    times.sort((a, b) => a - b);
    fastest = Math.min(fastest, times[0] ?? Number.NaN);
    medians.push(times[Math.floor(IMAGES * 0.5)] ?? Number.NaN);
    slow.push(times[Math.floor(IMAGES * 0.95)] ?? Number.NaN);
  }
  process.stdout.write(`${one.name.padEnd(48)} fastest ${fastest.toFixed(2)} ms · p50 ${rangeOf(medians)} ms · p95 ${rangeOf(slow)} ms\n`);
}
