/** The two cameras, their models and their contracts, as a parameter file of the governor. */
import { stringify } from 'yaml';
import type { z } from 'zod';
import type { parametersSchema } from '../config/schema.js';

type ParameterFile = z.input<typeof parametersSchema>;

/** All topics and nodes of the demo lie below this name, apart from what else runs in the ROS domain. */
export const NAMESPACE = '/vig_demo';
export const GOVERNOR_NODE = 'governor';
export const UNGOVERNED_NODE = 'ungoverned';

export const PERIOD_MS = 1000 / 30;

export interface DemoStream {
  readonly name: string;
  /** What a person calls it. */
  readonly title: string;
  readonly topic: string;
  readonly model: string;
  readonly maxAgeMs: number;
  readonly guarded: boolean;
}

export const FRONT = {
  name: 'front',
  title: 'front camera',
  topic: `${NAMESPACE}/front/image_raw`,
  model: 'centerface',
  maxAgeMs: 100,
  guarded: true,
} as const satisfies DemoStream;

export const REAR = {
  name: 'rear',
  title: 'rear camera',
  topic: `${NAMESPACE}/rear/image_raw`,
  model: 'ppocr_det',
  maxAgeMs: 500,
  guarded: false,
} as const satisfies DemoStream;

export const STREAMS: readonly DemoStream[] = [FRONT, REAR];

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A model's input and how long it takes at that size, alone. */
export interface SizedModel {
  readonly input: Size;
  readonly profile: { readonly p50Us: number; readonly p95Us: number; readonly p99Us: number };
}

export interface DemoSettings {
  readonly endpoint: string;
  readonly backend: 'triton' | 'reference';
  /** Executions at the same time. */
  readonly slots: number;
  readonly front: SizedModel;
  readonly rear: SizedModel;
}

/** @param governed else the queue is the one that people write by hand, which the middleware's history goes with */
export function demoParameters({ endpoint, backend, slots, front, rear }: DemoSettings, governed: boolean): ParameterFile {
  const queue = governed ? {} : { queue: { policy: 'fifo' as const, capacity: HAND_WRITTEN_QUEUE } };
  return {
    metrics: { port: 0 },
    backends: { device: { type: backend, endpoint, slots, timeout_ms: 5000 } },
    models: {
      [FRONT.model]: {
        backend: 'device',
        instances: 1,
        variants: { only: { backend_model: FRONT.model, profile: profile(front) } },
        input: { name: 'input.1', layout: 'nchw', datatype: 'FP32', ...front.input },
        output: { decoder: 'centerface', tensors: ['537', '538', '539', '540'], labels: ['face'] },
      },
      [REAR.model]: {
        backend: 'device',
        instances: 1,
        variants: { only: { backend_model: REAR.model, profile: profile(rear) } },
        input: { name: 'x', layout: 'nchw', datatype: 'FP32', ...rear.input, color_order: 'bgr', ...MINUS_ONE_TO_ONE },
      },
    },
    streams: {
      [FRONT.name]: {
        topic: FRONT.topic,
        model: FRONT.model,
        class: 'protected',
        ...queue,
        contract: { period_ms: PERIOD_MS, deadline_ms: 2 * PERIOD_MS, max_age_ms: FRONT.maxAgeMs },
      },
      [REAR.name]: {
        topic: REAR.topic,
        model: REAR.model,
        class: 'best_effort',
        ...queue,
        contract: { period_ms: PERIOD_MS, max_age_ms: REAR.maxAgeMs },
      },
    },
  };
}

const HAND_WRITTEN_QUEUE = 10;

/** The file as ROS reads it. */
export function parameterFileText(parameters: ParameterFile): string {
  return stringify({ '/**': { ros__parameters: parameters } }, { aliasDuplicateObjects: false });
}

const MINUS_ONE_TO_ONE = { scale: 1 / 255, mean: [0.5, 0.5, 0.5], std: [0.5, 0.5, 0.5] };

function profile({ profile: { p50Us, p95Us, p99Us } }: SizedModel): { p50_us: number; p95_us: number; p99_us: number } {
  return { p50_us: p50Us, p95_us: p95Us, p99_us: p99Us };
}
