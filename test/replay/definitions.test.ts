/** Where the definition of a message type comes from: what is installed, where neither the bag nor this package has it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { madeBag, ns, replayed } from './made-bag.js';

const TYPE = 'test_msgs_of_nobody/msg/Thing';

let prefix = '';
beforeEach(() => {
  prefix = mkdtempSync(path.join(tmpdir(), 'vig-prefix-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(prefix, { recursive: true });
});

/** Its header is not what comes first: that it is found tells that the definition is read. */
function thing(stampMs: number): Uint8Array {
  const bytes = Buffer.alloc(24);
  bytes.writeUInt8(1, 1);
  bytes.writeUInt8(7, 4);
  bytes.writeInt32LE(Number(ns(stampMs) / 1_000_000_000n), 8);
  bytes.writeUInt32LE(Number(ns(stampMs) % 1_000_000_000n), 12);
  bytes.writeUInt32LE(1, 16);
  return bytes;
}

async function replayOfThings() {
  const messages = Array.from({ length: 5 }, (_, index) => ({
    topic: '/thing',
    logMs: 5 + index * 100,
    stampMs: index * 100,
    data: thing(index * 100),
  }));
  const parameters = `backends: {gpu: {slots: 1}}
models: {det: {backend: gpu, variants: {full: {backend_model: m, profile: {p50_us: 9000, p95_us: 9000, p99_us: 9000}}}}}
streams: {thing: {topic: /thing, type: ${TYPE}, model: det, class: high, contract: {period_ms: 100.0, max_age_ms: 150.0}}}`;
  return (await replayed(await madeBag(messages, TYPE), parameters)).report;
}

it('is read of what is installed', async () => {
  const folder = path.join(prefix, 'share/test_msgs_of_nobody/msg');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'Thing.msg'), 'uint8 kind\nstd_msgs/Header header\n');
  vi.stubEnv('AMENT_PREFIX_PATH', `/nowhere:${prefix}`);
  const { streams, problems } = await replayOfThings();
  expect(problems).toEqual([]);
  expect(streams['thing']).toMatchObject({ received: 5, causes: { delivered: 5 }, arrival_age_ms: { min: 5, max: 5 } });
});

it('is missed by name where nobody has it', async () => {
  vi.stubEnv('AMENT_PREFIX_PATH', prefix);
  const { streams, problems } = await replayOfThings();
  expect(streams['thing']?.received).toBe(0);
  expect(problems.join('\n')).toMatch(/topic \/thing: .*test_msgs_of_nobody/);
});
