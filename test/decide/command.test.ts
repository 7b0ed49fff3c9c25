import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { registerDecide } from '../../src/cli/decide.js';

const SCRIPT = `backend: {slots: 1}
streams: {a: {contract: {max_age_ms: 100}, variants: {only: {quality: 1, p50_ms: 10, p99_ms: 10}}}}
events:
  - {at_ms: 0, arrive: a, id: one, runtime_ms: 10}
expect:
  - {at_ms: 10, outcome: one, state: delivered}
`;

let folder: string;
let written: { out: string; error: string };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vig-decide-'));
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

async function decide(text: string, ...options: string[]): Promise<{ out: string; error: string; status: unknown }> {
  const file = join(folder, 's.yaml');
  writeFileSync(file, text);
  const program = new Command('vig').exitOverride();
  registerDecide(program);
  await program.parseAsync(['decide', file, ...options], { from: 'user' });
  return { ...written, status: process.exitCode };
}

it('prints one object a line, the summary last', async () => {
  const { out, error, status } = await decide(SCRIPT, '--json');
  const lines: unknown[] = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines).toMatchObject([{ action: 'dispatch' }, { action: 'outcome' }, { action: 'summary', received: 1, differences: [] }]);
  expect(error).toBe('');
  expect(status).toBeUndefined();
});

it('prints a listing without --json', async () => {
  const { out } = await decide(SCRIPT);
  expect(out).toContain('10  one      outcome   delivered/delivered');
});

it('ends with status 1 and a line for each difference', async () => {
  const { out, error, status } = await decide(SCRIPT.replace('at_ms: 10,', 'at_ms: 11,'), '--json');
  expect(error).toMatch(
    /s\.yaml:6: expected \{at_ms: 11, outcome: one, state: delivered\}; there is 0 dispatch only, 10 outcome delivered\/delivered\n$/,
  );
  expect(out).toContain('"differences":["');
  expect(status).toBe(1);
});

it('ends with status 2 and a line for each problem when the script is wrong', async () => {
  const { out, error, status } = await decide(SCRIPT.replace('arrive: a', 'arrive: b'));
  expect(out).toBe('');
  expect(error).toMatch(/s\.yaml:4: events\[0\]\.arrive is "b": there is no stream of this name; did you mean a\?\n$/);
  expect(status).toBe(2);
});
