import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { DIGESTED, decideAll, inputDigest } from './determinism.js';

const digests = z.record(z.string(), z.string());
/**
 * Recorded, so that machines and versions of Node compare. A change of what the core decides changes these on purpose: then
 * `node setup/run-typescript.mjs test/core/determinism-main.ts > test/core/determinism.json`.
 */
const recorded = digests.parse(JSON.parse(readFileSync('test/core/determinism.json', 'utf8')));

test('the frames and runtimes are those that were recorded', () => {
  expect(inputDigest()).toBe(recorded['input']);
});

describe.each(DIGESTED)('$name', ({ name, scheduling }) => {
  const first = decideAll(scheduling);

  test('120,000 events give the actions that were recorded', () => {
    expect(first.arrivals).toBe(60_000);
    expect(first.arrivals + first.ends + first.wakes).toBeGreaterThan(120_000);
    expect(first.digest).toBe(recorded[name]);
  });

  test('and the same again', () => {
    expect(decideAll(scheduling)).toEqual(first);
  }, 60_000);
});

test('a process of its own decides the same', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['setup/run-typescript.mjs', 'test/core/determinism-main.ts']);
  expect(digests.parse(JSON.parse(stdout))).toEqual(recorded);
}, 120_000);
