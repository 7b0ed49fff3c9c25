import { pino } from 'pino';
import { afterEach, expect, it } from 'vitest';
import { CrashWatch } from '../../src/ros/crash-watch.js';

const watches: CrashWatch[] = [];
afterEach(() => {
  for (const watch of watches.splice(0)) watch.stop();
});

function bench() {
  const before = process.listenerCount('uncaughtException');
  const lines: string[] = [];
  const watch = new CrashWatch(pino({ level: 'fatal' }, { write: (line) => void lines.push(JSON.parse(line).msg) }));
  watches.push(watch);
  const heard = process.listeners('uncaughtException').slice(before)[0] as (error: Error) => void;
  return { watch, lines, crash: () => heard(new Error('a callback threw')) };
}

it('asks for an orderly end at the first error, and for the end at the next', async () => {
  const { watch, lines, crash } = bench();
  expect(watch.happened).toBe(false);
  crash();
  await watch.first;
  expect(await Promise.race([watch.second.then(() => 'second'), 'waits'])).toBe('waits');
  crash();
  await watch.second;
  crash();
  expect(watch.happened).toBe(true);
  expect(lines).toEqual(['unexpected error, the node ends', 'one more unexpected error, the node ends at once']);
});

it('leaves the process as it was', () => {
  const before = process.listenerCount('uncaughtException');
  bench().watch.stop();
  expect(process.listenerCount('uncaughtException')).toBe(before);
});
