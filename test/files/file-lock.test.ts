import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isLocked, lockFile } from '../../src/files/file-lock.js';

let name = '';
beforeEach(() => {
  name = path.join(mkdtempSync(path.join(tmpdir(), 'vig-lock-')), 'lock');
});
afterEach(() => rmSync(path.dirname(name), { recursive: true }));

it('is held by one at a time, and is gone when it is released, also twice', async () => {
  expect(await isLocked(name)).toBe(false);
  const release = await lockFile(name);
  expect([await lockFile(name), await isLocked(name)]).toEqual([undefined, true]);
  release?.();
  release?.();
  expect([existsSync(name), await isLocked(name)]).toEqual([false, false]);
  const again = await lockFile(name);
  expect(again).toBeDefined();
  again?.();
});

it('is free again when the process that held it was killed', async () => {
  const text = `import { lockFile } from './src/files/file-lock.js'; console.log(await lockFile(${JSON.stringify(name)}) !== undefined); setInterval(() => {}, 1e6);`;
  const script = path.join(path.dirname(name), 'hold.ts');
  writeFileSync(script, text.replace('./src', path.resolve('src')));
  const holder = spawn(process.execPath, ['setup/run-typescript.mjs', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [told] = await once(holder.stdout, 'data');
  expect(String(told)).toBe('true\n');
  expect([await lockFile(name), await isLocked(name)]).toEqual([undefined, true]);
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  expect([existsSync(name), await isLocked(name)]).toEqual([true, false]);
  (await lockFile(name))?.();
});

it('that somebody removed is given back without taking that of the next one', async () => {
  const first = await lockFile(name);
  rmSync(name);
  const second = await lockFile(name);
  first?.();
  expect([second === undefined, await isLocked(name)]).toEqual([false, true]);
  second?.();
  expect(existsSync(name)).toBe(false);
});

it('leaves what is in a file that was there', async () => {
  writeFileSync(name, 'of somebody');
  (await lockFile(name))?.();
  expect(readFileSync(name, 'utf8')).toBe('of somebody');
});
