/** Four cameras at 30 Hz on two slots of the reference server, half busy. */
import { type Parameters, parametersSchema } from '../../src/config/schema.js';

export const CAMERAS = ['front', 'left', 'right', 'rear'] as const;
const RATE_HZ = 30;
export const PERIOD_MS = 1000 / RATE_HZ;
export const FRAMES_PER_SECOND = RATE_HZ * CAMERAS.length;

export const MODELS = `
models:
  seen:
    instances: 2
    behaviour: constant
    runtime: { p50_ms: 8, p99_ms: 10, seed: 1 }
    inputs: [{ name: image, datatype: UINT8, shape: [1, H, W, 3] }]
    outputs: [{ name: boxes, datatype: FP32, shape: [64], fill: 0 }]
`;

const PROFILE = { p50_us: 9000, p95_us: 11_000, p99_us: 12_000 };

/** @param traceFile '' for none. */
export function parameters(endpoint: string, traceFile: string): Parameters {
  return parametersSchema.parse({
    metrics: { port: 0 },
    learning: { adapt: false }, // every arm decides by the same forecasts
    trace: { file: traceFile },
    backends: { server: { type: 'reference', endpoint, slots: 2, timeout_ms: 500 } },
    models: { seen: { backend: 'server', variants: { only: { backend_model: 'seen', profile: PROFILE } } } },
    streams: Object.fromEntries(
      CAMERAS.map((name, index) => [
        name,
        {
          topic: `/${name}`,
          model: 'seen',
          class: index === 0 ? 'protected' : 'normal',
          queue: { policy: 'fifo', capacity: 30 }, // every frame is served, also on a machine that does other things
          contract: { period_ms: 33, max_age_ms: 1000 },
        },
      ]),
    ),
  });
}

/** Small ones, which cost little besides the trace. */
const WIDTH = 160;
const HEIGHT = 120;

/** What every frame holds; the governor sends it on and does not write into it. */
export function picture(): object {
  return { width: WIDTH, height: HEIGHT, encoding: 'rgb8', is_bigendian: 0, step: WIDTH * 3, data: new Uint8Array(WIDTH * HEIGHT * 3) };
}
