/** `models.<name>`: a logical model, its variants at the server, what goes in and how to read what comes out. */
import { z } from 'zod';
import { QUALITY_SOURCES } from '../core/configuration.js';
import { field, named, real, whole } from './field.js';

const MAX_SIDE_PX = 16_384;
const MAX_RUNTIME_US = 3_600_000_000;

const profileSchema = z.strictObject({
  p50_us: field(whole(1, MAX_RUNTIME_US), { description: 'Median runtime alone on the backend.', unit: 'us', sample: 9000 }),
  p95_us: field(whole(1, MAX_RUNTIME_US), { description: '95th percentile of the runtime.', unit: 'us', sample: 11_000 }),
  p99_us: field(whole(1, MAX_RUNTIME_US), { description: '99th percentile of the runtime.', unit: 'us', sample: 12_000 }),
});

const variantSchema = z.strictObject({
  backend_model: field(z.string().min(1).max(256), {
    description: 'Name of the model at the server.',
    expects: 'the name of the model at the server',
    sample: 'centerface',
  }),
  version: field(z.string().regex(/^\d*$/).default(''), {
    description: 'Version of the model at the server; empty leaves the choice to the server.',
    expects: 'a version number in quotes, or "" for the choice of the server',
  }),
  quality: field(real(0, 1).default(1), {
    description: 'Relative quality of this variant; the highest one that is fast enough is used.',
  }),
  quality_source: field(z.enum(QUALITY_SOURCES).default('unknown'), {
    description:
      'What quality rests on: measured on data, declared by somebody, or unknown. While it is unknown for one variant of a model, only the first approved one is used.',
  }),
  preprocess_us: field(whole(0, MAX_RUNTIME_US).default(0), {
    description: 'Time the conversion of a message takes at dispatch, added to the runtimes of the profile.',
    unit: 'us',
  }),
  profile: z.exactOptional(profileSchema),
});

const inputSchema = z.strictObject({
  name: field(z.exactOptional(z.string().min(1).max(256)), {
    description: 'Name of the input tensor.',
    whenAbsent: 'the only input the server reports',
    sample: 'input.1',
  }),
  layout: field(z.enum(['nhwc', 'nchw']).default('nhwc'), { description: 'Order of the dimensions of an image tensor.' }),
  datatype: field(z.enum(['UINT8', 'FP32']).default('UINT8'), { description: 'Element type of an image tensor.' }),
  width: field(z.exactOptional(whole(1, MAX_SIDE_PX)), {
    description: 'Width of the image tensor; goes with height.',
    unit: 'px',
    whenAbsent: 'the width of the source',
    sample: 640,
  }),
  height: field(z.exactOptional(whole(1, MAX_SIDE_PX)), {
    description: 'Height of the image tensor; goes with width.',
    unit: 'px',
    whenAbsent: 'the height of the source',
    sample: 480,
  }),
  resize: field(z.enum(['stretch', 'letterbox', 'crop']).default('stretch'), {
    description:
      'How an image of another shape is fitted. stretch: each side for itself; letterbox: whole image, bars; crop: middle, no bars.',
  }),
  color_order: field(z.enum(['rgb', 'bgr', 'gray']).default('rgb'), { description: 'Channels of the image tensor.' }),
  scale: field(real(1e-9, 1e9).default(1), { description: 'First step of normalisation, FP32 only: (pixel * scale - mean) / std.' }),
  mean: field(z.array(real(-1e9, 1e9)).max(3).default([]), {
    description: 'Second step of normalisation, FP32 only: one number a channel, in the order of color_order; empty: none.',
  }),
  std: field(z.array(real(1e-9, 1e9)).max(3).default([]), {
    description: 'Third step of normalisation, FP32 only: one number a channel, in the order of color_order; empty: none.',
  }),
  batch_dimension: field(z.boolean().default(true), { description: 'Whether the tensor starts with a dimension of 1 for the batch.' }),
});

const outputSchema = z.strictObject({
  decoder: field(z.enum(['none', 'centerface']).default('none'), {
    description: 'How outputs become boxes in source pixels. none: tensors only.',
  }),
  tensors: field(z.array(z.string().min(1).max(256)).max(64).default([]), {
    description: 'Outputs the decoder reads, in its order (centerface: heat map, scale, offset); empty: named as in the published model.',
    expects: 'a list of names of output tensors',
  }),
  labels: field(z.array(z.string().max(256)).max(10_000).default([]), {
    description: 'Names of the classes, by class number; empty: numbers.',
    expects: 'a list of class names',
  }),
  score_threshold: field(real(0, 1).default(0.5), { description: 'Boxes below this score are left out.' }),
  iou_threshold: field(real(0, 1).default(0.3), {
    description: 'A box that overlaps a better one of its class by more than this (intersection over union) is left out.',
  }),
  max_detections: field(whole(1, 10_000).default(100), { description: 'At most so many boxes a frame, the best ones.' }),
});

export const modelSchema = z.strictObject({
  backend: field(z.string(), { description: 'Name of the backend it runs on.', expects: 'the name of a backend', sample: 'gpu' }),
  instances: field(z.exactOptional(whole(1, 256)), {
    description: 'Executions at the same time of each variant.',
    whenAbsent: 'the instance count in the configuration of the server, else slots',
    sample: 1,
  }),
  stateful: field(z.boolean().default(false), {
    description: 'Whether an answer depends on the frames before: then only the first approved variant is used, and no stream is `latest`.',
  }),
  variants: named(variantSchema),
  input: inputSchema.prefault({}),
  output: outputSchema.prefault({}),
});
