import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { registerReplay } from '../../src/cli/replay.js';
import { foreignBag } from '../replay/foreign.js';
import { ReferenceProcess } from '../support/reference-server.js';
import { commandRunner } from '../support/run-command.js';
import { unsteadyModel } from '../support/triton-models.js';
import { TritonServer } from '../support/triton-server.js';

const command = commandRunner('replay', registerReplay, '--params');
const BAG = foreignBag('zstd.mcap');
const contractSchema = z.looseObject({
  params: z.array(z.string()),
  streams: z.record(z.string(), z.looseObject({ received: z.number(), outcomes: z.record(z.string(), z.number()) })),
  backends: z.record(z.string(), z.looseObject({ executions: z.number(), slot_busy_permille: z.number() })),
});
const reportSchema = contractSchema.extend({ compare: z.array(contractSchema).optional() });

const MODELS = `models:
  m:
    runtime: { p50_ms: 3, p99_ms: 5, seed: 1 }
    behaviour: constant
    inputs:
      - { name: x, datatype: UINT8, shape: [1, H, W, 3] }
    outputs:
      - { name: y, datatype: FP32, shape: [1, 4], fill: 0.5 }
`;

function parameters(endpoint: string, type: 'reference' | 'triton', contract = 'period_ms: 33.0, max_age_ms: 300.0'): string {
  return `governor:
  ros__parameters:
    backends: {gpu: {slots: 1, type: ${type}, endpoint: "${endpoint}"}}
    models: {det: {backend: gpu, variants: {full: {backend_model: m}}}}
    streams: {camera: {topic: /camera/image_raw, model: det, class: high, contract: {${contract}}}}
`;
}

describe('vig replay --backend live', () => {
  let server: ReferenceProcess;
  beforeEach(async () => {
    server = await ReferenceProcess.start(MODELS);
  });
  afterEach(() => server.stop());

  it.each([
    { pace: 'as fast as it answers', options: ['--fast'] },
    { pace: 'in real time', options: [] },
  ])('has a server answer the messages of a bag, $pace', async ({ options }) => {
    const { out, error, status } = await command.run(
      parameters(server.endpoint, 'reference'),
      BAG,
      '--backend',
      'live',
      '--json',
      ...options,
    );
    const { streams } = reportSchema.parse(JSON.parse(out));
    expect({ error, status }).toEqual({ error: '', status: undefined });
    expect(streams['camera']?.received).toBe(151);
    expect(streams['camera']?.outcomes['delivered']).toBeGreaterThan(100);
  });
});

describe('vig replay --backend live, with Triton', () => {
  let server: TritonServer;
  beforeEach(async () => {
    server = await TritonServer.start({ models: [unsteadyModel('m', 8, 8, 1000)] });
  });
  afterEach(() => server.stop());

  it('puts contracts side by side, judges a condition on them, and draws the page', async () => {
    const page = path.join(command.folder, 'page.html');
    const strict = path.join(command.folder, 'strict.yaml');
    writeFileSync(strict, parameters(server.endpoint, 'triton', 'period_ms: 33.0, max_age_ms: 2.0')); // a call takes 8 ms
    const condition = 'compare.0.streams.camera.outcomes.delivered<1';
    const options = ['--backend', 'live', '--fast', '--json', '--compare', strict, '--html', page, '--fail-if', condition];
    const { out, error, status } = await command.run(parameters(server.endpoint, 'triton'), BAG, ...options);
    const { streams, backends, compare = [] } = reportSchema.parse(JSON.parse(out));
    expect({ error, status }).toEqual({ error: `vig replay: --fail-if "${condition}" holds: it is 0\n`, status: 1 });
    expect(streams['camera']?.received).toBe(151);
    expect(streams['camera']?.outcomes['delivered']).toBeGreaterThan(100);
    expect(backends['gpu']?.executions).toBeGreaterThan(100);
    expect(backends['gpu']?.slot_busy_permille).toBeGreaterThan(100);
    expect(backends['gpu']?.slot_busy_permille).toBeLessThanOrEqual(1000);
    expect(compare).toMatchObject([{ params: [strict], streams: { camera: { received: 151, outcomes: { delivered: 0 } } } }]);
    const html = readFileSync(page, 'utf8');
    expect(html.match(/<svg /g)).toHaveLength(6);
    expect(html).not.toMatch(/<script|NaN|undefined/);
  });
});
