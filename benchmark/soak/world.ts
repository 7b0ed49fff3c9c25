/** What the soak consists of: models of the reference server, the governor's parameters, and what is sent when. */
import { type Parameters, parametersSchema } from '../../src/config/schema.js';

export const MODELS = `
models:
  seen:
    behaviour: constant
    runtime: { p50_ms: 8, p99_ms: 14, seed: 1 }
    inputs: [{ name: image, datatype: UINT8, shape: [1, H, W, 3] }]
    outputs: [{ name: boxes, datatype: FP32, shape: [64], fill: 0 }]
  felt:
    behaviour: constant
    runtime: { p50_ms: 5, p99_ms: 9, seed: 2 }
    inputs: [{ name: values, datatype: FP32, shape: [1, N] }]
    outputs: [{ name: verdict, datatype: FP32, shape: [1], fill: 0 }]
`;

export function parameters(endpoint: string): Parameters {
  const model = (name: string) => ({ backend: 'server', variants: { only: { backend_model: name } } });
  return parametersSchema.parse({
    drain_timeout_ms: 5000,
    metrics: { port: 0 },
    backends: { server: { type: 'reference', endpoint, slots: 2, timeout_ms: 500 } },
    models: { seen: model('seen'), felt: model('felt') },
    streams: {
      front: { topic: '/front', model: 'seen', class: 'protected', contract: { period_ms: 33, max_age_ms: 100 } },
      side: { topic: '/side', model: 'seen', queue: { policy: 'fifo', capacity: 10 }, contract: { max_age_ms: 300 } },
      touch: {
        topic: '/touch',
        type: 'std_msgs/msg/Float32MultiArray',
        model: 'felt',
        queue: { policy: 'never_drop', capacity: 50 },
        contract: { max_age_ms: 1000 },
      },
    },
  });
}

interface Source {
  readonly stream: string;
  readonly periodMs: number;
  /** While a burst lasts. */
  readonly burstPeriodMs: number;
  /** Fresh for each message: the governor keeps what it is given. */
  message(): object;
}

export const BURST = { everyMs: 10_000, forMs: 1500 };

const WIDTH = 160;
const HEIGHT = 120;
const VALUES = 256;

const picture = () => ({
  width: WIDTH,
  height: HEIGHT,
  encoding: 'rgb8',
  is_bigendian: 0,
  step: WIDTH * 3,
  data: new Uint8Array(WIDTH * HEIGHT * 3),
});

export const SOURCES: readonly Source[] = [
  { stream: 'front', periodMs: 33, burstPeriodMs: 33, message: picture },
  { stream: 'side', periodMs: 100, burstPeriodMs: 10, message: picture },
  {
    stream: 'touch',
    periodMs: 40,
    burstPeriodMs: 5,
    message: () => ({ layout: { dim: [], data_offset: 0 }, data: new Float32Array(VALUES) }),
  },
];
