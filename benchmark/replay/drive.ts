/** Ten minutes of four cameras at 30 Hz, and the contracts they are judged by. Pure, from a seed. */
import { Pcg32 } from '../../src/random/pcg32.js';
import type { MadeMessage } from '../../test/replay/made-bag.js';

const CAMERAS = { front: 'protected', left: 'high', right: 'normal', rear: 'best_effort' } as const;
const PERIOD_MS = 1000 / 30;
const FRAMES = 18_000;
/** From one camera to the next. */
const PHASE_MS = 7.1;
const TRANSPORT_MS = 2;
const JITTER_MS = 3;

/** How busy one slot is. */
export interface Load {
  readonly name: string;
  readonly p50Ms: number;
}

export const LOADS: readonly Load[] = [
  { name: 'light', p50Ms: 3 },
  { name: 'busy', p50Ms: 9 },
  { name: 'overloaded', p50Ms: 16 },
];

/** In order of log time. */
export function drive(): MadeMessage[] {
  const random = new Pcg32(1n, 1n);
  return Object.keys(CAMERAS)
    .flatMap((name, camera) =>
      Array.from({ length: FRAMES }, (_, frame) => {
        const stampMs = frame * PERIOD_MS + camera * PHASE_MS;
        return { topic: `/${name}/image`, stampMs, logMs: stampMs + TRANSPORT_MS + JITTER_MS * random.uniform() };
      }),
    )
    .sort((one, other) => one.logMs - other.logMs);
}

/** A parameter file. */
export function parametersFor(policy: string, { p50Ms }: Load): string {
  const us = (factor: number) => Math.round(1000 * p50Ms * factor);
  const streams = Object.entries(CAMERAS).map(
    ([name, streamClass]) =>
      `  ${name}: {topic: /${name}/image, type: sensor_msgs/msg/Image, model: det, class: ${streamClass}, contract: {period_ms: 33.3, max_age_ms: 100.0}}`,
  );
  const lines = [
    `scheduling: {policy: ${policy}}`,
    'backends: {gpu: {slots: 1}}',
    'models:',
    `  det: {backend: gpu, variants: {full: {backend_model: m, profile: {p50_us: ${us(1)}, p95_us: ${us(1.3)}, p99_us: ${us(1.6)}}}}}`,
    'streams:',
    ...streams,
  ];
  return ['governor:', '  ros__parameters:', ...lines.map((line) => `    ${line}`)].join('\n');
}
