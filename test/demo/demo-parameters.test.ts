import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfiguration } from '../../src/config/load.js';
import { demoParameters, parameterFileText } from '../../src/demo/demo-parameters.js';

const SIZED = { input: { width: 320, height: 256 }, profile: { p50Us: 20_000, p95Us: 22_000, p99Us: 25_000 } };
const SETTINGS = { endpoint: '127.0.0.1:4711', backend: 'triton', slots: 1, front: SIZED, rear: SIZED } as const;

/** As a node of the demo reads its file. */
function load(governed: boolean) {
  const folder = mkdtempSync(path.join(tmpdir(), 'vig-parameters-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'file.yaml');
  writeFileSync(file, parameterFileText(demoParameters(SETTINGS, governed)));
  return loadConfiguration({ files: [file], node: { name: 'governor', namespace: '/vig_demo' } }).parameters;
}

describe('demoParameters', () => {
  it('is a parameter file of the governor: a protected camera and one that takes what is left, on one slot', () => {
    const { backends, models, streams } = load(true);
    expect(backends['device']).toMatchObject({ endpoint: '127.0.0.1:4711', type: 'triton', slots: 1 });
    expect(streams['front']).toMatchObject({ class: 'protected', queue: { policy: 'latest', capacity: 1 }, contract: { max_age_ms: 100 } });
    expect(streams['rear']).toMatchObject({
      class: 'best_effort',
      queue: { policy: 'latest', capacity: 1 },
      contract: { max_age_ms: 500 },
    });
    expect(models['centerface']?.variants['only']?.profile).toEqual({ p50_us: 20_000, p95_us: 22_000, p99_us: 25_000 });
    expect(models['centerface']?.input).toMatchObject({ width: 320, height: 256, layout: 'nchw', color_order: 'rgb' });
  });

  it('has a queue of ten for the arm without the governor, and the same contracts', () => {
    const [governed, ungoverned] = [load(true).streams, load(false).streams];
    for (const name of ['front', 'rear']) {
      expect(ungoverned[name]?.queue).toMatchObject({ policy: 'fifo', capacity: 10 });
      expect(ungoverned[name]?.contract).toEqual(governed[name]?.contract);
    }
  });
});
