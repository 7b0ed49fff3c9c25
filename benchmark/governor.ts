/** The governor of an arm: `bin/vig run` with one camera. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { z } from 'zod';
import type { BackendParameters, parametersSchema } from '../src/config/schema.js';
import { parameterFileText } from '../src/demo/demo-parameters.js';
import { type ArmNode, IMAGE_TOPIC } from './recording.js';

export const RESULT_TOPIC = '/governor/camera/result';

export interface GovernorOptions {
  readonly folder: string;
  readonly endpoint: string;
  readonly backend: Partial<Pick<BackendParameters, 'transport' | 'pipelining_depth'>>;
  /** Name at the server. */
  readonly model: string;
  readonly runtimeUs: number;
  readonly rateHz: number;
  readonly maxAgeMs: number;
  /** Where it notes the way of each frame; absent: it does not. */
  readonly stampFile?: string;
}

export function governor(options: GovernorOptions): ArmNode {
  const file = path.join(options.folder, 'governor.yaml');
  writeFileSync(file, parameterFileText(parameters(options)));
  return {
    name: 'the governor',
    command: fileURLToPath(new URL('../bin/vig', import.meta.url)),
    arguments: ['run', '--ros-args', '--params-file', file],
    environment: { ...process.env, ...stamping(options.stampFile) },
    ready: /model in use/,
  };
}

function stamping(stampFile: string | undefined): NodeJS.ProcessEnv {
  if (stampFile === undefined) return {};
  const preload = pathToFileURL(fileURLToPath(new URL('stamps.mjs', import.meta.url))).href;
  return { NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import=${preload}`, VIG_BENCH_STAMPS: stampFile };
}

function parameters({ endpoint, backend, model, runtimeUs, rateHz, maxAgeMs }: GovernorOptions): z.input<typeof parametersSchema> {
  const profile = { p50_us: runtimeUs, p95_us: Math.round(runtimeUs * 1.1), p99_us: Math.round(runtimeUs * 1.2) };
  return {
    metrics: { port: 0 },
    backends: { server: { endpoint, slots: 1, timeout_ms: 5000, ...backend } },
    models: { seen: { backend: 'server', variants: { only: { backend_model: model, profile } }, input: { name: 'IMAGE' } } },
    streams: { camera: { topic: IMAGE_TOPIC, model: 'seen', contract: { period_ms: 1000 / rateHz, max_age_ms: maxAgeMs } } },
  };
}
