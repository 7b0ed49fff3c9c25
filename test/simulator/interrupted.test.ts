import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { expect, it } from 'vitest';

it('takes its workers with it when it is ended in the middle of a task', async () => {
  const simulation = spawn(process.execPath, ['setup/run-typescript.mjs', 'test/simulator/interrupted-main.ts'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [pid] = await once(simulation.stdout, 'data');
  const worker = Number(String(pid));
  expect(runs(worker)).toBe(true);
  simulation.kill('SIGTERM');
  expect(await once(simulation, 'exit')).toEqual([128 + constants.signals.SIGTERM, null]);
  await expect.poll(() => runs(worker), { timeout: 10_000 }).toBe(false);
}, 60_000);

function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
