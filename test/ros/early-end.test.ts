import { Command } from 'commander';
import { afterEach, expect, it, vi } from 'vitest';
import { registerRun } from '../../src/cli/run.js';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const before = new Map(SIGNALS.map((signal) => [signal, process.listeners(signal)]));

afterEach(() => {
  vi.restoreAllMocks();
  for (const signal of SIGNALS)
    for (const listener of process.listeners(signal)) if (!before.get(signal)?.includes(listener)) process.off(signal, listener);
});

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s before the node has started ends it with a line', async (signal, status) => {
  const exit = vi.spyOn(process, 'exit').mockImplementation((() => undefined) as never);
  const said = vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
  const program = new Command('vig');
  registerRun(program);
  const running = program.parseAsync(['run', '--ros-args', '--params-file', '/nowhere.yaml'], { from: 'user' });
  process.listeners(signal).at(-1)?.(signal);
  expect(exit).toHaveBeenCalledWith(status);
  expect(said).toHaveBeenCalledWith(`vig run: ${signal} before the node had started; nothing was running yet\n`);
  await running; // it goes on, since its exit was taken away
});
