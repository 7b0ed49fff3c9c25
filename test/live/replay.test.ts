import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { registerReplay } from '../../src/cli/replay.js';
import { foreignBag } from '../replay/foreign.js';
import { ReferenceProcess } from '../support/reference-server.js';
import { commandRunner } from '../support/run-command.js';

const command = commandRunner('replay', registerReplay, '--params');
const reportSchema = z.looseObject({
  streams: z.record(z.string(), z.looseObject({ received: z.number(), outcomes: z.record(z.string(), z.number()) })),
});

const MODELS = `models:
  m:
    runtime: { p50_ms: 3, p99_ms: 5, seed: 1 }
    behaviour: constant
    inputs:
      - { name: x, datatype: UINT8, shape: [1, H, W, 3] }
    outputs:
      - { name: y, datatype: FP32, shape: [1, 4], fill: 0.5 }
`;

let server: ReferenceProcess;
beforeEach(async () => {
  server = await ReferenceProcess.start(MODELS);
});
afterEach(() => server.stop());

it.each([
  { pace: 'as fast as it answers', options: ['--fast'] },
  { pace: 'in real time', options: [] },
])('vig replay --backend live has a server answer the messages of a bag, $pace', async ({ options }) => {
  const parameters = `governor:
  ros__parameters:
    backends: {gpu: {slots: 1, type: reference, endpoint: "${server.endpoint}"}}
    models: {det: {backend: gpu, variants: {full: {backend_model: m}}}}
    streams: {camera: {topic: /camera/image_raw, model: det, class: high, contract: {period_ms: 33.0, max_age_ms: 300.0}}}
`;
  const { out, error, status } = await command.run(parameters, foreignBag('zstd.mcap'), '--backend', 'live', '--json', ...options);
  const { streams } = reportSchema.parse(JSON.parse(out));
  expect({ error, status }).toEqual({ error: '', status: undefined });
  expect(streams['camera']?.received).toBe(151);
  expect(streams['camera']?.outcomes['delivered']).toBeGreaterThan(100);
});
