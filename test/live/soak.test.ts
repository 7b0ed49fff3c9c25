/** The soak as CI has it: two minutes with two restarts of the server; other lengths with VIG_SOAK_MINUTES. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MINUTES = Number(process.env['VIG_SOAK_MINUTES'] ?? 2);
const BESIDE_MS = 90_000;

interface Report {
  readonly ok: boolean;
  readonly received: number;
  readonly causes: Readonly<Record<string, number>>;
  readonly recoveries_ms: readonly (number | null)[];
  readonly checks: readonly { readonly name: string; readonly found: string; readonly wanted: string; readonly ok: boolean }[];
  readonly rows: readonly { readonly restarts: number }[];
}

function soak(): Promise<{ status: number; report: Report }> {
  const command = ['setup/run-typescript.mjs', 'benchmark/soak/main.ts', '--minutes', String(MINUTES), '--json'];
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, command, { cwd: ROOT, maxBuffer: 16 * 1024 * 1024 }, (error, output, errors) => {
      try {
        resolve({ status: child.exitCode ?? -1, report: JSON.parse(output) });
      } catch {
        reject(new Error(`the soak said nothing readable: ${errors}`, { cause: error }));
      }
    });
  });
}

it('leaves nothing behind, and serves again after each restart', { timeout: MINUTES * 60_000 + BESIDE_MS }, async () => {
  const { status, report } = await soak();
  expect(report.checks.filter(({ ok }) => !ok)).toEqual([]);
  expect(report.recoveries_ms.length).toBeGreaterThanOrEqual(2);
  expect(report.rows.at(-1)?.restarts).toBeGreaterThanOrEqual(report.recoveries_ms.length);
  expect(report.causes['front delivered/delivered']).toBeGreaterThan(MINUTES * 300);
  expect(Object.values(report.causes).reduce((sum, count) => sum + count, 0)).toBe(report.received);
  expect([status, report.ok]).toEqual([0, true]);
});
