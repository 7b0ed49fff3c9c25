/** Time from a received image to its tensor, on the main thread. */
import { type InputParameters, parametersSchema } from '../src/config/schema.js';
import { createCodec } from '../src/tensor/codec.js';
import type { BenchContext, Topic } from './context.js';
import type { Section } from './report.js';
import { percentile, shown, spreadOf } from './statistics.js';

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

interface Figures {
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly fastestMs: number;
}

export const preprocess: Topic = {
  name: 'preprocess',
  description: 'from a received image to its tensor',
  measure: async (context) =>
    section(
      CASES.map((one) => {
        context.progress(`preprocess: ${one.name}`);
        return { name: one.name, repeats: repeatsOf(writerOf(one), context) };
      }),
      context,
    ),
};

function repeatsOf(write: () => void, { repeats }: BenchContext): readonly Figures[] {
  for (let image = 0; image < IMAGES; image += 1) write();
  return Array.from({ length: repeats }, () => {
    const times = Array.from({ length: IMAGES }, () => {
      const start = performance.now();
      write();
      return performance.now() - start;
    });
    return { p50Ms: percentile(times, 0.5), p95Ms: percentile(times, 0.95), fastestMs: percentile(times, 0) };
  });
}

function section(cases: readonly { readonly name: string; readonly repeats: readonly Figures[] }[], { repeats }: BenchContext): Section {
  return {
    title: 'From a received image to its tensor',
    method: [
      `On the main thread, as it happens at dispatch: ${repeats} repeats of ${IMAGES} images each. The fastest of all, which other load on the ` +
        'machine hardly moves, and the median of the repeats, in brackets the lowest and the highest. ms.',
    ],
    tables: [
      {
        columns: ['', 'fastest', 'p50', 'p95'],
        rows: cases.map((one) => [
          one.name,
          Math.min(...one.repeats.map(({ fastestMs }) => fastestMs)).toFixed(2),
          shown(spreadOf(one.repeats.map(({ p50Ms }) => p50Ms))),
          shown(spreadOf(one.repeats.map(({ p95Ms }) => p95Ms))),
        ]),
      },
    ],
    conclusions: [],
    figures: cases,
  };
}
