/** A few live schedules, so many as CI has time for; `npm run chaos -- --server …` runs others. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SCHEDULES = Number(process.env['VIG_CHAOS_SCHEDULES'] ?? 4);
const LIMIT_MS = 60_000 + SCHEDULES * 40_000;

interface Report {
  readonly runs: readonly { readonly failures: readonly string[]; readonly executions: number; readonly restarts: number }[];
  readonly leaks: readonly string[];
  readonly failure?: object;
}

function chaos(server: string): Promise<Report> {
  const command = ['setup/run-typescript.mjs', 'benchmark/chaos/main.ts', '--server', server, '--schedules', String(SCHEDULES), '--json'];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, command, { cwd: ROOT, maxBuffer: 16 * 1024 * 1024 }, (error, output, errors) => {
      try {
        resolve(JSON.parse(output));
      } catch {
        reject(new Error(`it said nothing readable: ${errors}`, { cause: error }));
      }
    });
  });
}

// How long a recovery takes is measured there, and judged by the exit status; this machine may be busy.
test.each(['reference', 'triton'])(
  '%s: no credit is back too early, all that can be known is, and nothing is left behind',
  { timeout: LIMIT_MS },
  async (server) => {
    const { runs, leaks, failure } = await chaos(server);
    expect(failure).toBeUndefined();
    expect(runs).toHaveLength(SCHEDULES);
    expect(leaks).toEqual([]);
    for (const { executions } of runs) expect(executions).toBeGreaterThan(10);
    expect(runs.reduce((sum, { restarts }) => sum + restarts, 0)).toBeGreaterThan(0);
  },
);
