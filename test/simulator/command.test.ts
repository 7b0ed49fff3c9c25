import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { registerSimulate } from '../../src/cli/simulate.js';
import { TWO_STREAMS } from './scenarios.js';

let folder: string;
let written: { out: string; error: string };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vig-simulate-'));
  written = { out: '', error: '' };
  const hear = (key: 'out' | 'error') => (text: string | Uint8Array) => {
    written[key] += String(text);
    return true;
  };
  vi.spyOn(process.stdout, 'write').mockImplementation(hear('out'));
  vi.spyOn(process.stderr, 'write').mockImplementation(hear('error'));
});

afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
  rmSync(folder, { recursive: true });
});

async function simulate(text: string, ...options: string[]): Promise<{ out: string; error: string; status: unknown }> {
  const file = join(folder, 's.yaml');
  writeFileSync(file, text);
  const program = new Command('vig').exitOverride();
  registerSimulate(program);
  await program.parseAsync(['simulate', file, ...options], { from: 'user' });
  return { ...written, status: process.exitCode };
}

it('prints what the file asks for, as its options change it, and draws', async () => {
  const plot = join(folder, 'plot.svg');
  const options = ['--json', '--seeds', '0x7', '--policies', 'fifo-2', '--loads', '1200', '--plot', plot];
  const { out, status } = await simulate(TWO_STREAMS, ...options);
  const report: unknown = JSON.parse(out);
  expect(report).toMatchObject({ scenario: 'two', runs: [{ load_permille: 1200, policy: 'fifo-2', seeds: 1 }] });
  expect(status).toBeUndefined();
  expect(readFileSync(plot, 'utf8')).toMatch(/^<svg /);
});

it('prints a table without --json', async () => {
  const { out } = await simulate(TWO_STREAMS, '--seeds', '1', '--loads', '900', '--policies', 'governor');
  expect(out).toContain('load 900 ‰, median of 1 seed\n');
});

it('ends with status 2 and a line for each problem when the file is wrong', async () => {
  const { out, error, status } = await simulate(TWO_STREAMS.replace('p50_ms: 70', 'p50_ms: 0'));
  expect(out).toBe('');
  expect(error).toMatch(/s\.yaml:20: streams\.text\.variants\.full\.p50_ms is 0: expected a number from 0\.001/);
  expect(status).toBe(2);
});

it('ends with status 2 when a policy of the command line is none', async () => {
  const { error, status } = await simulate(TWO_STREAMS, '--policies', 'govenor');
  expect(error).toBe('vig simulate: --policies: "govenor" is no policy; did you mean governor?\n');
  expect(status).toBe(2);
});
